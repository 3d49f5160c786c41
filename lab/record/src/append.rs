//! Appending. Each append is one transaction, so that a kill never leaves a part of it.

use humdrum_model::{
    Block, Calibration, Event, Fault, Latency, LoadFacts, Metric, Results, SessionInfo, Slice, SubjectFacts,
};
use rusqlite::{Connection, Result, Transaction, params};

use crate::faults::writing;
use crate::json::{signed, to_json};
use crate::store::Store;

impl Store {
    /// Appends a block with its slices, in some tens of microseconds.
    ///
    /// # Errors
    /// Environment: full disk, or this (test, session, index) exists already.
    pub fn append_block(&mut self, block: &Block) -> Result<(), Fault> {
        self.append(|transaction| insert_block(transaction, block))
    }

    /// Appends a session when it begins. It also moves the log of earlier appends into the file, because nothing is
    /// measured at this moment.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_session(&mut self, session: &SessionInfo) -> Result<(), Fault> {
        self.append(|transaction| {
            let SessionInfo { number, stage, restarted, reloaded, tests, stretch, unrecorded, subjects } =
                session;
            let sql = "INSERT OR REPLACE INTO session VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let (stage, tests, unrecorded) = (to_json(stage)?, to_json(tests)?, to_json(unrecorded)?);
            let row =
                params![number, stage, restarted, reloaded, tests, stretch, unrecorded, to_json(subjects)?];
            transaction.prepare_cached(sql)?.execute(row)?;
            Ok(())
        })?;
        self.connection
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
            .map_err(|error| writing(&self.path, &error))
    }

    /// Sets the facts of the subject at `position` in the plan.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_subject(&mut self, position: usize, facts: &SubjectFacts) -> Result<(), Fault> {
        self.append(|transaction| insert_facts(transaction, position, facts))
    }

    /// Appends a load.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_load(&mut self, load: &LoadFacts) -> Result<(), Fault> {
        self.append(|transaction| {
            let LoadFacts { subject, rows, checksum, bytes, seconds } = load;
            let sql =
                "INSERT INTO load (subject, rows, checksum, bytes, seconds) VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![*subject as i64, signed(*rows), checksum, signed(*bytes), seconds];
            transaction.prepare_cached(sql)?.execute(row)?;
            Ok(())
        })
    }

    /// Appends a test's calibration, or replaces an earlier one of the test.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_calibration(&mut self, calibration: &Calibration) -> Result<(), Fault> {
        self.append(|transaction| {
            let Calibration { test, operations, guard_operations, blocks } = calibration;
            let sql = "INSERT OR REPLACE INTO calibration VALUES (?1, ?2, ?3, ?4)";
            let row = params![test, signed(*operations), signed(*guard_operations), blocks];
            transaction.prepare_cached(sql)?.execute(row)?;
            Ok(())
        })
    }

    /// Appends latencies. A cell that was interrupted has one row for each of its parts.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_latency(&mut self, latency: &Latency) -> Result<(), Fault> {
        self.append(|transaction| insert_latency(transaction, latency))
    }

    /// Appends an event.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_event(&mut self, event: &Event) -> Result<(), Fault> {
        self.append_events(std::slice::from_ref(event))
    }

    /// Appends events that belong together: all of them or, after a kill, none.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_events(&mut self, events: &[Event]) -> Result<(), Fault> {
        self.append(|transaction| events.iter().try_for_each(|event| insert_event(transaction, event)))
    }

    /// Sets how many seconds the run has taken, without interruptions.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn note_seconds(&mut self, seconds: f64) -> Result<(), Fault> {
        let text = to_json(&seconds).map_err(|error| writing(&self.path, &error))?;
        self.set_meta("seconds", &text)
    }

    /// Appends everything in `results` to a new file.
    pub(crate) fn append_all(&mut self, results: &Results) -> Result<(), Fault> {
        self.append(|transaction| insert_header(transaction, results))?;
        for (position, facts) in results.subjects.iter().enumerate() {
            self.append_subject(position, facts)?;
        }
        results.loads.iter().try_for_each(|load| self.append_load(load))?;
        results.calibrations.iter().try_for_each(|calibration| self.append_calibration(calibration))?;
        results.sessions.iter().try_for_each(|session| self.append_session(session))?;
        results.blocks.iter().try_for_each(|block| self.append_block(block))?;
        results.latencies.iter().try_for_each(|latency| self.append_latency(latency))?;
        results.states.iter().try_for_each(|state| self.append_state(state))?;
        results.steps.iter().try_for_each(|step| self.append_step(step))?;
        results.host_readings.iter().try_for_each(|reading| self.append_host_reading(reading))?;
        results.run_rates.iter().try_for_each(|rates| self.append_run_rates(rates))?;
        results.debts.iter().try_for_each(|debt| self.append_debt(debt))?;
        results.examinations.iter().try_for_each(|one| self.append_examination(one))?;
        results.query_plans.iter().try_for_each(|plan| self.append_query_plan(plan))?;
        results.plan_runs.iter().try_for_each(|run| self.append_plan_run(run))?;
        results.events.iter().try_for_each(|event| self.append_event(event))?;
        if results.finished { self.finish() } else { Ok(()) }
    }

    pub(crate) fn set_meta(&mut self, key: &str, value: &str) -> Result<(), Fault> {
        self.append(|transaction| insert_meta(transaction, key, value))
    }

    pub(crate) fn append<T>(&mut self, write: impl FnOnce(&Connection) -> Result<T>) -> Result<T, Fault> {
        let transaction =
            Transaction::new_unchecked(&self.connection, rusqlite::TransactionBehavior::Immediate);
        transaction
            .and_then(|transaction| {
                let written = write(&transaction)?;
                transaction.commit()?;
                Ok(written)
            })
            .map_err(|error| writing(&self.path, &error))
    }
}

fn insert_block(connection: &Connection, block: &Block) -> Result<()> {
    let Block { test, session, index, slices, discarded } = block;
    let sql = "INSERT INTO block (test, session, \"index\", discarded) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![test, session, index, discarded])?;
    let id = connection.last_insert_rowid();
    let mut statement = connection.prepare_cached(
        "INSERT INTO slice VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    for (position, slice) in slices.iter().enumerate() {
        let Slice {
            subject,
            start_ns,
            wall_ns,
            operations,
            guard_operations,
            rows,
            client_cpu_ns,
            readings,
            quarter_ns,
            blamed,
            idle_ns,
            scripts,
        } = slice;
        statement.execute(params![
            id,
            position as i64,
            *subject as i64,
            signed(*start_ns),
            signed(*wall_ns),
            signed(*operations),
            signed(*guard_operations),
            signed(*rows),
            signed(*client_cpu_ns),
            to_json(readings)?,
            quarter_ns.as_ref().map(to_json).transpose()?,
            blamed,
            idle_ns.map(signed),
            (!scripts.is_empty()).then(|| to_json(scripts)).transpose()?
        ])?;
    }
    Ok(())
}

pub(crate) fn insert_latency(connection: &Connection, latency: &Latency) -> Result<()> {
    let Latency { test, session, subject, buckets } = latency;
    let row = params![test, session, *subject as i64, to_json(buckets)?];
    connection.prepare_cached("INSERT INTO latency VALUES (?1, ?2, ?3, ?4)")?.execute(row).map(|_| ())
}

pub(crate) fn insert_event(connection: &Connection, event: &Event) -> Result<()> {
    let Event { subject, test, session, status, what, log_tail } = event;
    let sql = "INSERT INTO event (subject, test, session, status, what, log_tail) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let subject = subject.map(|subject| subject as i64);
    let row = params![subject, test, session, to_json(status)?, what, log_tail];
    connection.prepare_cached(sql)?.execute(row).map(|_| ())
}

pub(crate) fn insert_meta(connection: &Connection, key: &str, value: &str) -> Result<()> {
    connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?.execute([key, value])?;
    Ok(())
}

fn insert_header(connection: &Connection, header: &Results) -> Result<()> {
    insert_meta(connection, "tool", &header.tool)?;
    insert_meta(connection, "started", &header.started)?;
    insert_meta(connection, "seconds", &to_json(&header.seconds)?)?;
    insert_meta(connection, "plan", &to_json(&header.plan)?)?;
    insert_meta(connection, "host", &to_json(&header.host)?)?;
    for (key, value) in [("aa_floor", header.aa_floor), ("aa_excess", header.aa_excess)] {
        if let Some(value) = value {
            insert_meta(connection, key, &to_json(&value)?)?;
        }
    }
    insert_metrics(connection, header)?;
    insert_plan_rows(connection, header)
}

fn insert_metrics(connection: &Connection, header: &Results) -> Result<()> {
    header
        .metrics
        .iter()
        .enumerate()
        .try_for_each(|(position, metric)| insert_metric(connection, position, metric))
}

pub(crate) fn insert_metric(connection: &Connection, position: usize, metric: &Metric) -> Result<()> {
    let Metric { name, unit, better, kind, description } = metric;
    let row = params![position as i64, name, unit, to_json(better)?, to_json(kind)?, description];
    connection.execute("INSERT INTO metric VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row).map(|_| ())
}

/// Writes the plan's subjects and tests as rows too, for users of the sqlite3 shell.
fn insert_plan_rows(connection: &Connection, header: &Results) -> Result<()> {
    for (position, subject) in header.plan.subjects.iter().enumerate() {
        let sql = "INSERT INTO subject (position, label, typed) VALUES (?1, ?2, ?3)";
        connection.execute(sql, params![position as i64, subject.label, subject.to_string()])?;
    }
    for (position, test) in header.plan.tests.iter().enumerate() {
        connection.execute(
            "INSERT INTO test VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                position as i64,
                test.name,
                test.group,
                test.operation,
                test.statements,
                test.writes,
                test.long
            ],
        )?;
    }
    Ok(())
}

fn insert_facts(connection: &Connection, position: usize, facts: &SubjectFacts) -> Result<()> {
    let SubjectFacts { version, origin, build, settings, given, fingerprint, link } = facts;
    let position = position as i64;
    let sql = "UPDATE subject SET version = ?2, origin = ?3, build = ?4, fingerprint = ?5, link = ?6 \
               WHERE position = ?1";
    let link = link.as_ref().map(to_json).transpose()?;
    let row = params![position, version, origin, to_json(build)?, fingerprint, link];
    let changed = connection.execute(sql, row)?;
    if changed == 0 {
        return Err(rusqlite::Error::StatementChangedRows(0));
    }
    connection.execute("DELETE FROM setting WHERE subject = ?1", [position])?;
    for (is_given, list) in [(false, settings), (true, given)] {
        for (place, (name, value)) in list.iter().enumerate() {
            let row = params![position, is_given, place as i64, name, value];
            connection.prepare_cached("INSERT INTO setting VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(row)?;
        }
    }
    Ok(())
}
