//! A complete and checked plan of what to measure. It is written into the results before the first block.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AfterLoad, Builds, Imported, Judging, Shard, Subject, TestInfo, Timings};

/// How subjects take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// All servers run, and subjects alternate in slices of milliseconds.
    #[default]
    Interleaved,
    /// One server runs at a time, for whole steps.
    Sequential,
}

impl Mode {
    /// The word that `--mode` takes.
    pub fn word(self) -> &'static str {
        match self {
            Self::Interleaved => "interleaved",
            Self::Sequential => "sequential",
        }
    }
}

/// The amount of data, and the number of clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scale {
    /// `tiny`, `small`, `medium`, `large` or `custom`.
    pub name: String,
    /// Rows per table. In a run at several numbers of rows, the largest.
    pub rows: u64,
    /// Tables.
    pub tables: u32,
    /// Client threads per subject, each with one connection. In a run at several numbers of clients, the largest.
    pub clients: u32,
    /// Sizes that only this workload has, by name (`y`, `seconds`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub more: BTreeMap<String, u64>,
}

/// Exact numbers, as `--scale` takes them. Without tables, the workload has sizes of its own alone.
impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, tables, clients, .. } = self;
        match tables {
            0 => write!(f, "clients={clients}")?,
            _ => write!(f, "rows={rows},tables={tables},clients={clients}")?,
        }
        self.more.iter().try_for_each(|(name, value)| write!(f, ",{name}={value}"))
    }
}

/// One test of the plan.
pub type PlannedTest = TestInfo;

/// The design that fits the budget. It is decided and recorded before measuring, and does not change
/// afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Screening sessions of a subject.
    pub screening_sessions: u32,
    /// Most confirmation sessions of a subject on each data set. A test has fewer when it is decided and its interval is narrow.
    pub confirmation_sessions: u32,
    /// Seconds of one test that reads within one session, warm-up included.
    pub seconds_per_test_session: f64,
    /// A test that writes has this many times those seconds. Bursts of background work make its blocks differ
    /// more, and its settling takes seconds even if the test is short.
    #[serde(default = "one")]
    pub write_share: f64,
    /// Seconds of warm-up of each (test, session), uncounted. They are spread evenly over its connections.
    pub warmup_seconds: f64,
    /// Connections that a client of a test that reads opens in a session, one after the other; in a run at several
    /// numbers of clients, those of a single client.
    #[serde(default = "one_connection")]
    pub connections: u32,
    /// Warm-up of a test's first session.
    pub first_warmup_seconds: f64,
    /// Length of a slice of a test that reads, milliseconds.
    pub slice_ms: f64,
    /// Length of a slice of a test that writes, milliseconds. It is longer, because servers are frozen and thawed
    /// between slices.
    #[serde(default = "slice_ms_writes")]
    pub slice_ms_writes: f64,
    /// Milliseconds of a slice for each client, where these are more in all; 0 where the user named a length.
    #[serde(default, skip_serializing_if = "crate::slices::is_zero")]
    pub slice_ms_per_client: f64,
    /// Length of the guard at the start of each slice, milliseconds.
    pub guard_ms: f64,
    /// Fewest operations in a slice (1 for long tests).
    pub min_operations: u64,
    /// Smallest change that matters, as a fraction (0.01).
    pub delta: f64,
    /// Smallest change that matters for tests that write.
    pub delta_writes: f64,
    /// A test is measured until its half-width is at most this fraction, or the budget is spent.
    pub target_half_width: f64,
    /// Two-sided error rate of the family.
    pub alpha: f64,
    /// Restart the servers before every session.
    pub restart: bool,
    /// Make the data anew before every session.
    pub reload: bool,
    /// Make it anew from a copy of the first load.
    #[serde(default)]
    pub copy: bool,
    /// The timings of all subjects' engines, added up.
    #[serde(default = "Timings::before_they_were_told", rename = "costs")]
    pub timings: Timings,
    /// Every session has some of the subjects only; `None` where each has all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
    /// Sd between sessions assumed when planning, as a fraction.
    pub assumed_session_sd: f64,
    /// Seconds after which an operation counts as hung.
    pub timeout_seconds: f64,
}

/// Six sessions of four seconds a test, for examples and tests. Runs have a design from `humdrum-plan`.
impl Default for Design {
    fn default() -> Self {
        Self {
            screening_sessions: 0,
            confirmation_sessions: 6,
            seconds_per_test_session: 4.0,
            write_share: one(),
            warmup_seconds: 0.1,
            connections: one_connection(),
            first_warmup_seconds: 2.0,
            slice_ms: 10.0,
            slice_ms_writes: slice_ms_writes(),
            slice_ms_per_client: 0.0,
            guard_ms: 1.0,
            min_operations: 5,
            delta: 0.01,
            delta_writes: 0.02,
            target_half_width: 0.005,
            alpha: 0.05,
            restart: true,
            reload: false,
            copy: false,
            timings: Timings::NONE,
            incomplete: None,
            assumed_session_sd: 0.003,
            timeout_seconds: 10.0,
        }
    }
}

/// An incomplete block design: a session has the base and some of the other subjects, all equally often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Incomplete {
    /// Subjects of a session, the base included.
    pub subjects: u32,
    /// Subjects of the run, the base included.
    pub of: u32,
    /// The timings of the engines of one session, added up; the mean over all sessions.
    pub timings: Timings,
}

impl Incomplete {
    /// Subjects of a session beside the base, and subjects of the run beside it.
    fn others(&self) -> (u32, u32) {
        (self.subjects.saturating_sub(1).max(1), self.of.saturating_sub(1).max(1))
    }

    /// Sessions in which each subject takes part once, on average.
    pub fn round(&self) -> f64 {
        let (dealt, others) = self.others();
        f64::from(others) / f64::from(dealt)
    }
}

impl Design {
    /// Sessions of the run in which each subject has `each`: as many if every session has all subjects.
    pub fn sessions_of_run(&self, each: u32) -> u32 {
        let Some(incomplete) = &self.incomplete else { return each };
        let (dealt, others) = incomplete.others();
        (each * others).div_ceil(dealt)
    }

    /// Most sessions of the run on each of its data sets, the slice check left out.
    pub fn sessions_max(&self) -> u32 {
        self.sessions_of_run(self.screening_sessions) + self.sessions_of_run(self.confirmation_sessions)
    }

    /// Whether the number of sessions was decided beforehand; that of imported runs was not.
    pub fn is_planned(&self) -> bool {
        self.sessions_max() > 0
    }

    /// The timings of the engines of one session, added up.
    pub fn session_timings(&self) -> &Timings {
        self.incomplete.as_ref().map_or(&self.timings, |incomplete| &incomplete.timings)
    }

    /// Seconds of a test within one session of ordinary length, warm-up included.
    pub fn seconds_of(&self, test: &TestInfo) -> f64 {
        self.seconds_per_test_session * self.share_of(test)
    }

    /// Connections that a client of a test that reads opens in a session, one after the other. With several clients there
    /// are several at a time.
    pub fn connections_of(&self, test: &TestInfo) -> u32 {
        test.clients.map_or(self.connections, |clients| self.connections.div_ceil(clients.max(1)))
    }

    /// That time, as a multiple of the time of a test that reads.
    pub fn share_of(&self, test: &TestInfo) -> f64 {
        if test.writes { self.write_share } else { 1.0 }
    }
}

/// The write share of plans without one.
fn one() -> f64 {
    1.0
}

/// The connections in plans without them.
fn one_connection() -> u32 {
    1
}

/// The slices of writing tests in plans without them.
fn slice_ms_writes() -> f64 {
    10.0
}

/// A whole checked plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The workload's name (`sysbench`).
    pub suite: String,
    /// Subjects; the first is the base.
    pub subjects: Vec<Subject>,
    /// Tests in the order in which they run.
    pub tests: Vec<PlannedTest>,
    /// Data and clients.
    pub scale: Scale,
    /// How subjects take turns.
    pub mode: Mode,
    /// Seed of every random choice.
    pub seed: u64,
    /// Seconds that measuring may take, load and restarts included.
    pub budget_seconds: f64,
    /// The design that fits the budget.
    pub design: Design,
    /// Exit with 4 when a test stays undecided.
    pub strict: bool,
    /// Tests work like the reference even where that is known to mislead: `delete` counts statements that
    /// find nothing, the post-write step runs once, and a test is compared whatever its background writer kept of its rate.
    #[serde(default)]
    pub compat: bool,
    /// Checksum of the files of a user's own workload; `None` for the workloads of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_sha256: Option<String>,
    /// Which verdicts count, and how strictly.
    #[serde(default)]
    pub judging: Judging,
    /// Bytes of memory that each server may use, page cache included; `None` without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Microseconds that each call of a server which syncs a file is held back; `None` without a delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fsync_delay_us: Option<u64>,
    /// Which part of a larger plan this is; `None` for a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Which of several builds of each subject this run measures; `None` where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builds: Option<Builds>,
    /// What single subjects run after their loads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after_load: Vec<AfterLoad>,
    /// Where the results come from, if others measured them; nothing was planned then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

/// The number of calls in a slice of one test, the same for every subject and every session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The test's name.
    pub test: String,
    /// Counted calls per slice, all clients together.
    pub operations: u64,
    /// Uncounted calls at the start of each slice, all clients together.
    pub guard_operations: u64,
    /// Blocks in a session of ordinary length.
    #[serde(default)]
    pub blocks: u32,
}
