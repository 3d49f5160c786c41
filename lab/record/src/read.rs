//! Reading a whole results file into memory.

use std::collections::HashMap;

use humdrum_model::{
    Block, Calibration, Event, Fault, Latency, LoadFacts, Metric, Results, SessionInfo, Slice, SubjectFacts,
};
use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use serde::de::DeserializeOwned;

use crate::examinations;
use crate::faults::{damaged, unbegun};
use crate::host_readings;
use crate::json::{from_json, unsigned};
use crate::judgement;
use crate::pooled;
use crate::run_rates;
use crate::states;
use crate::steps;
use crate::store::Store;

impl Store {
    /// Everything in the file. `subjects` has an entry for each subject of the plan, which is empty before its facts
    /// are recorded.
    ///
    /// # Errors
    /// Usage: the file is damaged, or holds no plan yet.
    pub fn read(&self) -> Result<Results, Fault> {
        let read = |connection: &Connection| Ok((results(connection)?, pooled::shards(connection)?));
        let (mut results, shards) = self.in_one_moment(read)?;
        pooled::fill(&mut results, &self.path, &shards)?;
        Ok(results)
    }

    /// What is known before the first session, the facts of the subjects, and whether the run came to its end. Takes as long for
    /// a million blocks as for none.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_head(&self) -> Result<Results, Fault> {
        self.in_one_moment(head)
    }

    /// Reads in one transaction, so that all tables are as of the same moment while a run is writing.
    pub(crate) fn in_one_moment<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T, Fault> {
        let found = self.connection.unchecked_transaction().and_then(|transaction| read(&transaction));
        found.map_err(|error| match error {
            rusqlite::Error::QueryReturnedNoRows => unbegun(&self.path),
            error => damaged(&self.path, &error),
        })
    }
}

/// One value of `meta`.
pub(crate) fn meta_value(connection: &Connection, key: &str) -> Result<Option<String>> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    connection.query_row(sql, [key], |row| row.get(0)).optional()
}

/// What is known before the first session, and the facts of the subjects.
pub(crate) fn head(connection: &Connection) -> Result<Results> {
    // A judgement has some megabytes, which nobody reads here.
    let sql = format!("SELECT key, value FROM meta WHERE key <> '{}'", judgement::KEY);
    let meta = Meta(rows(connection, &sql, |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect());
    Ok(Results {
        tool: meta.text("tool")?,
        started: meta.text("started")?,
        seconds: meta.json("seconds")?,
        host: meta.json("host")?,
        aa_floor: meta.optional("aa_floor")?,
        aa_excess: meta.optional("aa_excess")?,
        metrics: rows(connection, "SELECT * FROM metric ORDER BY position", metric)?,
        subjects: subjects(connection)?,
        calibrations: rows(connection, "SELECT * FROM calibration ORDER BY rowid", calibration)?,
        examinations: rows(connection, "SELECT * FROM look ORDER BY id", examinations::examination)?,
        query_plans: rows(connection, "SELECT * FROM query_plan ORDER BY id", examinations::query_plan)?,
        plan_runs: rows(connection, "SELECT * FROM plan_run ORDER BY id", examinations::plan_run)?,
        finished: meta.0.contains_key("finished"),
        ..Results::of(meta.json("plan")?)
    })
}

fn results(connection: &Connection) -> Result<Results> {
    let readings = "SELECT * FROM host_reading ORDER BY id";
    Ok(Results {
        loads: rows(connection, "SELECT * FROM load ORDER BY id", load)?,
        sessions: rows(connection, "SELECT * FROM session ORDER BY number", session)?,
        blocks: blocks(connection)?,
        latencies: rows(connection, "SELECT * FROM latency ORDER BY rowid", latency)?,
        states: rows(connection, "SELECT * FROM state ORDER BY id", states::state)?,
        debts: rows(connection, "SELECT * FROM debt ORDER BY id", states::debt)?,
        steps: rows(connection, "SELECT * FROM step ORDER BY id", steps::step)?,
        host_readings: rows(connection, readings, host_readings::host_reading)?,
        run_rates: rows(connection, "SELECT * FROM run_rates ORDER BY id", run_rates::run_rates)?,
        events: rows(connection, "SELECT * FROM event ORDER BY id", event)?,
        ..head(connection)?
    })
}

struct Meta(HashMap<String, String>);

impl Meta {
    fn text(&self, key: &str) -> Result<String> {
        self.0.get(key).cloned().ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    fn json<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        from_json(&self.text(key)?)
    }

    fn optional<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        self.0.get(key).map(|text| from_json(text)).transpose()
    }
}

fn rows<T>(connection: &Connection, sql: &str, read: fn(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
    connection.prepare(sql)?.query_map([], read)?.collect()
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<T> {
    from_json(row.get_ref(column)?.as_str()?)
}

fn count(row: &Row<'_>, column: &str) -> Result<u64> {
    row.get(column).map(unsigned)
}

fn place(row: &Row<'_>, column: &str) -> Result<usize> {
    count(row, column).map(|value| value as usize)
}

fn metric(row: &Row<'_>) -> Result<Metric> {
    Ok(Metric {
        name: row.get("name")?,
        unit: row.get("unit")?,
        better: json(row, "better")?,
        kind: json(row, "kind")?,
        description: row.get("description")?,
    })
}

fn subjects(connection: &Connection) -> Result<Vec<SubjectFacts>> {
    let mut found = rows(connection, "SELECT * FROM subject ORDER BY position", |row| {
        Ok(SubjectFacts {
            version: row.get("version")?,
            origin: row.get("origin")?,
            build: json(row, "build")?,
            fingerprint: row.get("fingerprint")?,
            link: row.get::<_, Option<String>>("link")?.as_deref().map(from_json).transpose()?,
            ..SubjectFacts::default()
        })
    })?;
    for (position, facts) in found.iter_mut().enumerate() {
        facts.settings = settings(connection, position, false)?;
        facts.given = settings(connection, position, true)?;
    }
    Ok(found)
}

fn settings(connection: &Connection, subject: usize, given: bool) -> Result<Vec<(String, String)>> {
    let sql = "SELECT name, value FROM setting WHERE subject = ?1 AND given = ?2 ORDER BY position";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map(params![subject as i64, given], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn load(row: &Row<'_>) -> Result<LoadFacts> {
    Ok(LoadFacts {
        subject: place(row, "subject")?,
        rows: count(row, "rows")?,
        checksum: row.get("checksum")?,
        bytes: count(row, "bytes")?,
        seconds: row.get("seconds")?,
    })
}

fn calibration(row: &Row<'_>) -> Result<Calibration> {
    Ok(Calibration {
        test: row.get("test")?,
        operations: count(row, "operations")?,
        guard_operations: count(row, "guard_operations")?,
        blocks: row.get("blocks")?,
    })
}

fn session(row: &Row<'_>) -> Result<SessionInfo> {
    Ok(SessionInfo {
        number: row.get("number")?,
        stage: json(row, "stage")?,
        restarted: row.get("restarted")?,
        reloaded: row.get("reloaded")?,
        tests: json(row, "tests")?,
        stretch: row.get("stretch")?,
        unrecorded: json(row, "ageing")?,
        subjects: json(row, "subjects")?,
    })
}

fn blocks(connection: &Connection) -> Result<Vec<Block>> {
    let read: fn(&Row<'_>) -> Result<(i64, Block)> = |row| {
        let block = Block {
            test: row.get("test")?,
            session: row.get("session")?,
            index: row.get("index")?,
            slices: Vec::new(),
            discarded: row.get("discarded")?,
        };
        Ok((row.get("id")?, block))
    };
    let mut blocks = rows(connection, "SELECT * FROM block ORDER BY id", read)?;
    let subjects: usize =
        connection.query_row("SELECT count(*) FROM subject", [], |row| place(row, "count(*)"))?;
    let mut statement = connection.prepare(SLICES)?;
    let mut slices = statement.query([])?;
    let mut at = 0;
    while let Some(row) = slices.next()? {
        let id: i64 = row.get(0)?;
        while blocks.get(at).is_some_and(|(block, _)| *block < id) {
            at += 1;
        }
        // Both are in the order of block ids. A slice without its block means damage.
        let (_, block) = blocks
            .get_mut(at)
            .filter(|(block, _)| *block == id)
            .ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        // Blocks are most of what a run takes in memory, so that their lists are no longer than needed.
        if block.slices.is_empty() {
            block.slices.reserve_exact(subjects);
        }
        block.slices.push(slice(row)?);
    }
    Ok(blocks.into_iter().map(|(_, block)| block).collect())
}

/// Slices are most of a record, so their columns are read by place: by name, each value would begin with a search.
const SLICES: &str = "SELECT block, subject, start_ns, wall_ns, operations, guard_operations, rows, client_cpu_ns, readings, \
    quarter_ns, idle_ns, blamed, scripts FROM slice ORDER BY block, position";

fn slice(row: &Row<'_>) -> Result<Slice> {
    let count = |column: usize| row.get(column).map(unsigned);
    let mut readings: Vec<i64> = from_json(row.get_ref(8)?.as_str()?)?;
    readings.shrink_to_fit();
    Ok(Slice {
        subject: count(1)? as usize,
        start_ns: count(2)?,
        wall_ns: count(3)?,
        operations: count(4)?,
        guard_operations: count(5)?,
        rows: count(6)?,
        client_cpu_ns: count(7)?,
        readings,
        quarter_ns: row.get_ref(9)?.as_str_or_null()?.map(from_json).transpose()?,
        idle_ns: row.get::<_, Option<i64>>(10)?.map(unsigned),
        blamed: row.get(11)?,
        scripts: row.get_ref(12)?.as_str_or_null()?.map(from_json).transpose()?.unwrap_or_default(),
    })
}

fn latency(row: &Row<'_>) -> Result<Latency> {
    Ok(Latency {
        test: row.get("test")?,
        session: row.get("session")?,
        subject: place(row, "subject")?,
        buckets: json(row, "buckets")?,
    })
}

fn event(row: &Row<'_>) -> Result<Event> {
    let subject: Option<i64> = row.get("subject")?;
    Ok(Event {
        subject: subject.map(|subject| unsigned(subject) as usize),
        test: row.get("test")?,
        session: row.get("session")?,
        status: json(row, "status")?,
        what: row.get("what")?,
        log_tail: row.get("log_tail")?,
    })
}
