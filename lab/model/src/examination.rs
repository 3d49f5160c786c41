//! What is looked at apart from the measured blocks, after a difference was seen: counters, waits, query plans.

use serde::{Deserialize, Serialize};

/// What a session was doing when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitKind {
    /// Working, or waiting for a processor.
    Cpu,
    /// Waiting for its client.
    Client,
    /// Waiting for a disk.
    Disk,
    /// Waiting for another session: rows, tables, latches.
    Lock,
    /// Waiting for something else.
    Other,
}

impl WaitKind {
    /// The word used in every output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Client => "client",
            Self::Disk => "disk",
            Self::Lock => "lock",
            Self::Other => "other",
        }
    }
}

/// How often sessions were seen waiting for one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Its kind.
    pub kind: WaitKind,
    /// What it is in the engine's own words (`Lock transactionid`).
    pub event: String,
    /// Samples that saw it.
    pub samples: u64,
}

/// Counters of every engine that come from the kernel: context switches of the threads that serve the clients, those in
/// which one waits, and those in which the scheduler takes the processor away from it.
pub const SWITCHES: [&str; 2] = ["switches.voluntary", "switches.involuntary"];

/// How much one of the engine's own counters grew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterDelta {
    /// The engine's name of it (`pg_stat_wal.wal_bytes`).
    pub name: String,
    /// By how much.
    pub delta: f64,
}

/// One subject in one round of looking at a test: fresh connections, some operations, the connections closed again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Examination {
    /// The test's name.
    pub test: String,
    /// Number of the round, from 0.
    pub round: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Calls of the client between the two readings of the counters.
    pub operations: u64,
    /// Nanoseconds of the calls that were watched.
    pub wall_ns: u64,
    /// The engine's counters, and `SWITCHES` where the host shows them.
    pub counters: Vec<CounterDelta>,
    /// Sessions seen, all samples together; zero where the engine cannot be asked.
    pub samples: u64,
    /// What they were seen at.
    pub waits: Vec<Wait>,
}

/// How a subject's server means to run one statement of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryPlan {
    /// The test's name.
    pub test: String,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// The statement, with the arguments it was asked about.
    pub statement: String,
    /// The plan in the engine's own words, line by line.
    pub lines: Vec<String>,
}
