//! The open results file, and how it begins and ends.

use std::path::{Path, PathBuf};

use humdrum_model::{Fault, Results};
use rusqlite::Connection;

use crate::faults::writing;
use crate::lock::Lock;
use crate::open;

/// An open results file. Dropping it without `finish` loses nothing that was appended.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) lock: Option<Lock>,
}

impl Store {
    /// Makes a new results file from what is known before the first block (`tool`, `started`, `plan`, `host`,
    /// `aa_floor`, `metrics`), locks it, and appends whatever else `header` already holds.
    ///
    /// # Errors
    /// Usage where the file exists or cannot be made there.
    pub fn create(path: &Path, header: &Results) -> Result<Self, Fault> {
        let (connection, lock) = open::create(path)?;
        let mut store = Self { connection, path: path.to_owned(), lock: Some(lock) };
        store.prepare_for_appending()?;
        store.append_all(header)?;
        Ok(store)
    }

    /// Opens a results file to read it; `lock` makes it ready for more. An older schema is brought up to date.
    ///
    /// # Errors
    /// Usage: no such file, not a results file, made by a newer humdrum, damaged.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        Ok(Self { connection: open::open(path)?, path: path.to_owned(), lock: None })
    }

    /// Makes this the one writer of the file, until it is dropped. `create` has done so already.
    ///
    /// # Errors
    /// Usage: another humdrum has it, or the file cannot be written.
    pub fn lock(&mut self) -> Result<(), Fault> {
        if self.lock.is_none() {
            self.lock = Some(Lock::take(&self.path)?);
            self.prepare_for_appending()?;
        }
        Ok(())
    }

    /// Marks the run as finished and folds everything into the one file, which needs no `-wal` beside it then.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.set_meta("finished", "1")?;
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .and_then(|()| self.connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())))
            .map_err(|error| writing(&self.path, &error))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// WAL with synchronous=NORMAL: a commit is a write to the kernel without an fsync. Killing this program
    /// loses nothing, since the kernel has the bytes; only a crash of the whole host may lose the last blocks
    /// (and never the file's consistency). FULL would fsync at each block, between slices of milliseconds:
    /// the loudest noise on the host. For the same reason SQLite's own checkpoints, which fsync too, are off;
    /// `append_session` checkpoints, at a moment when servers are restarted anyhow.
    fn prepare_for_appending(&mut self) -> Result<(), Fault> {
        let pragmas =
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;";
        self.connection.set_prepared_statement_cache_capacity(32);
        self.connection.execute_batch(pragmas).map_err(|error| writing(&self.path, &error))
    }
}
