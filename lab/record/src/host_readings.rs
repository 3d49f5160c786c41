//! Appending and reading what the calibration kernel said.

use humdrum_model::{Fault, HostReading};
use rusqlite::{Result, Row, params};

use crate::store::Store;

impl Store {
    /// Appends a reading of the calibration kernel.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_host_reading(&mut self, reading: &HostReading) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let HostReading { test, session, integer_ns, memory_ns, call_ns, off } = reading;
            let sql = "INSERT INTO host_reading (test, session, integer_ns, memory_ns, call_ns, off) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let row = params![test, session, integer_ns, memory_ns, call_ns, off];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }
}

pub(crate) fn host_reading(row: &Row<'_>) -> Result<HostReading> {
    Ok(HostReading {
        test: row.get("test")?,
        session: row.get("session")?,
        integer_ns: row.get("integer_ns")?,
        memory_ns: row.get("memory_ns")?,
        call_ns: row.get("call_ns")?,
        off: row.get("off")?,
    })
}
