//! Runs in temporary files: nameless, so that nothing is left behind however the program ends.
//!
//! ```text
//!   one file per folder, runs one behind the other      one descriptor a folder whatever the number of runs
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FallocateFlags, Mode, OFlags};

use super::{Storage, StoredRun};

/// Keeps runs in nameless files of these folders, which take turns.
///
/// Nothing is opened before the first run. Files are gone when the storage and its runs are, also after `kill -9`.
///
/// ```
/// use skipsort_external::{ExternalSorter, FileStorage, Options};
///
/// let storage = FileStorage::new([std::env::temp_dir()]);
/// let mut sorter = ExternalSorter::new(Options::new(64 << 10), storage)?;
/// for number in (0..10_000u32).rev() {
///     sorter.push(&number.to_be_bytes(), b"")?;
/// }
/// assert_eq!(sorter.finish()?.next().unwrap()?.key(), [0; 4]);
/// # Ok::<(), skipsort_external::Error>(())
/// ```
#[derive(Debug)]
pub struct FileStorage {
    folders: Vec<PathBuf>,
    /// The file in each folder that has one.
    files: Vec<Shared>,
}

/// A file, and where its last run ends.
#[derive(Clone, Debug)]
struct Shared {
    file: Arc<File>,
    end: Arc<AtomicU64>,
}

impl FileStorage {
    /// Without a folder it is that for the system's temporary files.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut folders: Vec<PathBuf> = folders.into_iter().collect();
        if folders.is_empty() {
            folders.push(std::env::temp_dir());
        }
        FileStorage { folders, files: Vec::new() }
    }

    /// An open file in the folder without a name, or one that loses it at once where the file system has none of these.
    /// For storages that are built on this one.
    pub fn nameless(folder: &Path) -> io::Result<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::EXCL;
        match rustix::fs::open(folder, flags, Mode::from_raw_mode(0o600)) {
            Ok(file) => return Ok(File::from(file)),
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
        for attempt in 0.. {
            let path = folder.join(format!(".skipsort-{}-{attempt}", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => return std::fs::remove_file(&path).map(|()| file),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {}
                Err(error) => return Err(error),
            }
        }
        unreachable!("the loop ends with its last attempt")
    }

    fn turn(&self, number: u64) -> usize {
        (number % self.folders.len() as u64) as usize
    }
}

impl Storage for FileStorage {
    fn create(&mut self, number: u64) -> io::Result<Box<dyn StoredRun>> {
        let at = self.turn(number);
        while self.files.len() <= at {
            let file = Arc::new(FileStorage::nameless(&self.folders[self.files.len()])?);
            self.files.push(Shared { file, end: Arc::default() });
        }
        let shared = self.files[at].clone();
        let start = shared.end.load(Ordering::Relaxed);
        Ok(Box::new(Stretch { shared, start, len: 0 }))
    }

    fn place(&self, number: u64) -> String {
        self.folders[self.turn(number)].display().to_string()
    }
}

/// A run's part of the file.
struct Stretch {
    shared: Shared,
    start: u64,
    len: u64,
}

impl Write for Stretch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.shared.file.write_at(bytes, self.start + self.len)?;
        self.len += written as u64;
        self.shared.end.fetch_max(self.start + self.len, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl StoredRun for Stretch {
    fn reader(&self, from: u64, to: u64) -> io::Result<Box<dyn Read + Send>> {
        let file = Arc::clone(&self.shared.file);
        Ok(Box::new(Reader { file, at: self.start + from, end: self.start + to.min(self.len).max(from) }))
    }

    fn release(&self, from: u64, to: u64) {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        // Where files cannot have holes the space is free when the program ends.
        let _ = rustix::fs::fallocate(&*self.shared.file, flags, self.start + from, (to - from).max(1));
    }
}

struct Reader {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Read for Reader {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(room.len());
        let read = self.file.read_at(&mut room[..most], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
