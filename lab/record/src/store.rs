//! An open results file: creating, opening, locking and finishing it.

use std::path::{Path, PathBuf};

use humdrum_model::{Fault, Results};
use rusqlite::{Connection, ErrorCode};
use tempfile::TempPath;

use crate::faults::writing;
use crate::lock::{Lock, NotTaken};
use crate::open::{self, Older, Opened};

/// An open results file. If it is dropped without `finish`, nothing that was appended is lost.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) lock: Option<Lock>,
    /// The copy that is read instead of the file, which has an older schema. It is removed after the connection is closed.
    pub(crate) copy: Option<TempPath>,
}

impl Store {
    /// Creates and locks a new results file with what is known before the first block (`tool`, `started`, `plan`,
    /// `host`, `aa_floor`, `metrics`). Everything else in `header` is appended too.
    ///
    /// # Errors
    /// Usage: the file exists, or it cannot be created there.
    pub fn create(path: &Path, header: &Results) -> Result<Self, Fault> {
        let (connection, lock) = open::create(path)?;
        let mut store = Self { connection, path: path.to_owned(), lock: Some(lock), copy: None };
        store.prepare_for_appending()?;
        store.append_all(header)?;
        Ok(store)
    }

    /// Opens a results file for reading. Call `lock` before appending. An older schema is brought up to date.
    ///
    /// # Errors
    /// Usage: no such file, not a results file, made by a newer humdrum, damaged.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        Ok(Self::opened(open::open(path)?, path))
    }

    /// Opens a results file without checking all pages. For files that are read whole afterwards, or of which little is read:
    /// reading finds damage as well.
    ///
    /// # Errors
    /// As `open`.
    pub fn open_quickly(path: &Path) -> Result<Self, Fault> {
        Ok(Self::opened(open::open_quickly(path, Older::UpToDate)?, path))
    }

    /// The same of a file that stays as it is, also if it has an older schema: a copy is read then.
    ///
    /// # Errors
    /// As `open`. Environment: there is no room for the copy.
    pub fn open_unchanged(path: &Path) -> Result<Self, Fault> {
        Ok(Self::opened(open::open_quickly(path, Older::Unchanged)?, path))
    }

    fn opened(Opened { connection, copy }: Opened, path: &Path) -> Self {
        Self { connection, path: path.to_owned(), lock: None, copy }
    }

    /// Whether a copy is read, because the file has an older schema and stays as it is.
    pub(crate) fn is_migrated_copy(&self) -> bool {
        self.copy.is_some()
    }

    /// Makes this the only writer of the file until it is dropped. After `create`, this does nothing.
    ///
    /// # Errors
    /// Usage: another humdrum has it, or the file cannot be written.
    pub fn lock(&mut self) -> Result<(), Fault> {
        if self.lock.is_none() {
            if self.is_migrated_copy() {
                return Err(NotTaken::Unwritable.fault(&self.path));
            }
            self.lock = Some(Lock::take(&self.path).map_err(|error| error.fault(&self.path))?);
            self.prepare_for_appending()?;
        }
        Ok(())
    }

    /// Marks the run as finished and moves everything into the one file, without a `-wal` beside it. Somebody who reads the file
    /// meanwhile keeps that one there until they close it, which is no fault of the run.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.set_meta("finished", "1")?;
        let moved = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .and_then(|()| self.connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())));
        match moved {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
            moved => moved.map_err(|error| writing(&self.path, &error)),
        }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets WAL with synchronous=NORMAL, where a commit is a write to the kernel without an fsync. Killing this program
    /// loses nothing, because the kernel has the bytes. Only a crash of the host may lose the last blocks, and the file
    /// stays consistent. With FULL, each block would fsync between slices of milliseconds and disturb the measurement.
    /// SQLite's automatic checkpoints fsync too, so they are off. `append_session` checkpoints instead, when servers
    /// restart.
    fn prepare_for_appending(&mut self) -> Result<(), Fault> {
        let pragmas =
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;";
        self.connection.set_prepared_statement_cache_capacity(32);
        self.connection.execute_batch(pragmas).map_err(|error| writing(&self.path, &error))
    }
}
