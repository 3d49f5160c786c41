//! Rows that fit into memory: their keys are sorted as far as batches are asked for, and columns are gathered last.
//!
//! ```text
//!   sorted     | range |  range  | range | ...      by several threads, leftmost first
//!   slots      |  0  |  1  |  2  |  3  | ...        the rows of a batch each; whoever has the last of its rows makes the batch
//!   leaves     0, 1, 2, ...                         one after the other
//! ```

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Result;
use skipsort::{Consumer, ReadFrom, Text, TextRow};

use crate::buffer::Buffer;
use crate::external::Wanted;
use crate::keys::KeyMaker;
use crate::others::Others;

/// Rows that may be made into batches before those that leave next, for each thread: what a range has at most.
const AHEAD: usize = 1 << 16;

/// Who takes batches, until it returns false.
pub(crate) type Take<'t> = &'t mut (dyn FnMut(RecordBatch) -> bool + Send);

impl Buffer {
    /// Gives rows in order to `take`, in batches; few stay in those in which they came.
    pub(crate) fn emit(
        &mut self,
        (keys, few): (&KeyMaker, bool),
        wanted: Wanted,
        threads: NonZeroUsize,
        take: Take<'_>,
    ) -> Result<()> {
        self.sorted(|text, (rows, spare), loader, kept| {
            let slots = Slots {
                begun: BTreeMap::new(),
                made: BTreeMap::new(),
                next: 0,
                leaving: false,
                over: false,
                done: Ok(()),
            };
            let output = Output {
                gather: Gather { text, keys, others: Others::of(&kept.batches, few) },
                all: kept.count.min(wanted.most),
                size: wanted.size,
                ahead: (threads.get() * AHEAD).div_ceil(wanted.size) + 1,
                slots: Mutex::new(slots),
                take: Mutex::new(take),
            };
            text.sort(rows, spare, loader, threads, ReadFrom::Start, &output);
            output.slots.into_inner().expect("a panic of the sort would have ended this function").done
        })
    }
}

/// Where a row is, and the value that a column is made of.
type Place<'b> = (usize, Option<&'b [u8]>);

/// Where the sort leaves its rows.
struct Output<'b, 't> {
    gather: Gather<'b>,
    /// Rows that are wanted.
    all: usize,
    size: usize,
    /// Batches that may be made before those that leave next.
    ahead: usize,
    slots: Mutex<Slots<'b>>,
    take: Mutex<Take<'t>>,
}

/// What has become of batches.
struct Slots<'b> {
    /// Some of whose rows are still missing: how many, and those that are there.
    begun: BTreeMap<usize, (usize, Vec<Place<'b>>)>,
    made: BTreeMap<usize, RecordBatch>,
    /// The batch that leaves next.
    next: usize,
    /// A thread is at it.
    leaving: bool,
    /// Nobody takes more.
    over: bool,
    done: Result<()>,
}

impl Consumer for Output<'_, '_> {
    fn ready(&self, at: usize) -> bool {
        at / self.size < self.slots().next + self.ahead
    }

    fn consume(&self, range: Range<usize>, rows: &[TextRow]) {
        let Gather { text, keys, .. } = &self.gather;
        let made = keys.layout.has_key();
        let value = |row: TextRow| if made { keys.value(text.key(row)) } else { None };
        self.rows(range.start, rows.len(), |row| (rows[row].start(), value(rows[row])));
    }

    fn wants_more(&self) -> bool {
        let slots = self.slots();
        slots.done.is_ok() && !slots.over && slots.next * self.size < self.all
    }
}

impl<'b> Output<'b, '_> {
    fn slots(&self) -> MutexGuard<'_, Slots<'b>> {
        self.slots.lock().expect("a panic ends the sort")
    }

    /// Takes `count` rows, the first of which is number `at` of the output.
    fn rows(&self, at: usize, count: usize, row: impl Fn(usize) -> Place<'b>) {
        let end = (at + count).min(self.all);
        let mut from = at;
        while from < end {
            let slot = from / self.size;
            let whole = slot * self.size..((slot + 1) * self.size).min(self.all);
            let to = end.min(whole.end);
            let rows = (from..to).map(|number| row(number - at));
            let rows = if to - from == whole.len() {
                Some(rows.collect())
            } else {
                self.completed(slot, &whole, from, rows)
            };
            if let Some(rows) = rows {
                self.leave(slot, self.gather.batch(&rows));
            }
            from = to;
        }
    }

    /// The rows of a slot, if these, from `from` on, were the last that it missed.
    fn completed(
        &self,
        slot: usize,
        whole: &Range<usize>,
        from: usize,
        rows: impl ExactSizeIterator<Item = Place<'b>>,
    ) -> Option<Vec<Place<'b>>> {
        let mut slots = self.slots();
        let begun = slots.begun.entry(slot).or_insert_with(|| (whole.len(), vec![(0, None); whole.len()]));
        begun.0 -= rows.len();
        begun.1[from - whole.start..].iter_mut().zip(rows).for_each(|(place, row)| *place = row);
        if begun.0 == 0 { slots.begun.remove(&slot).map(|(_, rows)| rows) } else { None }
    }

    /// The batch of a slot leaves, when those before it have.
    fn leave(&self, slot: usize, batch: Result<RecordBatch>) {
        let mut slots = self.slots();
        match batch {
            Ok(batch) => slots.made.insert(slot, batch),
            Err(error) => return slots.done = Err(error),
        };
        if std::mem::replace(&mut slots.leaving, true) {
            return;
        }
        while slots.done.is_ok() && !slots.over {
            let next = slots.next;
            let Some(batch) = slots.made.remove(&next) else { break };
            drop(slots);
            let wanted = (self.take.lock().expect("a panic ends the sort"))(batch);
            slots = self.slots();
            slots.next = next + 1;
            slots.over = !wanted;
        }
        slots.leaving = false;
    }
}

/// Makes batches.
struct Gather<'b> {
    text: Text<'b>,
    keys: &'b KeyMaker,
    others: Others<'b>,
}

impl Gather<'_> {
    fn batch(&self, rows: &[Place<'_>]) -> Result<RecordBatch> {
        let (starts, values): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
        let (layout, text) = (&self.keys.layout, self.text.bytes());
        let others = self.others.gather(layout.numbers(&starts, text))?;
        layout.batch(&starts, text, &values, &others)
    }
}
