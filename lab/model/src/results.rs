//! The contents of a results file in memory: the plain record between capturing and reading.

use serde::{Deserialize, Serialize};

use crate::{
    Block, Calibration, Counting, Debt, Examination, HostFacts, HostReading, Latency, Metric, Plan, PlanRun,
    QueryPlan, RunRates, SessionInfo, StateFacts, StepFacts, TestStatus,
};

/// Facts of one subject, recorded when it was provisioned and started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectFacts {
    /// The version that the server reports.
    pub version: String,
    /// Where the build came from and its checksum.
    pub origin: String,
    /// Compiler, flags and other facts that matter for comparing builds.
    pub build: Vec<String>,
    /// All effective settings, sorted by name.
    pub settings: Vec<(String, String)>,
    /// Settings that the lab or the user set, in order.
    pub given: Vec<(String, String)>,
    /// Identifies build and settings. Two subjects have the same fingerprint exactly when their comparison is an A/A.
    pub fingerprint: String,
    /// How the lab reaches a server that it did not start; `None` for its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
}

impl SubjectFacts {
    /// Whether both are facts of one program, with any settings.
    pub fn is_same_build(&self, other: &Self) -> bool {
        (&self.version, &self.origin, &self.build) == (&other.version, &other.origin, &other.build)
    }
}

/// How the lab reaches a server that it did not start. What a round trip costs is part of every figure of that server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where the server is.
    pub kind: LinkKind,
    /// Version, cipher and what was checked of the server; `None` without encryption.
    pub encryption: Option<String>,
    /// Median of round trips for which the server has nothing to do, in nanoseconds.
    pub round_trip_ns_p50: u64,
    /// How many of them were measured, one after the other.
    pub round_trips: u32,
}

/// Where a server is that the lab did not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// On this host, by a Unix socket.
    Socket,
    /// On this host, by TCP.
    Loopback,
    /// By a network.
    Network,
}

/// The data as loaded. The run stops unless it is equal for all subjects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadFacts {
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Rows of all tables.
    pub rows: u64,
    /// Checksum of all rows, by the server's own arithmetic.
    pub checksum: String,
    /// Bytes of tables and indexes.
    pub bytes: u64,
    /// Seconds the load took.
    pub seconds: f64,
}

/// Something that happened to a subject. A failed measurement is an event, not the end of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Index into the plan's subjects, if it concerns one.
    pub subject: Option<usize>,
    /// The test in which it happened, if any.
    pub test: Option<String>,
    /// The session in which it happened, if any.
    pub session: Option<u32>,
    /// The status that it gives to the test.
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
    /// 95th percentile of |ln ratio| between equal subjects on this host, measured by an earlier A/A run.
    pub aa_floor: Option<f64>,
    /// The A/A excess of that run: how much equal subjects differed beyond their intervals (ln units, 95th
    /// percentile over tests). Intervals do not cover this error, so δ is at least as large.
    pub aa_excess: Option<f64>,
    /// The metrics of the readings in each slice, by position.
    pub metrics: Vec<Metric>,
    /// Facts of the subjects, by position in the plan.
    pub subjects: Vec<SubjectFacts>,
    /// Loads, in the order in which they were done.
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
    /// Debts after tests that write.
    #[serde(default)]
    pub debts: Vec<Debt>,
    /// Examinations of tests that moved.
    #[serde(default)]
    pub examinations: Vec<Examination>,
    /// How each subject runs the statements of each test.
    #[serde(default)]
    pub query_plans: Vec<QueryPlan>,
    /// Actual rows of statements whose plans differ.
    #[serde(default)]
    pub plan_runs: Vec<PlanRun>,
    /// Facts of whole steps beside their blocks.
    #[serde(default)]
    pub steps: Vec<StepFacts>,
    /// Readings of the calibration kernel beside the blocks.
    #[serde(default)]
    pub host_readings: Vec<HostReading>,
    /// Rates over the time of imported runs.
    #[serde(default)]
    pub run_rates: Vec<RunRates>,
    /// Failures and other facts.
    pub events: Vec<Event>,
    /// Whether the run came to its end, without an interruption.
    pub finished: bool,
}

impl Results {
    /// The record of a plan before anything is measured: no name of a tool, no host, no time.
    pub fn of(plan: Plan) -> Self {
        Self {
            tool: String::new(),
            started: String::new(),
            seconds: 0.0,
            plan,
            host: HostFacts::default(),
            aa_floor: None,
            aa_excess: None,
            metrics: Vec::new(),
            subjects: Vec::new(),
            loads: Vec::new(),
            calibrations: Vec::new(),
            sessions: Vec::new(),
            blocks: Vec::new(),
            latencies: Vec::new(),
            states: Vec::new(),
            debts: Vec::new(),
            examinations: Vec::new(),
            query_plans: Vec::new(),
            plan_runs: Vec::new(),
            steps: Vec::new(),
            host_readings: Vec::new(),
            run_rates: Vec::new(),
            events: Vec::new(),
            finished: false,
        }
    }

    /// Remarks on the whole run that are not failures, such as a busy host at its start.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let of_all = |event: &&Event| {
            (event.subject, event.session) == (None, None)
                && event.test.is_none()
                && event.status == TestStatus::Ok
        };
        self.events.iter().filter(of_all).map(|event| event.what.as_str())
    }

    /// Index of the metric of that name, which is the index of its reading in every slice and debt.
    /// `None`: this run did not read it.
    pub fn metric_position(&self, name: &str) -> Option<usize> {
        Metric::position(&self.metrics, name)
    }

    /// Whether a subject takes part in a session, by its number.
    pub fn takes_part(&self, subject: usize, session: u32) -> bool {
        let info = self.sessions.iter().find(|info| info.number == session);
        info.is_none_or(|info| info.has(subject))
    }

    /// Whether all of these subjects take part in a session, by its number.
    pub fn share(&self, subjects: &[usize], session: u32) -> bool {
        subjects.iter().all(|subject| self.takes_part(*subject, session))
    }

    /// Blocks of a test that count, in the order in which they ended.
    pub fn counted_blocks<'a>(&'a self, test: &'a str) -> impl Iterator<Item = &'a Block> {
        let counting = Counting::of(self.blocks.iter().filter(|block| block.test == test));
        self.blocks.iter().filter(move |block| block.test == test && counting.counts(block))
    }

    /// Blocks that a rule discards, in the order in which they ended.
    pub fn discarded_blocks(&self) -> impl Iterator<Item = &Block> {
        let counting = Counting::of(&self.blocks);
        self.blocks.iter().filter(move |block| !counting.counts(block))
    }
}
