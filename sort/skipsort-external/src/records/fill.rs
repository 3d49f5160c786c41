//! Filling an arena: one thread reads a piece while the others find the records of theirs.
//!
//! ```text
//!   thread 0   | read | find, load .... | read | find, load ....
//!   thread 1          | read | find, load .... | read | ...
//! ```
//!
//! The first pieces are one thread's, which is all that a small input needs. A piece ends with a record, and its rows are counted as it is read, so that every thread writes to places of its
//! own and rows are in the order of the input. Whole lines are read to where they stay; keyed ones through a buffer,
//! from which key bytes and line go into the arena together.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard};

use skipsort::Loader;

use super::feed::Feed;
use super::shape::{KeyEncoder, Shape};
use super::shelf::{Going, Outcome, Shelf};
use crate::crew;
use crate::error::Result;
use crate::memory::arena::{Arena, Filled};
use crate::memory::budget::Budget;
use crate::order::{HEAD, Order, lengths};

/// Bytes that one thread looks at before others are started, which would not have begun before it is done.
fn alone(budget: Budget) -> usize {
    (budget.total / 16).min(2 << 20)
}

/// Records looked at to guess what all share.
const SAMPLE: usize = 32;

/// An arena for records of this shape.
pub(crate) fn arena(budget: Budget, shape: &Shape) -> Result<Arena> {
    let keys = shape.keys.as_ref().map_or(0, |keys| keys.encoded_most(1) / 2 + 1);
    // Beyond the budget: what is being read and encoded when it is noticed that no more should be.
    let slack = (budget.piece() * budget.threads.get()).saturating_mul(2 * keys + 2).max(1 << 20);
    Arena::new(budget, slack)
}

/// Threads for the rest of a sort of which this is the first part: one, if that is all and was done by one.
pub(crate) fn threads_for(first: &Filled, budget: Budget) -> Budget {
    if first.ended && first.text <= alone(budget) {
        Budget { threads: NonZeroUsize::MIN, ..budget }
    } else {
        budget.with_threads_there_are()
    }
}

/// Reads as much as fits; the first part of a sort may be small.
pub(crate) fn fill(arena: &mut Arena, feed: &mut Feed<'_>, shape: &Shape, first: bool) -> Result<Filled> {
    loop {
        let alone = if first { alone(arena.budget) } else { 0 };
        match attempt(arena, feed, shape, alone)? {
            Outcome::Filled(filled) => return Ok(filled),
            Outcome::TooSmall(least) => arena.grow(least)?,
        }
    }
}

fn attempt(arena: &mut Arena, feed: &mut Feed<'_>, shape: &Shape, alone: usize) -> Result<Outcome> {
    let budget = arena.budget;
    let least = feed.carry.len() + budget.piece();
    if least > arena.text.len() {
        return Ok(Outcome::TooSmall(least));
    }
    // Whole lines begin where they stay, keyed ones in a buffer.
    let carry = std::mem::take(&mut feed.carry);
    let keys = shape.keys.as_deref();
    let keyed = keys.is_some();
    let pending = if keyed { 0 } else { carry.len() };
    arena.text[..pending].copy_from_slice(&carry[..pending]);
    let carry = if keyed { carry } else { Vec::new() };
    let (rows, _) = arena.scratch.text_rows(arena.rows_most);
    let shelf = Shelf {
        feed,
        text: &mut arena.text,
        at: 0,
        rows,
        rows_used: 0,
        pending,
        carry,
        promised: 0,
        budget,
        state: Going::On,
        loader: None,
        joined: None,
        long: Vec::new(),
    };
    let shelf = Mutex::new(shelf);
    let work = |most| match keys {
        Some(keys) => keyed_worker(&shelf, shape, keys, most),
        None => whole_worker(&shelf, shape, most),
    };
    work(alone);
    if lock(&shelf).goes_on() {
        crew::together(budget.threads.get(), || work(usize::MAX));
    }
    let shelf = shelf.into_inner().expect("no panic under the lock");
    shelf.finish()
}

fn lock<'g, 'f, 'm, 'a>(shelf: &'g Mutex<Shelf<'f, 'm, 'a>>) -> MutexGuard<'g, Shelf<'f, 'm, 'a>> {
    shelf.lock().expect("no panic under the lock")
}

/// Takes pieces until there are none, or until the arena has `most` bytes.
fn whole_worker(shelf: &Mutex<Shelf<'_, '_, '_>>, shape: &Shape, most: usize) {
    let mut mine: Option<Loader> = None;
    let mut long = Vec::new();
    loop {
        let mut shared = lock(shelf);
        let piece = if shared.at < most { shared.whole_piece(shape) } else { None };
        let Some((bytes, at, rows)) = piece else { break };
        let loader = mine.get_or_insert_with(|| {
            let guess = || Loader::new(sample(shape, bytes));
            shared.loader.get_or_insert_with(guess).clone()
        });
        drop(shared);
        let base = bytes.as_ptr().addr();
        for (row, line) in rows.iter_mut().zip(shape.frame.records(bytes)) {
            let start = at + (line.as_ptr().addr() - base);
            *row = loader.row(line, start);
            if row.is_long() {
                long.push((start, line.len()));
            }
        }
    }
    if let Some(loader) = mine {
        lock(shelf).join(&loader, long);
    }
}

/// Records from all over a piece.
fn sample<'p>(shape: &Shape, piece: &'p [u8]) -> impl Iterator<Item = &'p [u8]> {
    let step = shape.frame.count(piece).div_ceil(SAMPLE).max(1);
    shape.frame.records(piece).step_by(step)
}

/// As [`whole_worker`].
fn keyed_worker(shelf: &Mutex<Shelf<'_, '_, '_>>, shape: &Shape, keys: &dyn KeyEncoder, most: usize) {
    let order = shape.order();
    let (mut buffer, mut out) = (Vec::new(), Vec::new());
    let mut mine: Option<Loader> = None;
    let mut long = Vec::new();
    loop {
        let mut shared = lock(shelf);
        let piece = if shared.at < most { shared.keyed_piece(shape, keys, &mut buffer) } else { None };
        drop(shared);
        let Some((promised, rows)) = piece else { break };
        out.clear();
        for line in shape.frame.records(&buffer) {
            if let Err(error) = shape.push_keyed(keys, line, &mut out) {
                lock(shelf).state = Going::Failed(error);
                return;
            }
        }
        assert!(out.len() <= promised, "the key encoder appends more than its `encoded_most`");
        let mut shared = lock(shelf);
        shared.promised -= promised;
        let (place, at) = shared.take_text(out.len());
        let loader = mine.get_or_insert_with(|| {
            let guess =
                || Loader::new(keyed_rows(order, &out).take(SAMPLE).map(|(start, len)| &out[start..][..len]));
            shared.loader.get_or_insert_with(guess).clone()
        });
        drop(shared);
        place.copy_from_slice(&out);
        for (row, (start, len)) in rows.iter_mut().zip(keyed_rows(order, &out)) {
            *row = loader.row(&out[start..][..len], at + start);
            if row.is_long() {
                long.push((at + start, len));
            }
        }
    }
    if let Some(loader) = mine {
        lock(shelf).join(&loader, long);
    }
}

/// Where the rows of keyed records start, and how long they are.
fn keyed_rows(order: Order, out: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut next = HEAD;
    std::iter::from_fn(move || {
        let start = next;
        if start > out.len() {
            return None;
        }
        let (key_len, line_len) = lengths(out, start);
        next = start + key_len + line_len + order.tail() + HEAD;
        Some((start, order.row_len(key_len, line_len)))
    })
}
