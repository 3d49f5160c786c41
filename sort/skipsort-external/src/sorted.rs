//! Sorted rows, one at a time.

use std::sync::Arc;

use crate::error::Result;
use crate::memory::pushed::Pushed;
use crate::merge::tournament::Tournament;
use crate::order::{Order, lengths};
use crate::output::writer::Distinct;
use crate::progress::Meter;
use crate::run::coded::{Bounds, Coded, Reuse};
use crate::run::store::Run;
use crate::source::Source;

/// Rows between two looks at whether to go on.
const BATCH: u64 = 1 << 12;

/// A row that has been taken out of its sort.
///
/// ```
/// # use skipsort_external::{ExternalSorter, MemoryStorage, Options};
/// # let mut sorter = ExternalSorter::new(Options::new(1 << 20), MemoryStorage::default())?;
/// sorter.push(b"key", b"payload")?;
/// let row = sorter.finish()?.next().unwrap()?;
/// assert_eq!((row.key(), row.payload()), (&b"key"[..], &b"payload"[..]));
/// # Ok::<(), skipsort_external::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    bytes: Vec<u8>,
    key_len: usize,
}

impl Row {
    /// The bytes by which it was sorted.
    pub fn key(&self) -> &[u8] {
        &self.bytes[..self.key_len]
    }

    /// The bytes that came with the key.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.key_len..]
    }
}

/// Rows in the order of their keys, equal ones in the order in which they were pushed; merged as they are asked for, by
/// the thread that asks.
///
/// As an iterator it copies every row. [`Sorted::advance`] does not. An error ends it.
///
/// ```
/// # use skipsort_external::{ExternalSorter, MemoryStorage, Options};
/// # let mut sorter = ExternalSorter::new(Options::new(1 << 20), MemoryStorage::default())?;
/// for key in ["pear", "fig", "apple"] {
///     sorter.push(key.as_bytes(), b"")?;
/// }
/// let mut sorted = sorter.finish()?;
/// let mut bytes = 0;
/// while sorted.advance()? {
///     bytes += sorted.key().len() + sorted.payload().len();
/// }
/// assert_eq!(bytes, 12);
/// # Ok::<(), skipsort_external::Error>(())
/// ```
pub struct Sorted {
    rows: Rows,
    distinct: Distinct,
    meter: Arc<Meter>,
    given: u64,
    /// Rows and bytes that the meter has not been told of.
    untold: (u64, usize),
    ended: bool,
}

enum Rows {
    Memory(Box<InMemory>),
    Merge(Box<Merge>),
}

impl Sorted {
    /// Rows that have been sorted where they are.
    pub(crate) fn in_memory(rows: Pushed, order: Order, meter: Arc<Meter>) -> Self {
        let rows = InMemory { rows, at: 0, start: 0, key_len: 0, payload_len: 0, before: None };
        Sorted::new(Rows::Memory(Box::new(rows)), order, meter)
    }

    /// Merges runs, each with a buffer of so many bytes.
    pub(crate) fn merge(runs: Vec<Run>, input: usize, order: Order, meter: Arc<Meter>) -> Result<Self> {
        meter.merged();
        let (mut sources, mut live) = (Vec::with_capacity(runs.len()), Vec::with_capacity(runs.len()));
        for run in &runs {
            let stretch = run.stretch(0, run.coded)?;
            let mut source = Coded::new(order, stretch, Bounds::default(), input, Reuse::default());
            live.push(source.start()?);
            sources.push(source);
        }
        let tournament = Tournament::new(sources, &live, order.descending);
        let merge = Merge { tournament, stands: false, _runs: runs };
        Ok(Sorted::new(Rows::Merge(Box::new(merge)), order, meter))
    }

    fn new(rows: Rows, order: Order, meter: Arc<Meter>) -> Self {
        Sorted { rows, distinct: Distinct::new(order), meter, given: 0, untold: (0, 0), ended: false }
    }

    /// Goes to the next row; false when there is none.
    pub fn advance(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        self.ended = true;
        if !self.step()? {
            self.tell();
            self.meter.done();
            return Ok(false);
        }
        self.given += 1;
        let (key, payload) = self.row();
        self.untold = (self.untold.0 + 1, self.untold.1 + key.len() + payload.len());
        if self.given == 1 || self.given.is_multiple_of(BATCH) {
            self.tell();
            self.meter.check()?;
        }
        self.ended = false;
        Ok(true)
    }

    fn tell(&mut self) {
        let (rows, bytes) = std::mem::take(&mut self.untold);
        self.meter.wrote(rows, bytes);
    }

    fn step(&mut self) -> Result<bool> {
        loop {
            let shared = match &mut self.rows {
                Rows::Memory(rows) => rows.step(self.distinct.counts()),
                Rows::Merge(merge) => merge.step()?,
            };
            let Some(shared) = shared else { return Ok(false) };
            if !self.distinct.counts() || self.distinct.wants(self.key().len(), shared) {
                return Ok(true);
            }
        }
    }

    /// The current row's key; before the first row and behind the last one it is empty.
    pub fn key(&self) -> &[u8] {
        self.row().0
    }

    /// The current row's payload.
    pub fn payload(&self) -> &[u8] {
        self.row().1
    }

    /// Both.
    #[inline]
    pub fn row(&self) -> (&[u8], &[u8]) {
        match &self.rows {
            Rows::Memory(rows) => (rows.key(), rows.payload()),
            Rows::Merge(merge) => merge.current().map_or((&[], &[]), |source| (source.key(), source.line())),
        }
    }
}

impl Iterator for Sorted {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        match self.advance() {
            Ok(true) => {
                let key_len = self.key().len();
                Some(Ok(Row { bytes: [self.key(), self.payload()].concat(), key_len }))
            }
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Rows that were never spilled.
struct InMemory {
    rows: Pushed,
    /// The next row.
    at: usize,
    /// Where the current one is.
    start: usize,
    key_len: usize,
    payload_len: usize,
    /// Where the key before is, if there is one.
    before: Option<(usize, usize)>,
}

impl InMemory {
    /// Goes to the next row; what its key shares with the one before, if `counts`.
    fn step(&mut self, counts: bool) -> Option<usize> {
        let Some(start) = self.rows.row(self.at) else {
            (self.key_len, self.payload_len) = (0, 0);
            return None;
        };
        if self.at > 0 {
            self.before = Some((self.start, self.key_len));
        }
        let text = self.rows.text();
        self.start = start;
        (self.key_len, self.payload_len) = lengths(text, start);
        self.at += 1;
        let before = self.before.filter(|_| counts).map_or(&[][..], |(at, len)| &text[at..][..len]);
        Some(crate::bytes::common(before, self.key(), 0))
    }

    fn key(&self) -> &[u8] {
        &self.rows.text()[self.start..][..self.key_len]
    }

    fn payload(&self) -> &[u8] {
        &self.rows.text()[self.start + self.key_len..][..self.payload_len]
    }
}

struct Merge {
    tournament: Tournament<Coded<'static>>,
    /// The winner is the current row.
    stands: bool,
    /// Kept while they are read.
    _runs: Vec<Run>,
}

impl Merge {
    /// Goes to the next row; what its key shares with the one before.
    fn step(&mut self) -> Result<Option<usize>> {
        if std::mem::replace(&mut self.stands, true) {
            self.tournament.advance()?;
        }
        Ok(self.tournament.winner().map(|(_, shared)| shared))
    }

    fn current(&self) -> Option<&Coded<'static>> {
        self.tournament.winner().filter(|_| self.stands).map(|(source, _)| source)
    }
}
