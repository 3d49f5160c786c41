//! A suite of whole steps: each does a fixed amount of work upon what the one before left, with several clients of
//! several connections each, some of them paced.

use humdrum_model::{Contents, Scale, TestInfo};

use crate::{Connection, Dialect, Outcome};

/// What such a suite has beside `Workload`.
pub trait Steps: Send + Sync {
    /// The tests that have to be done for `wanted`, in order: a step needs what earlier ones loaded.
    fn needed(&self, wanted: Vec<TestInfo>, all: &[TestInfo]) -> Vec<TestInfo>;
    /// What a step is to do.
    ///
    /// # Errors
    /// Usage: no such step, or a scale that cannot be divided.
    fn work(&self, test: &str, scale: &Scale, compat: bool) -> Outcome<StepWork>;
    /// The streams of all clients of one subject. `open` opens a connection.
    ///
    /// # Errors
    /// Whatever the server says.
    fn streams(
        &self,
        seat: &StepSeat<'_>,
        open: &mut dyn FnMut() -> Outcome<Connection>,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Vec<ClientStreams>>;
    /// Checks what the tables hold after a step against what arithmetic says, and sums up what they hold. `done` are
    /// the steps done so far, this one last.
    ///
    /// # Errors
    /// A wrong answer, or whatever the server says.
    fn verify(
        &self,
        done: &[&str],
        seat: &StepSeat<'_>,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Contents>;
    /// Seconds of the wait after a step, in which servers do their housekeeping; `None`: there is no wait.
    fn wait_seconds(&self, test: &str, scale: &Scale) -> Option<f64>;
    /// Seconds that a subject's steps take at least, roughly, for plans.
    fn seconds(&self, tests: &[TestInfo], scale: &Scale) -> f64;
}

/// Whose streams they are to be.
#[derive(Clone, Copy, Debug)]
pub struct StepSeat<'a> {
    /// The step's name.
    pub test: &'a str,
    /// Data and clients.
    pub scale: &'a Scale,
    /// Seed of every random choice.
    pub seed: u64,
    /// As the reference does it.
    pub compat: bool,
}

/// What a step's rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Rows inserted (or indexed).
    Rows,
    /// Queries.
    Queries,
}

/// How much a step does, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepWork {
    /// What its rate counts.
    pub counts: Counts,
    /// Inserting statements of each client, and as many deleting ones where there are any.
    pub statements: u64,
    /// Rows of each.
    pub rows_per_statement: u64,
    /// Rows per second of each client; `None`: as fast as it goes.
    pub rows_per_second: Option<u64>,
    /// Subjects may take turns within it.
    pub chunked: bool,
    /// Every so many statements the look-up comes first.
    pub look_up_every: u64,
    /// Writers burst at the second and never catch up, as the reference's do.
    pub bursts: bool,
}

/// Does one kind of statement over one connection.
pub trait StatementStream: Send {
    /// Does statement `number` of the step: the same on every subject. Returns rows.
    ///
    /// # Errors
    /// Crash, timeout, or what the server said.
    fn act(&mut self, number: u64) -> Outcome<u64>;
    /// Statements so far that were done again, because the server had undone them for another session's sake.
    fn retries(&self) -> u64 {
        0
    }
    /// The server process or thread that serves it, where the host can see it.
    fn server_process(&self) -> Option<u32>;
}

/// One client: what it does at the same time, each over a connection of its own.
#[derive(Default)]
pub struct ClientStreams {
    /// Inserts.
    pub insert: Option<Box<dyn StatementStream>>,
    /// Deletes, never more than a few statements ahead of or behind inserts.
    pub delete: Option<Box<dyn StatementStream>>,
    /// Queries, until the writers of all clients are done.
    pub query: Option<Box<dyn StatementStream>>,
    /// Looks up where the queue begins, now and then; writers wait for it.
    pub look_up: Option<Box<dyn StatementStream>>,
}

impl ClientStreams {
    /// Those that there are.
    pub fn all(&self) -> impl Iterator<Item = &dyn StatementStream> {
        let streams = [&self.insert, &self.delete, &self.query, &self.look_up];
        streams.into_iter().filter_map(|stream| stream.as_deref())
    }
}
