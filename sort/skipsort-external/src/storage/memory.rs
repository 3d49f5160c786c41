//! Runs in memory: for tests, and where memory beyond the sort's own is to spare.

use std::io::{self, Read, Write};
use std::sync::Arc;

use super::{Storage, StoredRun};

/// Keeps runs in memory.
///
/// ```
/// use skipsort_external::{ExternalSorter, MemoryStorage, Options};
///
/// let mut sorter = ExternalSorter::new(Options::new(1 << 20), MemoryStorage::default())?;
/// sorter.push(b"b", b"1")?;
/// sorter.push(b"a", b"2")?;
/// let payloads = sorter.finish()?.map(|row| row.map(|row| row.payload().to_vec()));
/// assert_eq!(payloads.collect::<Result<Vec<_>, _>>()?, [b"2", b"1"]);
/// # Ok::<(), skipsort_external::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage(());

impl Storage for MemoryStorage {
    fn create(&mut self, _: u64) -> io::Result<Box<dyn StoredRun>> {
        Ok(Box::new(Kept::default()))
    }

    fn place(&self, _: u64) -> String {
        "memory".into()
    }
}

#[derive(Default)]
struct Kept(Arc<Vec<u8>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Arc::make_mut(&mut self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl StoredRun for Kept {
    fn reader(&self, from: u64, to: u64) -> io::Result<Box<dyn Read + Send>> {
        let place = |at| usize::try_from(at).unwrap_or(usize::MAX).min(self.0.len());
        Ok(Box::new(Stretch { bytes: Arc::clone(&self.0), at: place(from), end: place(to) }))
    }
}

struct Stretch {
    bytes: Arc<Vec<u8>>,
    at: usize,
    end: usize,
}

impl Read for Stretch {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = (&self.bytes[self.at..self.end]).read(room)?;
        self.at += read;
        Ok(read)
    }
}
