//! A suite of whole steps. Each step does a fixed amount of work on the tables that the step before left. It
//! has several clients with several connections each, some of them paced.

use humdrum_model::{Contents, Scale, TestInfo};

use crate::{Connection, Dialect, Outcome};

/// The functions of such a suite beside those of `Workload`.
pub trait Steps: Send + Sync {
    /// The tests that have to be done for `wanted`, in order: a step needs what earlier ones loaded.
    fn needed(&self, wanted: Vec<TestInfo>, all: &[TestInfo]) -> Vec<TestInfo>;
    /// The work of a step.
    ///
    /// # Errors
    /// Usage: no such step, or a scale that cannot be divided.
    fn work(&self, test: &str, scale: &Scale, compat: bool) -> Outcome<StepWork>;
    /// The streams of all clients of one subject. `open` opens a connection.
    ///
    /// # Errors
    /// Any fault of the server.
    fn streams(
        &self,
        seat: &StepSeat<'_>,
        open: &mut dyn FnMut() -> Outcome<Connection>,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Vec<ClientStreams>>;
    /// Queries of a step with typical arguments, for query plans; none for steps that only write.
    fn queries(&self, _test: &str, _scale: &Scale, _dialect: Option<&dyn Dialect>) -> Vec<String> {
        Vec::new()
    }
    /// Checks the contents of the tables after a step against arithmetic, and returns their sums. `done` are
    /// the steps done so far, this one last.
    ///
    /// # Errors
    /// A wrong answer, or any fault of the server.
    fn verify(
        &self,
        done: &[&str],
        seat: &StepSeat<'_>,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Contents>;
    /// Seconds of the wait after a step, in which servers do their housekeeping; `None`: there is no wait.
    fn wait_seconds(&self, test: &str, scale: &Scale) -> Option<f64>;
    /// A rough lower bound of the seconds of a subject's steps, for plans.
    fn seconds(&self, tests: &[TestInfo], scale: &Scale) -> f64;
}

/// The step and options that streams are made for.
#[derive(Clone, Copy, Debug)]
pub struct StepSeat<'a> {
    /// The step's name.
    pub test: &'a str,
    /// Data and clients.
    pub scale: &'a Scale,
    /// Seed of every random choice.
    pub seed: u64,
    /// Work like the reference.
    pub compat: bool,
}

/// The unit of a step's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Rows inserted (or indexed).
    Rows,
    /// Queries.
    Queries,
}

/// The work of a step, and its pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepWork {
    /// The unit of its rate.
    pub counts: Counts,
    /// Inserting statements of each client, and as many deleting ones in steps that delete.
    pub statements: u64,
    /// Rows of each.
    pub rows_per_statement: u64,
    /// Rows per second of each client; `None`: as fast as possible.
    pub rows_per_second: Option<u64>,
    /// Subjects may take turns within it.
    pub chunked: bool,
    /// The look-up runs before every statement whose number is a multiple of this.
    pub look_up_every: u64,
    /// Writers send the statements of a second at once and never catch up, as in the reference.
    pub bursts: bool,
}

/// Does one kind of statement over one connection.
pub trait StatementStream: Send {
    /// Does statement `number` of the step: the same on every subject. Returns rows.
    ///
    /// # Errors
    /// Crash, timeout, or an error of the server.
    fn act(&mut self, number: u64) -> Outcome<u64>;
    /// Statements so far that were repeated, because the server had rolled them back for another session.
    fn retries(&self) -> u64 {
        0
    }
    /// The server process or thread that serves it, if the host can see it.
    fn server_process(&self) -> Option<u32>;
}

/// The streams of one client. They run at the same time, each over its own connection.
#[derive(Default)]
pub struct ClientStreams {
    /// Inserts.
    pub insert: Option<Box<dyn StatementStream>>,
    /// Deletes, never more than a few statements ahead of or behind inserts.
    pub delete: Option<Box<dyn StatementStream>>,
    /// Queries, until the writers of all clients are done.
    pub query: Option<Box<dyn StatementStream>>,
    /// Looks up the smallest id of the queue from time to time; writers wait for it.
    pub look_up: Option<Box<dyn StatementStream>>,
}

impl ClientStreams {
    /// The streams that the client has.
    pub fn all(&self) -> impl Iterator<Item = &dyn StatementStream> {
        let streams = [&self.insert, &self.delete, &self.query, &self.look_up];
        streams.into_iter().filter_map(|stream| stream.as_deref())
    }
}
