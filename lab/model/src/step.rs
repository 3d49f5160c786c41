//! Whole steps: measurements beside their blocks, and the rows of reports.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Percentiles, TestStatus};

/// One second of a stream. Seconds count the subject's own turns without the pauses between them. Statements that ended
/// after the last whole second of `StepFacts::wall_ns` are in one more, which is not whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Second {
    /// Statements that ended in it.
    pub statements: u64,
    /// Rows that they returned or changed.
    pub rows: u64,
    /// The longest response among them, ns.
    pub longest_ns: u64,
}

/// All statements of one kind within a step, of all clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// `insert`, `delete`, `query` or `look-up`.
    pub name: String,
    /// Statements done.
    pub statements: u64,
    /// Rows returned or changed.
    pub rows: u64,
    /// How often statements were run again because the server had rolled them back (deadlocks).
    #[serde(default)]
    pub retries: u64,
    /// Sum of service times, ns.
    pub service_ns: u64,
    /// From a statement's start to its end: (highest ns in the bucket, count), ascending.
    pub service: Vec<(u64, u64)>,
    /// The same from the intended start, where there is one: the time that a user would have waited.
    pub response: Vec<(u64, u64)>,
    /// By second.
    pub seconds: Vec<Second>,
}

/// One subject's run of one step in one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepFacts {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Nanoseconds of its own turns.
    pub wall_ns: u64,
    /// The pace of the writers: rows per second of all clients.
    pub target: Option<f64>,
    /// What was done, by kind of statement.
    pub streams: Vec<Stream>,
}

impl StepFacts {
    /// The stream of that name.
    pub fn stream(&self, name: &str) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.name == name)
    }

    /// The stream that the step is about: its queries, else its inserts.
    pub fn main_stream(&self) -> Option<&Stream> {
        self.stream("query").or_else(|| self.stream("insert"))
    }
}

/// The rate of the writers beside a reading step, and their target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Background {
    /// Rows per second wanted.
    pub target: f64,
    /// Rows per second inserted, over the whole step, in the worst session.
    pub rate: f64,
    /// The same over the worst ten seconds (the whole step where it is shorter).
    pub worst_10s: f64,
}

/// Upper bounds of the classes that the reference counts responses in, µs. The last class has no bound.
pub const RESPONSE_BOUNDS_US: [u64; RESPONSE_CLASSES - 1] =
    [256, 1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000, 4_000_000, 16_000_000];

/// Number of these classes.
pub const RESPONSE_CLASSES: usize = 10;

/// One stream in reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamRow {
    /// Statements done, over all sessions.
    pub statements: u64,
    /// Rows returned or changed.
    pub rows: u64,
    /// How often statements were run again because the server had rolled them back (deadlocks).
    #[serde(default)]
    pub retries: u64,
    /// Sum of the statements' times, seconds.
    pub seconds: f64,
    /// Service times, µs.
    pub service_us: Percentiles,
    /// Response times from the intended start, µs; `max` is the longest stall.
    pub response_us: Percentiles,
    /// Statements by response time, in the classes of `RESPONSE_BOUNDS_US`.
    #[serde(default)]
    pub response_counts: [u64; RESPONSE_CLASSES],
}

/// One subject in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// The subject's label.
    pub subject: String,
    /// The step's name.
    pub test: String,
    /// How the step ended for this subject.
    pub status: TestStatus,
    /// What `rate` counts: `rows` or `queries`.
    pub counts: String,
    /// That number per second, over all sessions; absent where the step failed.
    pub rate: Option<f64>,
    /// The writers beside it.
    pub background: Option<Background>,
    /// The reference's columns (`cpupq`, `wpi`, `dbgb1`, …), by name.
    pub columns: BTreeMap<String, f64>,
    /// By kind of statement.
    pub streams: BTreeMap<String, StreamRow>,
}

/// Writers that keep less than this part of their target make a step `sla-missed`.
pub const SLA_SHARE: f64 = 0.95;

impl Background {
    /// Whether the target was kept on average, as the reference judges it.
    pub fn is_kept(&self) -> bool {
        self.rate >= SLA_SHARE * self.target
    }
}
