//! Counters that all threads share, and the way to stop them.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// What is going on.
///
/// ```
/// assert_eq!(skipsort_external::Meter::new().seen().phase, skipsort_external::Phase::Reading);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Rows are taken in.
    Reading,
    /// Rows in memory are sorted and spilled.
    Sorting,
    /// Runs are merged, into another run or the output.
    Merging,
    /// Rows in memory are sorted into the output.
    Writing,
}

type Watch = dyn Fn(&Progress) -> ControlFlow<()> + Send + Sync;

/// Counts what one sort does, and stops it. Threads of the caller may look at any time.
///
/// ```
/// use std::{ops::ControlFlow, sync::Arc};
/// use skipsort_external::{Error, ExternalSorter, MemoryStorage, Meter, Options};
///
/// let mut options = Options::new(64 << 10);
/// options.meter = Arc::new(Meter::watched(|progress| {
///     if progress.bytes_spilled > 100_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// }));
/// let mut sorter = ExternalSorter::new(options, MemoryStorage::default())?;
/// let ended = (0..1_000_000u32).try_for_each(|row| sorter.push(&row.to_le_bytes(), b""));
/// assert!(matches!(ended, Err(Error::Cancelled)));
/// # Ok::<(), Error>(())
/// ```
pub struct Meter {
    start: Instant,
    watch: Option<Box<Watch>>,
    cancelled: AtomicBool,
    phase: AtomicU8,
    bytes_read: AtomicU64,
    rows_read: AtomicU64,
    bytes_written: AtomicU64,
    rows_written: AtomicU64,
    bytes_spilled: AtomicU64,
    runs: AtomicU64,
    merges: AtomicU64,
    first_row: OnceLock<Duration>,
    last_row: OnceLock<Duration>,
}

impl Meter {
    /// All counters are zero, and the time starts.
    pub fn new() -> Self {
        Meter {
            start: Instant::now(),
            watch: None,
            cancelled: AtomicBool::new(false),
            phase: AtomicU8::new(Phase::Reading as u8),
            bytes_read: AtomicU64::new(0),
            rows_read: AtomicU64::new(0),
            bytes_written: AtomicU64::new(0),
            rows_written: AtomicU64::new(0),
            bytes_spilled: AtomicU64::new(0),
            runs: AtomicU64::new(0),
            merges: AtomicU64::new(0),
            first_row: OnceLock::new(),
            last_row: OnceLock::new(),
        }
    }

    /// With a function that is called at every batch: some thousand rows, or a part of a run or of the output. Several
    /// threads may call it at the same time. `Break` cancels the sort.
    pub fn watched(watch: impl Fn(&Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Meter { watch: Some(Box::new(watch)), ..Meter::new() }
    }

    /// Ends the sort with [`Error::Cancelled`] at its next batch. One step of the sort of a full memory is not
    /// interrupted: a pass over the rows.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// A batch is done: tells the watch, and whether to go on.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(watch) = &self.watch
            && !self.cancelled.load(Relaxed)
            && watch(&self.seen()).is_break()
        {
            self.cancel();
        }
        if self.cancelled.load(Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
    }

    pub(crate) fn read(&self, bytes: usize) {
        self.bytes_read.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn read_rows(&self, rows: usize) {
        self.rows_read.fetch_add(rows as u64, Relaxed);
    }

    /// Rows that have just been written out.
    pub(crate) fn wrote(&self, rows: u64, bytes: usize) {
        if rows > 0 {
            self.first_row.get_or_init(|| self.start.elapsed());
        }
        self.rows_written.fetch_add(rows, Relaxed);
        self.bytes_written.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn spilled(&self, bytes: u64) {
        self.runs.fetch_add(1, Relaxed);
        self.bytes_spilled.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn merged(&self) {
        self.merges.fetch_add(1, Relaxed);
    }

    /// The last row is out: what [`Progress::last_row`] is from now on.
    pub fn done(&self) {
        let _ = self.last_row.set(self.start.elapsed());
    }

    /// The counters now.
    pub fn seen(&self) -> Progress {
        let phases = [Phase::Reading, Phase::Sorting, Phase::Merging, Phase::Writing];
        let elapsed = self.start.elapsed();
        Progress {
            phase: phases[usize::from(self.phase.load(Relaxed))],
            bytes_read: self.bytes_read.load(Relaxed),
            rows_read: self.rows_read.load(Relaxed),
            bytes_written: self.bytes_written.load(Relaxed),
            rows_written: self.rows_written.load(Relaxed),
            bytes_spilled: self.bytes_spilled.load(Relaxed),
            runs: self.runs.load(Relaxed),
            merges: self.merges.load(Relaxed),
            first_row: self.first_row.get().copied(),
            last_row: self.last_row.get().copied().unwrap_or(elapsed),
        }
    }
}

impl Default for Meter {
    fn default() -> Self {
        Meter::new()
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Meter").field(&self.seen()).finish()
    }
}

/// The counters of a [`Meter`] at one moment.
///
/// ```
/// use std::sync::Arc;
/// use skipsort_external::{ExternalSorter, MemoryStorage, Options};
///
/// let options = Options::new(1 << 20);
/// let meter = Arc::clone(&options.meter);
/// let mut sorter = ExternalSorter::new(options, MemoryStorage::default())?;
/// sorter.push(b"key", b"payload")?;
/// sorter.finish()?.for_each(drop);
/// assert_eq!((meter.seen().rows_read, meter.seen().rows_written), (1, 1));
/// # Ok::<(), skipsort_external::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// What is going on.
    pub phase: Phase,
    /// Bytes of the input.
    pub bytes_read: u64,
    /// Rows of the input, counted when the memory is full or the input ends.
    pub rows_read: u64,
    /// Bytes of the output.
    pub bytes_written: u64,
    /// Rows of the output.
    pub rows_written: u64,
    /// Bytes of all runs that were written.
    pub bytes_spilled: u64,
    /// Runs that were written.
    pub runs: u64,
    /// Merges that were begun.
    pub merges: u64,
    /// When the first row came out.
    pub first_row: Option<Duration>,
    /// When the last row came out, or now.
    pub last_row: Duration,
}
