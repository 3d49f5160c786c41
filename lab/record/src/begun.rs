//! How far a record is, without reading it.

use std::path::Path;

use humdrum_model::Fault;
use rusqlite::OptionalExtension;

use crate::faults::damaged;
use crate::store::Store;

/// How far a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// There is no record, or one without a plan: the run ended before it began.
    No,
    /// It began and did not come to its end: it is running, or it was interrupted.
    Yes,
    /// It came to its end.
    Finished,
}

impl Store {
    /// How far the record in a file is; there may be no file.
    ///
    /// # Errors
    /// Usage: it is no results file, or damaged.
    pub fn begun(path: &Path) -> Result<Begun, Fault> {
        if std::fs::metadata(path).map_or(0, |metadata| metadata.len()) == 0 {
            return Ok(Begun::No);
        }
        let store = Self::open_quickly(path)?;
        Ok(match (store.has("plan")?, store.has("finished")?) {
            (false, _) => Begun::No,
            (true, false) => Begun::Yes,
            (true, true) => Begun::Finished,
        })
    }

    /// How many sessions began, the slice check left out.
    ///
    /// # Errors
    /// Usage: the file is damaged.
    pub fn count_sessions(&self) -> Result<u32, Fault> {
        let sql = "SELECT count(*) FROM session WHERE stage <> '\"slice-check\"'";
        let count = self.connection.query_row(sql, [], |row| row.get(0));
        count.map_err(|error| damaged(&self.path, &error))
    }

    fn has(&self, key: &str) -> Result<bool, Fault> {
        let sql = "SELECT 1 FROM meta WHERE key = ?1";
        let found = self.connection.query_row(sql, [key], |_| Ok(())).optional();
        found.map(|row| row.is_some()).map_err(|error| damaged(&self.path, &error))
    }
}
