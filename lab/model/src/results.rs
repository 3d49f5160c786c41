//! Everything a results file holds, in memory: the plain record between capturing and reading.

use serde::{Deserialize, Serialize};

use crate::{
    Block, Calibration, Debt, Examination, HostFacts, Latency, Metric, Plan, QueryPlan, SessionInfo,
    StateFacts, StepFacts, TestStatus,
};

/// What was learnt of one subject when it was provisioned and started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectFacts {
    /// The version the server itself states.
    pub version: String,
    /// Where the build came from and its checksum.
    pub origin: String,
    /// Compiler, flags and other remarks on comparability.
    pub build: Vec<String>,
    /// All effective settings, sorted by name.
    pub settings: Vec<(String, String)>,
    /// Settings that the lab or the user set, in order.
    pub given: Vec<(String, String)>,
    /// Identifies build and settings; equal for two subjects exactly when the comparison is an A/A.
    pub fingerprint: String,
}

/// The data as loaded; equal for all subjects or the run stops.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFacts {
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Rows over all tables.
    pub rows: u64,
    /// Checksum over all rows, by the server's own arithmetic.
    pub checksum: String,
    /// Bytes of tables and indexes.
    pub bytes: u64,
    /// Seconds the load took.
    pub seconds: f64,
}

/// Something that happened to a subject: a failed measurement is a row, not an exit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Index into the plan's subjects, where it concerns one.
    pub subject: Option<usize>,
    /// The test it happened in, where it happened in one.
    pub test: Option<String>,
    /// The session it happened in.
    pub session: Option<u32>,
    /// What it makes of the test.
    pub status: TestStatus,
    /// What happened.
    pub what: String,
    /// The end of the server's log.
    pub log_tail: Option<String>,
}

/// All of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// Seconds from the first to the last record, interruptions left out.
    pub seconds: f64,
    /// The plan, as checked before the first block.
    pub plan: Plan,
    /// The host.
    pub host: HostFacts,
    /// 95th percentile of |ln ratio| between equal subjects on this host, as measured by an earlier A/A run.
    pub aa_floor: Option<f64>,
    /// By how much that run's equal subjects differed beyond what their own intervals admit (ln units, 95th
    /// percentile over tests): error that the intervals do not know of, so δ is not smaller.
    pub aa_excess: Option<f64>,
    /// What the readings in each slice are, by position.
    pub metrics: Vec<Metric>,
    /// By position in the plan's subjects.
    pub subjects: Vec<SubjectFacts>,
    /// Loads, in the order they were done.
    pub loads: Vec<LoadFacts>,
    /// Operations per slice, by test.
    pub calibrations: Vec<Calibration>,
    /// Sessions begun.
    pub sessions: Vec<SessionInfo>,
    /// Blocks, in the order in which they ended.
    pub blocks: Vec<Block>,
    /// Latencies.
    pub latencies: Vec<Latency>,
    /// Fingerprints around tests that write.
    #[serde(default)]
    pub states: Vec<StateFacts>,
    /// What was owed after tests that write.
    #[serde(default)]
    pub debts: Vec<Debt>,
    /// What was looked at after a difference was seen.
    #[serde(default)]
    pub examinations: Vec<Examination>,
    /// How each subject runs the statements of each test.
    #[serde(default)]
    pub query_plans: Vec<QueryPlan>,
    /// What was measured of whole steps beside their blocks.
    #[serde(default)]
    pub steps: Vec<StepFacts>,
    /// Failures and other facts.
    pub events: Vec<Event>,
    /// The run came to its end (rather than being interrupted).
    pub finished: bool,
}

impl Results {
    /// Index of the metric of that name, which is the index of its reading in every slice and debt.
    /// `None`: this run did not read it.
    pub fn metric_position(&self, name: &str) -> Option<usize> {
        Metric::position(&self.metrics, name)
    }

    /// Blocks of a test that count, in the order in which they ended.
    pub fn counted_blocks<'a>(&'a self, test: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |block| block.test == test && block.counts())
    }
}
