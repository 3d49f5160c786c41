//! Counters that all threads share: what `--progress` shows and `--stats` says.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    Reading,
    Sorting,
    Merging,
    Writing,
}

/// Counted since the start. Relaxed: nobody decides anything by these numbers.
#[derive(Debug)]
pub(crate) struct Meter {
    start: Instant,
    phase: AtomicU8,
    bytes_read: Arc<AtomicU64>,
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
    pub(crate) fn new() -> Self {
        Meter {
            start: Instant::now(),
            phase: AtomicU8::new(Phase::Reading as u8),
            bytes_read: Arc::default(),
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

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
    }

    pub(crate) fn read(&self, bytes: usize) {
        self.bytes_read.fetch_add(bytes as u64, Relaxed);
    }

    /// The counter of bytes read, for who outlives a borrow.
    pub(crate) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
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

    /// The last row is out.
    pub(crate) fn done(&self) {
        let _ = self.last_row.set(self.start.elapsed());
    }

    pub(crate) fn seen(&self) -> Seen {
        let phases = [Phase::Reading, Phase::Sorting, Phase::Merging, Phase::Writing];
        let elapsed = self.start.elapsed();
        Seen {
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

/// The counters at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) phase: Phase,
    pub(crate) bytes_read: u64,
    pub(crate) rows_read: u64,
    pub(crate) bytes_written: u64,
    pub(crate) rows_written: u64,
    pub(crate) bytes_spilled: u64,
    pub(crate) runs: u64,
    pub(crate) merges: u64,
    pub(crate) first_row: Option<Duration>,
    pub(crate) last_row: Duration,
}
