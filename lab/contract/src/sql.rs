//! SQL as workloads use it: a session with a hot path, and the few places where dialects differ.

use std::time::Duration;

use humdrum_model::Fault;

use crate::{Outcome, QueueSql};

/// A parameter's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// 32-bit integer.
    Int,
    /// Text.
    Text,
}

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param<'a> {
    /// 32-bit integer.
    Int(i32),
    /// Text.
    Text(&'a str),
}

/// A prepared statement of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Statement(pub u32);

/// What a checked statement returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Rows returned, or rows changed.
    pub rows: u64,
    /// Sum over rows of a hash of the row's text values: does not depend on the rows' order.
    pub checksum: u64,
}

/// Gives rows for a bulk load, each as text values.
pub trait RowSource {
    /// Fills `row` with the next row's values in text form, tab-separated (values hold no tab, newline or
    /// backslash); false at the end. `row` is empty on entry.
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool;
}

/// A connection that stays open.
pub trait SqlSession: Send {
    /// Runs SQL text outside the measured path; rows of the last statement as text, `None` for NULL.
    ///
    /// # Errors
    /// Crash, timeout, or what the server said.
    fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>>;
    /// Prepares a statement; placeholders are the dialect's.
    ///
    /// # Errors
    /// As `query`.
    fn prepare(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement>;
    /// Runs a prepared statement and counts rows. The hot path: one write, one read, no allocation.
    ///
    /// # Errors
    /// As `query`.
    fn run(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<u64>;
    /// Runs SQL text and counts rows: the hot path of tests whose reference sends literal text.
    ///
    /// # Errors
    /// As `query`.
    fn run_text(&mut self, sql: &str) -> Outcome<u64>;
    /// As `run`, and hashes the rows. Not measured.
    ///
    /// # Errors
    /// As `query`.
    fn run_checked(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer>;
    /// As `run_text`, and hashes the rows. Not measured.
    ///
    /// # Errors
    /// As `query`.
    fn run_text_checked(&mut self, sql: &str) -> Outcome<Answer>;
    /// Loads rows the fastest way the engine has; returns how many.
    ///
    /// # Errors
    /// As `query`.
    fn load(&mut self, table: &str, columns: &[&str], rows: &mut dyn RowSource) -> Outcome<u64>;
    /// Answers of this session are due within this time from now on.
    ///
    /// # Errors
    /// Crash, when the connection is broken.
    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()>;
    /// The server process or thread that serves this session, where the host can see it.
    fn server_process(&self) -> Option<u32>;
}

/// Rows as `SqlSession::query` gives them.
pub type TextRows = [Vec<Option<String>>];

/// A number that a server is asked for outside the measured path.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked.
    pub sql: String,
    /// Finds the number in the answer; `None` where it is not there, which is a fault.
    pub number: fn(&TextRows) -> Option<f64>,
}

impl Question {
    /// A query whose first row's first value is the number.
    pub fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), number: |rows| number_at(rows, 0) }
    }

    /// Asks.
    ///
    /// # Errors
    /// As `SqlSession::query`, and where the answer holds no number.
    pub fn ask(&self, session: &mut dyn SqlSession) -> Outcome<f64> {
        let rows = session.query(&self.sql)?;
        let missing = || Fault::crash(format!("no number in the answer to `{}`", self.sql));
        (self.number)(&rows).ok_or_else(missing)
    }
}

/// The number in one column of the first row, for `Question::number`.
pub fn number_at(rows: &TextRows, column: usize) -> Option<f64> {
    rows.first()?.get(column)?.as_deref()?.trim().parse().ok()
}

/// One quantity of the state that writes leave behind. Names are the same on all engines where the thing is the
/// same: `table_bytes`, `index_bytes`, `dead_rows`, `history_length`, `dirty_pages`, `checkpoint_age_bytes` (log written
/// since the last checkpoint).
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Name, with the unit last where it has one.
    pub name: &'static str,
    /// Unit (`bytes`, `rows`, `pages`, `transactions`).
    pub unit: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// How to ask for it.
    pub question: Question,
}

/// A step of housekeeping: statements, and then waiting until what they set going is done.
#[derive(Clone, Debug, Default)]
pub struct Chore {
    /// Run in order, each to its end.
    pub statements: Vec<String>,
    /// Then asked again and again until it holds.
    pub wait: Option<Wait>,
}

/// What a chore waits for. A server's word that it has begun is not enough: the reference sleeps and hopes.
#[derive(Clone, Debug)]
pub struct Wait {
    /// What is awaited, as in "waiting for {what}".
    pub what: &'static str,
    /// Asked every few milliseconds.
    pub question: Question,
    /// Done when the number is this or less.
    pub at_most: f64,
}

impl Chore {
    /// Statements that are done when they return.
    pub fn of<T: Into<String>>(statements: impl IntoIterator<Item = T>) -> Self {
        Self { statements: statements.into_iter().map(Into::into).collect(), wait: None }
    }

    /// The same, done when `question` gives `at_most` or less.
    #[must_use]
    pub fn until(mut self, what: &'static str, question: Question, at_most: f64) -> Self {
        self.wait = Some(Wait { what, question, at_most });
        self
    }
}

/// A question about how a statement is run, and what of its answer's rows is the plan rather than an estimate.
#[derive(Clone, Debug)]
pub struct PlanQuestion {
    /// What is asked.
    pub sql: String,
    /// One line of the plan from a row of the answer.
    pub line: fn(&[Option<String>]) -> String,
}

/// Where SQL differs between engines. Everything else a workload writes is common to all.
pub trait Dialect: Send + Sync {
    /// The `n`th placeholder of a prepared statement, from 1.
    fn placeholder(&self, n: usize) -> String;
    /// Type of an integer primary key that the server numbers itself, `PRIMARY KEY` included.
    fn serial_primary_key(&self) -> &'static str;
    /// Text after the closing parenthesis of CREATE TABLE.
    fn table_options(&self) -> &'static str;
    /// Statements after a bulk load, so that no background work is owed: vacuum, analyze, checkpoint.
    fn settle(&self, tables: &[String]) -> Vec<String>;
    /// One query whose single row is (rows, checksum) of a table's columns `id, k, c, pad`; the checksum is
    /// the same number on every engine and release.
    fn table_checksum(&self, table: &str) -> String;
    /// One query whose single value is the bytes of a table with its indexes.
    fn table_bytes(&self, table: &str) -> String;
    /// Statements that take the optimizer's statistics anew and bring a table and its indexes into memory. Statistics come
    /// from a random sample, and what it holds is worth several percent of a statement that is planned each time; kept
    /// with the data, one server's luck would last for the whole run.
    fn prewarm(&self, table: &str) -> Vec<String>;
    /// What an INSERT that leaves the primary key to the server passes for it; `None`: the column is left out.
    fn serial_value(&self) -> Option<&'static str> {
        None
    }
    /// The post-write step, in order: whatever the server still owes for writes that it has acknowledged is paid
    /// when the last chore is done (rows vacuumed or purged, pages flushed, a checkpoint written), and its
    /// statistics are fresh. It is timed: a chore must neither sleep nor do work that writes do not cause. A
    /// setting that a chore changes must be put back by a later chore; chores after a failed one are not run.
    fn post_write(&self, tables: &[String]) -> Vec<Chore> {
        vec![Chore::of(self.settle(tables))]
    }
    /// Quantities of one table; the workload adds them up over its tables. Cheap: no reading of whole tables.
    /// Asked when the test's connections are closed, so that what sessions count for themselves has arrived.
    fn table_state(&self, table: &str) -> Vec<Gauge> {
        let question = Question::new(self.table_bytes(table));
        let description = "size of tables and indexes";
        vec![Gauge { name: "bytes", unit: "bytes", description, question }]
    }
    /// How it keeps a table that is used as a queue; `None`: it was never told.
    fn queue(&self) -> Option<QueueSql> {
        None
    }
    /// Quantities of the whole server: what it owes (history not purged, pages and log not flushed).
    fn server_state(&self) -> Vec<Gauge> {
        Vec::new()
    }
    /// Queries whose rows are (name, value) of the engine's own counters, which only grow. One that a release does not
    /// answer is passed over.
    fn counters(&self) -> Vec<String> {
        Vec::new()
    }
    /// How long counters may lag behind what sessions did that have ended since.
    fn counters_lag(&self) -> Duration {
        Duration::from_millis(20)
    }
    /// A query with a row for each session of ours but the asking one: what it waits for now, as one of `cpu`, `client`,
    /// `disk`, `lock`, `other`, and in the engine's own words.
    fn waits(&self) -> Option<String> {
        None
    }
    /// How to ask how a statement would be run, without running it.
    fn query_plan(&self, _sql: &str) -> Option<PlanQuestion> {
        None
    }
}
