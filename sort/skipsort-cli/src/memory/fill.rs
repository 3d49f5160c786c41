//! Filling an arena: one thread reads a piece while the others find the records of theirs.
//!
//! ```text
//!   thread 0   | read | find, load .... | read | find, load ....
//!   thread 1          | read | find, load .... | read | ...
//! ```
//!
//! A piece ends with a record, and its rows are counted as it is read, so that every thread writes to places of its
//! own and rows are in the order of the input. Whole lines are read to where they stay; keyed ones through a buffer,
//! from which key bytes and line go into the arena together.

use std::sync::{Mutex, MutexGuard};

use skipsort::Loader;

use super::arena::{Arena, Filled};
use super::shelf::{Going, Outcome, Shelf};
use crate::crew;
use crate::fault::{Fault, Result};
use crate::input::feed::Feed;
use crate::shape::{HEAD, Shape};

/// Records looked at to guess what all share.
const SAMPLE: usize = 32;

/// Reads as much as fits.
pub(crate) fn fill(arena: &mut Arena, feed: &mut Feed<'_>, shape: &Shape) -> Result<Filled> {
    loop {
        match attempt(arena, feed, shape)? {
            Outcome::Filled(filled) => return Ok(filled),
            Outcome::TooSmall(least) => arena.grow(least)?,
        }
    }
}

fn attempt(arena: &mut Arena, feed: &mut Feed<'_>, shape: &Shape) -> Result<Outcome> {
    let budget = arena.budget;
    let keyed = shape.keys.is_some();
    let least = feed.carry.len() + budget.piece();
    if least > arena.text.len() {
        return Ok(Outcome::TooSmall(least));
    }
    // Whole lines begin where they stay, keyed ones in a buffer.
    let carry = std::mem::take(&mut feed.carry);
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
    let work = || if keyed { keyed_worker(&shelf, shape) } else { whole_worker(&shelf, shape) };
    crew::together(budget.threads.get(), work);
    let shelf = shelf.into_inner().expect("no panic under the lock");
    shelf.finish()
}

fn lock<'g, 'f, 'm, 'a>(shelf: &'g Mutex<Shelf<'f, 'm, 'a>>) -> MutexGuard<'g, Shelf<'f, 'm, 'a>> {
    shelf.lock().expect("no panic under the lock")
}

fn whole_worker(shelf: &Mutex<Shelf<'_, '_, '_>>, shape: &Shape) {
    let mut mine: Option<Loader> = None;
    let mut long = Vec::new();
    loop {
        let mut shared = lock(shelf);
        let Some((bytes, at, rows)) = shared.whole_piece(shape) else { break };
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

fn keyed_worker(shelf: &Mutex<Shelf<'_, '_, '_>>, shape: &Shape) {
    let keys = shape.keys.as_ref().expect("a keyed shape");
    let (mut buffer, mut out) = (Vec::new(), Vec::new());
    let mut mine: Option<Loader> = None;
    let mut long = Vec::new();
    loop {
        let Some((promised, rows)) = lock(shelf).keyed_piece(shape, &mut buffer) else { break };
        out.clear();
        for line in shape.frame.records(&buffer) {
            if u32::try_from(line.len()).is_err() {
                let fault = Fault::new("a line of 4 GiB or more").hint("sort it without keys");
                lock(shelf).state = Going::Failed(fault);
                return;
            }
            shape.push_keyed(keys, line, &mut out);
        }
        let mut shared = lock(shelf);
        shared.promised -= promised;
        let (place, at) = shared.take_text(out.len());
        let loader = mine.get_or_insert_with(|| {
            let guess =
                || Loader::new(keyed_rows(shape, &out).take(SAMPLE).map(|(start, len)| &out[start..][..len]));
            shared.loader.get_or_insert_with(guess).clone()
        });
        drop(shared);
        place.copy_from_slice(&out);
        for (row, (start, len)) in rows.iter_mut().zip(keyed_rows(shape, &out)) {
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
fn keyed_rows<'o>(shape: &'o Shape, out: &'o [u8]) -> impl Iterator<Item = (usize, usize)> + 'o {
    let mut next = HEAD;
    std::iter::from_fn(move || {
        let start = next;
        if start > out.len() {
            return None;
        }
        let (key_len, line_len) = shape.lengths(out, start);
        next = start + key_len + line_len + shape.frame.tail() + HEAD;
        Some((start, shape.row_len(key_len, line_len)))
    })
}
