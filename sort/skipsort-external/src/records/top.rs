//! The first few lines of many: nothing is sorted but candidates.
//!
//! ```text
//!   threshold   the Nth smallest key that is known so far
//!   a line      is compared with the threshold, 32 bytes at once: nearly all lines are settled by the first that differs
//!   the others  are copied aside; when there are many, all but the N smallest are dropped and the threshold falls
//! ```

use std::cmp::Ordering;
use std::sync::Mutex;

use super::ends::each_stretch;
use super::inputs::Inputs;
use super::pieces::{Piece, Pieces};
use super::shape::{Frame, Shape};
use crate::bytes::{HEAD, Head, first_difference};
use crate::crew;
use crate::error::Result;
use crate::memory::budget::Budget;
use crate::merge::runs::Setting;
use crate::order::{Layout, Order};
use crate::output::part::Part;

/// More rows than this are sorted with the others.
const ROWS_MOST: u64 = 10_000;
/// Candidates beyond the wanted ones before some are dropped.
const SLACK: usize = 1 << 10;
/// What a candidate may take on average, for the decision whether the rows fit.
const ROW_BYTES: u64 = 1 << 10;

/// True when so few rows are wanted that this is the way.
pub(crate) fn worth_it(limit: u64, budget: Budget) -> bool {
    limit <= ROWS_MOST && limit * ROW_BYTES <= budget.total as u64 / 4
}

/// A line that may be among the first.
struct Candidate {
    key: Vec<u8>,
    line: Vec<u8>,
    /// Its place in the input.
    place: (u64, u64),
}

impl Candidate {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.key.len() + self.line.len()
    }
}

/// Candidates of one thread.
struct Best<'s> {
    shape: &'s Shape,
    order: Order,
    wanted: usize,
    candidates: Vec<Candidate>,
    threshold: Option<Threshold>,
    /// Bytes of the candidates, and how many there may be before some are dropped.
    bytes: usize,
    bytes_most: usize,
    share: usize,
}

struct Threshold {
    key: Vec<u8>,
    /// The first bytes of the key, zeros behind it, and how many of them are the key's.
    head: Head,
    known: usize,
    place: (u64, u64),
}

impl Threshold {
    fn new(key: &[u8], place: (u64, u64)) -> Self {
        let (mut head, known) = ([0; HEAD], key.len().min(HEAD));
        head[..known].copy_from_slice(&key[..known]);
        Self { key: key.to_vec(), head, known, place }
    }
}

impl<'s> Best<'s> {
    /// Candidates take about `share` bytes, unless as many as are wanted take more.
    fn new(shape: &'s Shape, wanted: usize, share: usize) -> Self {
        let (candidates, threshold) = (Vec::new(), None);
        Self {
            shape,
            order: shape.order(),
            wanted,
            candidates,
            threshold,
            bytes: 0,
            bytes_most: share,
            share,
        }
    }

    /// Whether the eights that a key and the threshold both have settle that it is not wanted.
    #[inline(always)]
    fn is_out(&self, key: &[u8]) -> bool {
        let Some(threshold) = &self.threshold else { return false };
        let eights = key.as_chunks::<8>().0.iter().zip(threshold.key.as_chunks::<8>().0);
        for (ours, most) in eights {
            if ours != most {
                return (u64::from_be_bytes(*ours) > u64::from_be_bytes(*most)) != self.order.descending;
            }
        }
        false
    }

    /// The same of a line of `len` bytes that begins these: the first that differs settles it wherever it is, without a
    /// branch for those before.
    #[inline(always)]
    fn is_out_at_once(&self, head: &Head, len: usize) -> bool {
        let Some(threshold) = &self.threshold else { return false };
        let differs = first_difference(head, &threshold.head);
        differs < len.min(threshold.known)
            && (head[differs] > threshold.head[differs]) != self.order.descending
    }

    /// Takes what is wanted of the lines of a piece, which are their own keys; how many lines there are.
    fn offer_lines(&mut self, bytes: &[u8], end: u8, piece: u64) -> u64 {
        let (mut start, mut rows) = (0, 0);
        each_stretch(bytes, end, |base, places| {
            for place in places {
                let at = base + usize::from(*place);
                let out = match bytes[start..].first_chunk() {
                    Some(head) => self.is_out_at_once(head, at - start),
                    None => self.is_out(&bytes[start..at]),
                };
                if !out {
                    let line = &bytes[start..at];
                    self.consider(line, line, (piece, rows));
                }
                start = at + 1;
                rows += 1;
            }
        });
        rows
    }

    fn order(&self, a: (&[u8], (u64, u64)), b: (&[u8], (u64, u64))) -> Ordering {
        // Not `Order::compare`: what the two share is of no use here, and this is what most lines cost.
        let order = a.0.cmp(b.0);
        let order = if self.order.descending { order.reverse() } else { order };
        order.then_with(|| a.1.cmp(&b.1))
    }

    /// Keeps a line unless it is certain not to be wanted.
    #[inline(always)]
    fn offer(&mut self, key: &[u8], line: &[u8], place: (u64, u64)) {
        if !self.is_out(key) {
            self.consider(key, line, place);
        }
    }

    /// The same of one whose eights do not settle it: few are.
    fn consider(&mut self, key: &[u8], line: &[u8], place: (u64, u64)) {
        if let Some(threshold) = &self.threshold
            && self.order((key, place), (&threshold.key, threshold.place)).is_gt()
        {
            return;
        }
        let line = if self.order.layout == Layout::Whole { Vec::new() } else { line.to_vec() };
        self.candidates.push(Candidate { key: key.to_vec(), line, place });
        self.bytes += self.candidates.last().map_or(0, Candidate::bytes);
        let (count, bytes) = (self.candidates.len(), self.bytes);
        if count >= 2 * self.wanted + SLACK || (bytes > self.bytes_most && count > self.wanted) {
            self.drop_some();
        }
    }

    /// Drops all but the wanted ones.
    fn drop_some(&mut self) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_unstable_by(|a, b| self.order((&a.key, a.place), (&b.key, b.place)));
        if self.shape.unique {
            candidates.dedup_by(|later, first| later.key == first.key);
        }
        candidates.truncate(self.wanted);
        if let Some(last) = candidates.last().filter(|_| candidates.len() == self.wanted) {
            self.threshold = Some(Threshold::new(&last.key, last.place));
        }
        self.candidates = candidates;
        self.bytes = self.candidates.iter().map(Candidate::bytes).sum();
        // Twice what has to stay, or every other one would be the one too many.
        self.bytes_most = self.share.max(2 * self.bytes);
    }
}

/// Reads everything and gives back the first `wanted` rows, which is not zero.
pub(crate) fn run(inputs: Inputs<'_>, shape: &Shape, wanted: usize, setting: Setting<'_>) -> Result<Part> {
    let Setting { budget, meter, .. } = setting;
    let pieces = Pieces::new(inputs, shape.frame, budget.piece(), meter);
    let share = budget.total / 8 / budget.threads;
    let best = Mutex::new(Best::new(shape, wanted, share));
    let work = || {
        let mut mine = Best::new(shape, wanted, share);
        let (mut buffer, mut key) = (Vec::new(), Vec::new());
        while let Some(Piece { number, place }) = pieces.next(&mut buffer) {
            let bytes = &buffer[place];
            let rows = match (shape.frame, &shape.keys) {
                (Frame::Delimited(end), None) => mine.offer_lines(bytes, end, number),
                _ => shape.frame.records(bytes).fold(0, |rows, line| {
                    mine.offer(key_of(shape, line, &mut key), line, (number, rows));
                    rows + 1
                }),
            };
            meter.read_rows(usize::try_from(rows).unwrap_or(usize::MAX));
        }
        best.lock().expect("no panic under the lock").candidates.append(&mut mine.candidates);
    };
    crew::together(budget.threads.get(), work);
    pieces.finish()?;
    let mut best = best.into_inner().expect("no panic under the lock");
    best.drop_some();
    Ok(lines(&best, shape))
}

/// The key of a line, made in `room` if it is not the line itself.
fn key_of<'k>(shape: &Shape, line: &'k [u8], room: &'k mut Vec<u8>) -> &'k [u8] {
    let Some(keys) = &shape.keys else { return line };
    room.clear();
    keys.encode(line, room);
    if shape.order().layout == Layout::KeyThenLine {
        room.extend_from_slice(line);
    }
    room
}

fn lines(best: &Best<'_>, shape: &Shape) -> Part {
    let mut part = Part::default();
    for candidate in &best.candidates {
        let line = if shape.order().layout == Layout::Whole { &candidate.key } else { &candidate.line };
        part.bytes.extend_from_slice(line);
        if let Frame::Delimited(end) = shape.frame {
            part.bytes.push(end);
        }
        part.rows += 1;
    }
    part
}
