//! One writer per results file.
//!
//! The lock is on a file beside it (`results.sqlite.lock`). SQLite's own locks last for one transaction, and closing a
//! second handle on the database file would drop them. The kernel releases the lock when its holder ends, even by a
//! kill, so that no stale lock is possible.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use humdrum_model::Fault;
use same_file::Handle;

use crate::faults::locked;

/// The lock of a run that writes its file. Dropping it removes the lock's file.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

/// Why a lock was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// Another process has it.
    Held,
    /// Its file cannot be made there.
    Unwritable,
}

impl NotTaken {
    /// What to tell a user who wants to write the results.
    pub(crate) fn fault(self, results: &Path) -> Fault {
        match self {
            Self::Held => locked(results),
            Self::Unwritable => Fault::usage(format!("cannot write {}", side_file(results).display()))
                .hint("choose another folder with --out, or make this one writable"),
        }
    }
}

impl Lock {
    /// Takes the lock of a results file.
    pub(crate) fn take(results: &Path) -> Result<Self, NotTaken> {
        let path = side_file(results);
        loop {
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(|_| NotTaken::Unwritable)?;
            match file.try_lock() {
                Ok(()) if is_still_there(&file, &path) => return Ok(Self { path, _file: file }),
                // Its last holder removed the file between our opening and locking it. Try again with a new one.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(NotTaken::Held),
                Err(TryLockError::Error(_)) => return Err(NotTaken::Unwritable),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock is still held, so that no other process has taken it. One that has opened the file notices, above.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn side_file(results: &Path) -> PathBuf {
    let mut name = results.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn is_still_there(file: &File, path: &Path) -> bool {
    match (file.try_clone().and_then(Handle::from_file), Handle::from_path(path)) {
        (Ok(held), Ok(named)) => held == named,
        _ => false,
    }
}
