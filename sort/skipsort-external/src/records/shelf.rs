//! What threads share while they fill an arena: the input, and where the next piece and its rows go.
//!
//! Slices are handed out from the front, so that every thread has places of its own.

use skipsort::{Loader, TextRow};

use super::feed::Feed;
use super::shape::{KeyEncoder, Shape};
use crate::error::{Error, Result};
use crate::memory::arena::{Filled, ROW_BYTES};
use crate::memory::budget::Budget;

/// What became of an attempt to fill the memory.
pub(super) enum Outcome {
    Filled(Filled),
    /// Not even one record fits, which needs so many bytes.
    TooSmall(usize),
}

pub(super) enum Going {
    On,
    /// The arena is full.
    Full,
    /// There is no more input.
    Ended,
    TooSmall(usize),
    Failed(Error),
}

/// Where the next piece comes from and goes to.
pub(super) struct Shelf<'f, 'm, 'a> {
    pub(super) feed: &'f mut Feed<'m>,
    pub(super) text: &'a mut [u8],
    pub(super) at: usize,
    pub(super) rows: &'a mut [TextRow],
    pub(super) rows_used: usize,
    /// Whole lines: bytes at the front of the text that begin a record whose end has not been read.
    pub(super) pending: usize,
    /// Keyed lines: the same bytes, and what else has been read and not been given to a thread.
    pub(super) carry: Vec<u8>,
    /// Text that keyed pieces under way may need.
    pub(super) promised: usize,
    pub(super) budget: Budget,
    pub(super) state: Going,
    /// What threads start from; set by the first piece.
    pub(super) loader: Option<Loader>,
    /// What threads have learned.
    pub(super) joined: Option<Loader>,
    pub(super) long: Vec<(usize, usize)>,
}

impl<'a> Shelf<'_, '_, 'a> {
    /// True when there may be more to read, and room for it.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.state, Going::On)
    }

    /// How much to read next; nothing when the arena is full.
    fn want(&mut self) -> Option<usize> {
        if !self.goes_on() {
            return None;
        }
        let used = self.at + self.pending + self.promised + self.carry.len() + self.rows_used * ROW_BYTES;
        let left = self.budget.total.saturating_sub(used);
        let piece = self.budget.piece();
        // A piece takes more than its own size: rows, and key bytes.
        let text_per_row = self.at.checked_div(self.rows_used).unwrap_or(ROW_BYTES).max(1);
        let want = (left / (text_per_row + ROW_BYTES)).saturating_mul(text_per_row).min(piece);
        let none_yet = self.rows_used == 0;
        if (want < piece / 16 + 1 && !none_yet) || self.rows.len() < want.max(piece / 16) {
            self.state = Going::Full;
            return None;
        }
        Some(if none_yet { piece } else { want })
    }

    fn fail<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.state = Going::Failed(error)).ok()
    }

    /// The next rows.
    fn take_rows(&mut self, count: usize) -> &'a mut [TextRow] {
        let (taken, rest) = std::mem::take(&mut self.rows).split_at_mut(count);
        self.rows = rest;
        self.rows_used += count;
        taken
    }

    /// The next bytes of the arena, and where they are.
    pub(super) fn take_text(&mut self, len: usize) -> (&'a mut [u8], usize) {
        let (taken, rest) = std::mem::take(&mut self.text).split_at_mut(len);
        let at = self.at;
        self.text = rest;
        self.at += len;
        (taken, at)
    }

    /// Whole lines: reads a piece to where it stays.
    pub(super) fn whole_piece(&mut self, shape: &Shape) -> Option<(&'a [u8], usize, &'a mut [TextRow])> {
        let end = loop {
            let want = self.want()?;
            let room = self.text.len().min(self.pending + want);
            if room == self.pending {
                self.state = if self.rows_used == 0 { Going::TooSmall(2 * room) } else { Going::Full };
                return None;
            }
            let read = self.feed.read(&mut self.text[self.pending..room]);
            let read = self.fail(read)?;
            if read == 0 {
                self.state = Going::Ended;
                return None;
            }
            let searched = self.pending;
            self.pending += read;
            if let Some(end) = shape.frame.last_end(&self.text[..self.pending], searched) {
                break end;
            }
        };
        self.pending -= end;
        let (bytes, at) = self.take_text(end);
        let rows = self.take_rows(shape.frame.count(bytes));
        Some((bytes, at, rows))
    }

    /// Keyed lines: reads a piece into `buffer`.
    pub(super) fn keyed_piece(
        &mut self,
        shape: &Shape,
        keys: &dyn KeyEncoder,
        buffer: &mut Vec<u8>,
    ) -> Option<(usize, &'a mut [TextRow])> {
        std::mem::swap(buffer, &mut self.carry);
        self.carry.clear();
        let mut searched = 0;
        let end = loop {
            if let Some(end) = shape.frame.last_end(buffer, searched) {
                break Some(end);
            }
            searched = buffer.len();
            let Some(want) = self.want() else { break None };
            buffer.resize(searched + want, 0);
            let read = self.feed.read(&mut buffer[searched..]);
            let read = self.fail(read);
            buffer.truncate(searched + read.unwrap_or(0));
            match read {
                Some(0) => self.state = Going::Ended,
                Some(_) => continue,
                None => {}
            }
            break None;
        };
        let rows = end.map_or(0, |end| shape.frame.count(&buffer[..end]));
        let most = end.map_or(0, |end| shape.keyed_most(keys, rows, end));
        let fits = most + self.promised <= self.text.len() && rows <= self.rows.len();
        let kept = if fits { end.unwrap_or(0) } else { 0 };
        self.carry.extend_from_slice(&buffer[kept..]);
        buffer.truncate(kept);
        if !fits {
            let none_yet = self.rows_used == 0 && self.promised == 0;
            self.state = if none_yet { Going::TooSmall(most + self.carry.len()) } else { Going::Full };
            return None;
        }
        end?;
        self.promised += most;
        Some((most, self.take_rows(rows)))
    }

    pub(super) fn join(&mut self, loader: &Loader, long: Vec<(usize, usize)>) {
        match &mut self.joined {
            Some(joined) => joined.join(loader),
            None => self.joined = Some(loader.clone()),
        }
        self.long.extend(long);
    }

    pub(super) fn finish(mut self) -> Result<Outcome> {
        self.feed.carry = std::mem::take(&mut self.carry);
        self.feed.carry.extend_from_slice(&self.text[..self.pending]);
        let ended = match self.state {
            Going::Failed(error) => return Err(error),
            Going::TooSmall(least) => return Ok(Outcome::TooSmall(least)),
            Going::Ended => true,
            Going::On | Going::Full => false,
        };
        self.long.sort_unstable();
        let loader = self.joined.unwrap_or_default();
        Ok(Outcome::Filled(Filled { rows: self.rows_used, text: self.at, loader, long: self.long, ended }))
    }
}
