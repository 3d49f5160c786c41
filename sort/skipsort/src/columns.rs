//! Keys of several columns: bytes that compare as the columns do, one after the other.
//!
//! ```text
//!   ("ab", 7, None)        01 02 'a' 'b' 00 .. 02 | 01 80 00 00 07 | 00 ......
//!                          |  text, in blocks     |  sign turned   |  null, first
//!   descending             every byte turned round
//! ```
//!
//! The encoding is that of arrow-row, byte for byte (`tests/columns.rs`), so that keys of both can be mixed.

use alloc::vec::Vec;

use crate::bytes::Bytes;

/// Bytes of each of the first blocks of a text, and how many of these there are before the blocks of [`BLOCK`].
const MINI: usize = 8;

/// Bytes of a block, for texts of more than that.
const BLOCK: usize = 32;

/// Follows a block that is not the last.
const GOES_ON: u8 = 0xff;

/// How a column is ordered.
///
/// ```
/// assert_eq!(skipsort::ColumnOrder::default(), skipsort::ColumnOrder { descending: false, nulls_first: true });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnOrder {
    /// Largest value first.
    pub descending: bool,
    /// Nulls before all values, whichever of these come first.
    pub nulls_first: bool,
}

impl Default for ColumnOrder {
    fn default() -> Self {
        ColumnOrder { descending: false, nulls_first: true }
    }
}

impl ColumnOrder {
    fn null(self) -> u8 {
        if self.nulls_first { 0 } else { 0xff }
    }

    fn turn(self, byte: u8) -> u8 {
        if self.descending { !byte } else { byte }
    }
}

/// A key under construction, column by column.
///
/// All rows push the same types in the same order. What is sorted is the [`Bytes`] of it.
///
/// ```
/// use skipsort::{ColumnOrder, KeyBuilder, SkipSort};
///
/// let mut rows = vec![("b", Some(1)), ("a", Some(1)), ("a", None), ("a", Some(2))];
/// let newest_first = ColumnOrder { descending: true, nulls_first: false };
/// rows.skip_sort_by_cached_key(|(name, version)| {
///     KeyBuilder::new().column(Some(*name), ColumnOrder::default()).column(*version, newest_first)
/// });
/// assert_eq!(rows, [("a", Some(2)), ("a", Some(1)), ("a", None), ("b", Some(1))]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeyBuilder {
    bytes: Vec<u8>,
}

impl KeyBuilder {
    /// No columns yet.
    pub const fn new() -> Self {
        KeyBuilder { bytes: Vec::new() }
    }

    /// Appends a column.
    pub fn column<C: Column>(mut self, value: Option<C>, order: ColumnOrder) -> Self {
        C::push(value, order, &mut self.bytes);
        self
    }
}

impl Bytes for KeyBuilder {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// What a column can hold: integers, floats (in their total order), truth values, text and bytes.
///
/// ```
/// use skipsort::{Bytes, Column, KeyBuilder};
///
/// fn key<C: Column>(value: C) -> Vec<u8> {
///     KeyBuilder::new().column(Some(value), Default::default()).bytes().to_vec()
/// }
/// assert!(key(-1.5) < key(0.0) && key(-7i64) < key(3i64) && key("") < key("a") && key(false) < key(true));
/// ```
pub trait Column: sealed::Encode {}

impl<C: sealed::Encode> Column for C {}

mod sealed {
    use super::{ColumnOrder, Vec};

    pub trait Encode: Sized {
        /// Appends bytes that compare as the value does.
        fn push(value: Option<Self>, order: ColumnOrder, key: &mut Vec<u8>);
    }
}

/// Values of a fixed width: a byte that says whether there is one, and its bytes, or zeros.
fn push_fixed<const N: usize>(value: Option<[u8; N]>, order: ColumnOrder, key: &mut Vec<u8>) {
    match value {
        Some(bytes) => {
            key.push(1);
            key.extend(bytes.map(|byte| order.turn(byte)));
        }
        None => {
            key.push(order.null());
            key.extend([0; N]);
        }
    }
}

macro_rules! fixed {
    ($($type:ty: |$value:ident| $bytes:expr;)*) => {$(
        impl sealed::Encode for $type {
            fn push(value: Option<Self>, order: ColumnOrder, key: &mut Vec<u8>) {
                push_fixed(value.map(|$value| $bytes), order, key);
            }
        }
    )*};
}

fixed! {
    bool: |value| [u8::from(value)];
    u8: |value| value.to_be_bytes();
    u16: |value| value.to_be_bytes();
    u32: |value| value.to_be_bytes();
    u64: |value| value.to_be_bytes();
    u128: |value| value.to_be_bytes();
    i8: |value| (value ^ i8::MIN).to_be_bytes();
    i16: |value| (value ^ i16::MIN).to_be_bytes();
    i32: |value| (value ^ i32::MIN).to_be_bytes();
    i64: |value| (value ^ i64::MIN).to_be_bytes();
    i128: |value| (value ^ i128::MIN).to_be_bytes();
    f32: |value| {
        let bits = value.to_bits().cast_signed();
        // Negative numbers rise as their bits fall.
        ((bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()) ^ i32::MIN).to_be_bytes()
    };
    f64: |value| {
        let bits = value.to_bits().cast_signed();
        ((bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()) ^ i64::MIN).to_be_bytes()
    };
}

impl sealed::Encode for &[u8] {
    fn push(value: Option<Self>, order: ColumnOrder, key: &mut Vec<u8>) {
        let start = match value {
            None => return key.push(order.null()),
            Some(bytes) => {
                let start = key.len();
                key.push(if bytes.is_empty() { 1 } else { 2 });
                push_blocks(bytes, key);
                start
            }
        };
        key[start..].iter_mut().for_each(|byte| *byte = order.turn(*byte));
    }
}

impl sealed::Encode for &str {
    fn push(value: Option<Self>, order: ColumnOrder, key: &mut Vec<u8>) {
        <&[u8]>::push(value.map(str::as_bytes), order, key);
    }
}

/// Blocks of eight bytes up to 32, then of 32, each followed by whether more come, or by how many of its bytes count.
fn push_blocks(bytes: &[u8], key: &mut Vec<u8>) {
    let (head, tail) = bytes.split_at(if bytes.len() > BLOCK { BLOCK } else { bytes.len() });
    let blocks =
        head.chunks(MINI).map(|block| (block, MINI)).chain(tail.chunks(BLOCK).map(|block| (block, BLOCK)));
    let mut blocks = blocks.peekable();
    while let Some((block, size)) = blocks.next() {
        key.extend_from_slice(block);
        key.resize(key.len() + size - block.len(), 0);
        key.push(if blocks.peek().is_some() { GOES_ON } else { block.len() as u8 });
    }
}
