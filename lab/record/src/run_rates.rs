//! Appending and reading the rates of imported runs.

use humdrum_model::{Fault, RunRates};
use rusqlite::{Result, Row, params};

use crate::json::{from_json, to_json};
use crate::store::Store;

impl Store {
    /// Appends the rates of one run.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_run_rates(&mut self, rates: &RunRates) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let RunRates { test, session, subject, points } = rates;
            let sql = "INSERT INTO run_rates (test, session, subject, points) VALUES (?1, ?2, ?3, ?4)";
            let row = params![test, session, *subject as i64, to_json(points)?];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }
}

pub(crate) fn run_rates(row: &Row<'_>) -> Result<RunRates> {
    Ok(RunRates {
        test: row.get("test")?,
        session: row.get("session")?,
        subject: row.get::<_, i64>("subject")?.try_into().unwrap_or(0),
        points: from_json(row.get_ref("points")?.as_str()?)?,
    })
}
