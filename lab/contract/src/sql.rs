//! A SQL session with its hot path.

use std::time::Duration;

use crate::Outcome;

/// A parameter's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// 32-bit integer.
    Int,
    /// Text.
    Text,
    /// The type that the server infers from the statement, or that of each value. A statement has only such parameters or
    /// none.
    Inferred,
}

/// A parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param<'a> {
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer, for inferred parameters.
    Long(i64),
    /// Boolean, for inferred parameters.
    Bool(bool),
    /// Text.
    Text(&'a str),
    /// NULL, for inferred parameters.
    Null,
}

/// A prepared statement of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Statement(pub u32);

/// The answer of a checked statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Rows returned, or rows changed.
    pub rows: u64,
    /// Sum over rows of a hash of the row's text values: does not depend on the rows' order.
    pub checksum: u64,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values are integers.
    pub is_integer: bool,
}

/// An answer with its columns. Values are text, `None` for NULL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// In order.
    pub columns: Vec<Column>,
    /// In order.
    pub rows: Vec<Vec<Option<String>>>,
}

/// Gives rows for a bulk load, each as text values.
pub trait RowSource {
    /// Fills `row` with the next row's values in text form, tab-separated; false at the end. Within a value, a backslash is
    /// written `\\`, a tab `\t`, a newline `\n` and a carriage return `\r`; `\N` alone is NULL. `row` is empty on entry.
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool;
}

/// A connection that stays open.
pub trait SqlSession: Send {
    /// Runs SQL text outside the measured path; rows of the last statement as text, `None` for NULL.
    ///
    /// # Errors
    /// Crash, timeout, or an error of the server.
    fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>>;
    /// Prepares a statement; placeholders are the dialect's.
    ///
    /// # Errors
    /// As `query`.
    fn prepare(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement>;
    /// A statement that is prepared anew each time it runs, without a name, as a client does that keeps no prepared
    /// statements. Placeholders are the dialect's. Nothing is sent before it runs.
    ///
    /// # Errors
    /// As `query`.
    fn prepare_each_time(&mut self, sql: &str, params: &[ParamType]) -> Outcome<Statement>;
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
    /// As `run`, and returns the rows.
    ///
    /// # Errors
    /// As `query`.
    fn fetch(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Fetched>;
    /// As `run_text`, and returns the rows of the last statement.
    ///
    /// # Errors
    /// As `query`.
    fn fetch_text(&mut self, sql: &str) -> Outcome<Fetched>;
    /// Loads rows in the engine's fastest way; returns how many.
    ///
    /// # Errors
    /// As `query`.
    fn load(&mut self, table: &str, columns: &[&str], rows: &mut dyn RowSource) -> Outcome<u64>;
    /// Answers of this session are due within this time from now on.
    ///
    /// # Errors
    /// Crash, when the connection is broken.
    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()>;
    /// Statements that are sent without waiting for the answers of earlier ones; `None`: not in this protocol.
    fn pipeline(&mut self) -> Option<&mut dyn Pipeline> {
        None
    }
    /// The server process or thread that serves this session, if the host can see it.
    fn server_process(&self) -> Option<u32>;
}

/// The pipeline of a session. Between `begin` and `end` nothing else is asked of the session.
///
/// Statements between two points of synchronization are one transaction, unless they hold BEGIN and COMMIT. After one that
/// fails, the server skips those up to the next such point.
pub trait Pipeline {
    /// Begins a pipeline; with `checked`, rows are hashed.
    fn begin(&mut self, checked: bool);
    /// Sends a prepared statement, now or later. The hot path: no allocation.
    ///
    /// # Errors
    /// As `SqlSession::query`.
    fn send(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<()>;
    /// Sends a point of synchronization, now or later.
    ///
    /// # Errors
    /// As `SqlSession::query`.
    fn sync(&mut self) -> Outcome<()>;
    /// Ends the pipeline, and gives the answers in order, up to the first statement that failed.
    ///
    /// # Errors
    /// As `SqlSession::query`: the fault of the first statement that failed. All answers are read.
    fn end(&mut self, each: &mut dyn FnMut(Answer)) -> Outcome<()>;
}

/// Rows in the form of `SqlSession::query`.
pub type TextRows = [Vec<Option<String>>];
