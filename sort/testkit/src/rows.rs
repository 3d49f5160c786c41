//! Kinds of rows: what a sort of anything has to move without looking into it.
//!
//! | row | what is special |
//! |---|---|
//! | `Vec<u8>`, `Box<[u8]>` | owns its key: doubled or lost, the allocator or Miri complains |
//! | [`Padded`], [`Numbered`], [`Spacious`] | bytes between the fields that are not initialised |
//! | [`Wide`] | larger and more aligned than any spare room |
//! | [`Byte`], [`Nothing`] | one byte, and none |
//! | [`Counted`] | says when it is dropped |

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

/// A row that can be made of a key.
pub trait Row: Debug + Send + Sized + Sync {
    /// A row for the key, or for as much of it as fits.
    fn of(key: &[u8], number: usize) -> Self;
    /// What the row is sorted by.
    fn key(&self) -> &[u8];
    /// The number it was made with, if it can be told.
    fn number(&self) -> Option<usize> {
        None
    }
}

impl Row for Vec<u8> {
    fn of(key: &[u8], _: usize) -> Self {
        key.to_vec()
    }
    fn key(&self) -> &[u8] {
        self
    }
}

impl Row for Box<[u8]> {
    fn of(key: &[u8], _: usize) -> Self {
        key.into()
    }
    fn key(&self) -> &[u8] {
        self
    }
}

/// The first bytes of a key, padded with zeros.
fn first<const N: usize>(key: &[u8]) -> [u8; N] {
    std::array::from_fn(|at| key.get(at).copied().unwrap_or(0))
}

/// Twelve bytes, four of which are padding.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Padded {
    key: [u8; 3],
    number: u32,
    last: u8,
}

impl Row for Padded {
    fn of(key: &[u8], number: usize) -> Self {
        Padded { key: first(key), number: number as u32, last: !0 }
    }
    fn key(&self) -> &[u8] {
        &self.key
    }
    fn number(&self) -> Option<usize> {
        Some(self.number as usize + usize::from(self.last) - 255)
    }
}

/// An owned key and a small number: 24 bytes, some of them padding.
#[derive(Clone, Debug)]
pub struct Numbered(u32, Box<[u8]>);

impl Row for Numbered {
    fn of(key: &[u8], number: usize) -> Self {
        Numbered(number as u32, key.into())
    }
    fn key(&self) -> &[u8] {
        &self.1
    }
    fn number(&self) -> Option<usize> {
        Some(self.0 as usize)
    }
}

/// Forty bytes, some of them padding.
#[derive(Clone, Debug)]
pub struct Spacious(String, u8, u64);

impl Row for Spacious {
    fn of(key: &[u8], number: usize) -> Self {
        Spacious(key.escape_ascii().to_string(), 7, number as u64)
    }
    fn key(&self) -> &[u8] {
        self.0.as_bytes()
    }
    fn number(&self) -> Option<usize> {
        Some(self.2 as usize + usize::from(self.1) - 7)
    }
}

/// As large as two lines of memory, and aligned to one.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Wide([u8; 100], usize);

impl Row for Wide {
    fn of(key: &[u8], number: usize) -> Self {
        Wide(first(key), number)
    }
    fn key(&self) -> &[u8] {
        &self.0
    }
    fn number(&self) -> Option<usize> {
        Some(self.1)
    }
}

/// One byte.
#[derive(Clone, Copy, Debug)]
pub struct Byte([u8; 1]);

impl Row for Byte {
    fn of(key: &[u8], number: usize) -> Self {
        Byte([key.last().copied().unwrap_or(number as u8)])
    }
    fn key(&self) -> &[u8] {
        &self.0
    }
}

/// No bytes: its key is empty.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Row for Nothing {
    fn of(_: &[u8], _: usize) -> Self {
        Nothing
    }
    fn key(&self) -> &[u8] {
        &[]
    }
}

/// A row that counts how many of its kind there are.
#[derive(Debug)]
pub struct Counted {
    key: Vec<u8>,
    alive: Arc<AtomicIsize>,
}

thread_local! {
    static ALIVE: Arc<AtomicIsize> = Arc::default();
}

impl Counted {
    /// Rows of this thread that have been made and not been dropped; below zero if one was dropped twice.
    pub fn alive() -> isize {
        ALIVE.with(|alive| alive.load(Ordering::Relaxed))
    }
}

impl Row for Counted {
    fn of(key: &[u8], _: usize) -> Self {
        let alive = ALIVE.with(Arc::clone);
        alive.fetch_add(1, Ordering::Relaxed);
        Counted { key: key.to_vec(), alive }
    }
    fn key(&self) -> &[u8] {
        &self.key
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Rows of a few keys, some of them equal.
pub fn rows<T: Row>(count: usize) -> Vec<T> {
    let key = |number: usize| format!("{:03}{}", number * 7919 % (count / 2 + 1), number % 3);
    (0..count).map(|number| T::of(key(number).as_bytes(), number)).collect()
}

/// Complains unless `sorted` is what a stable sort makes of [`rows`] of the same count.
pub fn check_stable<T: Row>(sorted: &[T]) -> Result<(), String> {
    let mut expected = rows::<T>(sorted.len());
    expected.sort_by(|a, b| a.key().cmp(b.key()));
    let named = |rows: &[T]| rows.iter().map(|row| (row.key().to_vec(), row.number())).collect::<Vec<_>>();
    crate::oracle::check_equal(core::any::type_name::<T>(), &named(&expected), &named(sorted))
}
