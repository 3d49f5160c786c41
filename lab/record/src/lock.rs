//! One writer per results file.
//!
//! A lock of its own on a side file (`results.sqlite.lock`), because SQLite's own locks come and go with each
//! transaction, and because closing a second handle on the database file would drop them. The kernel gives
//! the lock up when its holder dies, however it dies, so a stale one cannot exist.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use humdrum_model::Fault;

use crate::faults::locked;

/// Held while a run writes its file; removes the side file when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock of a results file, or says who has it.
    pub(crate) fn take(results: &Path) -> Result<Self, Fault> {
        let path = side_file(results);
        loop {
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(|error| unwritable(&path, &error))?;
            match file.try_lock() {
                Ok(()) if is_still_there(&file, &path) => return Ok(Self { path, _file: file }),
                // Its last holder removed it between our opening and locking it: again, with a new one.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(locked(results)),
                Err(TryLockError::Error(error)) => return Err(unwritable(&path, &error)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the lock is still held: nobody else can have taken it, and who has it open notices (above).
        let _ = std::fs::remove_file(&self.path);
    }
}

fn side_file(results: &Path) -> PathBuf {
    let mut name = results.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn is_still_there(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(held), Ok(named)) => (held.dev(), held.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::usage(format!("cannot write {}: {error}", path.display())).hint("choose another folder with --out")
}
