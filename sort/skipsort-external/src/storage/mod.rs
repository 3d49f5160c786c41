//! Where spilled runs are kept: files (`file.rs`), memory (`memory.rs`), or the caller's own.

mod file;
mod memory;

use std::io::{self, Read, Write};

pub use file::FileStorage;
pub use memory::MemoryStorage;

/// Keeps the runs of one sort.
///
/// A storage need not be trusted: every block of a run has a length and a checksum, and what comes back differently is
/// [`Error::Corrupt`](crate::Error::Corrupt). One run is written at a time; many are read at a time, by all threads.
///
/// ```
/// use std::io::{self, Read, Write};
/// use skipsort_external::{ExternalSorter, MemoryStorage, Options, Storage, StoredRun};
///
/// /// Refuses to keep more than so many runs.
/// struct AtMost(u64, MemoryStorage);
///
/// impl Storage for AtMost {
///     fn create(&mut self, number: u64) -> io::Result<Box<dyn StoredRun>> {
///         if number < self.0 { self.1.create(number) } else { Err(io::ErrorKind::QuotaExceeded.into()) }
///     }
///     fn place(&self, _: u64) -> String {
///         "a small cupboard".into()
///     }
/// }
///
/// let mut sorter = ExternalSorter::new(Options::new(64 << 10), AtMost(3, MemoryStorage::default()))?;
/// let refused = (0..100_000u32).try_for_each(|n| sorter.push(&n.to_le_bytes(), b"")).unwrap_err();
/// assert!(refused.to_string().starts_with("cannot write run 3 in a small cupboard"));
/// # Ok::<(), skipsort_external::Error>(())
/// ```
pub trait Storage: Send {
    /// Begins a run. Numbers count from 0.
    fn create(&mut self, number: u64) -> io::Result<Box<dyn StoredRun>>;

    /// Where the run of this number is, for messages.
    fn place(&self, number: u64) -> String;

    /// How many runs may be kept at once, at least 2: they are merged before there are more. A merge writes one beside those
    /// that it reads.
    fn runs_most(&self) -> usize {
        usize::MAX
    }

    /// True when a run can only be read as a whole, from its start to its end. One thread merges then.
    fn sequential(&self) -> bool {
        false
    }
}

/// A run, which is written once and then read. Dropping it removes it.
///
/// `write` may take less than it is given. `flush` is called once, when all is written; what it returns without an error
/// can be read.
///
/// ```
/// use std::io::{Read, Write};
/// use skipsort_external::{MemoryStorage, Storage};
///
/// let mut run = MemoryStorage::default().create(0)?;
/// run.write_all(b"0123456789")?;
/// run.flush()?;
/// let mut text = String::new();
/// run.reader(3, 7)?.read_to_string(&mut text)?;
/// assert_eq!(text, "3456");
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait StoredRun: Write + Send + Sync {
    /// Reads the bytes from `from` to `to`; a reader may also go on beyond `to`.
    fn reader(&self, from: u64, to: u64) -> io::Result<Box<dyn Read + Send>>;

    /// These bytes will not be read again, so their room may be given back.
    fn release(&self, from: u64, to: u64) {
        let _ = (from, to);
    }
}
