//! Appending and reading the facts of whole steps.

use humdrum_model::{Fault, StepFacts};
use rusqlite::{Result, Row, params};

use crate::json::{from_json, signed, to_json, unsigned};
use crate::store::Store;

impl Store {
    /// Appends the facts of a step.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_step(&mut self, step: &StepFacts) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let StepFacts { test, session, subject, wall_ns, target, streams } = step;
            let sql = "INSERT INTO step (test, session, subject, wall_ns, target, streams) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let row = params![test, session, *subject as i64, signed(*wall_ns), target, to_json(streams)?];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }
}

pub(crate) fn step(row: &Row<'_>) -> Result<StepFacts> {
    Ok(StepFacts {
        test: row.get("test")?,
        session: row.get("session")?,
        subject: unsigned(row.get("subject")?) as usize,
        wall_ns: unsigned(row.get("wall_ns")?),
        target: row.get("target")?,
        streams: from_json(row.get_ref("streams")?.as_str()?)?,
    })
}
