//! Appending and reading the facts of whole steps.

use humdrum_model::{Event, Fault, Latency, StepFacts};
use rusqlite::{Connection, Result, Row, params};

use crate::append::{insert_event, insert_latency};
use crate::json::{from_json, signed, to_json, unsigned};
use crate::store::Store;

impl Store {
    /// Appends the facts of a step.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_step(&mut self, step: &StepFacts) -> std::result::Result<(), Fault> {
        self.append(|transaction| insert_step(transaction, step))
    }

    /// Appends everything that is known of one subject when a step has run: its facts, its latencies, and an event if it
    /// missed its pace. After a kill, all of it is there or nothing.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_whole_step(
        &mut self,
        step: &StepFacts,
        latency: &Latency,
        missed: Option<&Event>,
    ) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            missed.map_or(Ok(()), |event| insert_event(transaction, event))?;
            insert_latency(transaction, latency)?;
            insert_step(transaction, step)
        })
    }
}

fn insert_step(connection: &Connection, step: &StepFacts) -> Result<()> {
    let StepFacts { test, session, subject, wall_ns, target, streams } = step;
    let sql = "INSERT INTO step (test, session, subject, wall_ns, target, streams) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let row = params![test, session, *subject as i64, signed(*wall_ns), target, to_json(streams)?];
    connection.prepare_cached(sql)?.execute(row).map(|_| ())
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
