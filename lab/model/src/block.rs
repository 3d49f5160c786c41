//! What was measured. The unit of evidence is the block: each subject runs the same work in one short slice, back to
//! back with the others.

use serde::{Deserialize, Serialize};

use crate::STEAL;

/// The purpose of a session's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Decides what to measure further. Verdicts from confirmation sessions do not use its blocks.
    Screening,
    /// New blocks, the only ones that verdicts use.
    Confirmation,
    /// Slices ten times longer, to show that the ratio does not depend on their length.
    SliceCheck,
}

/// One session: new server processes, new connections, and new data where that is cheap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// Number in the run, from 0.
    pub number: u32,
    /// The purpose of its blocks.
    pub stage: Stage,
    /// The servers were restarted before it.
    pub restarted: bool,
    /// The data was loaded anew before it.
    pub reloaded: bool,
    /// The tests it runs, in order. `resume` ends an interrupted session with the same ones.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Blocks per test, as a multiple of the calibration's.
    #[serde(default)]
    pub stretch: f64,
    /// Decided tests that run unrecorded, so that later tests read a table as used as before.
    #[serde(default, rename = "ageing")]
    pub unrecorded: Vec<String>,
    /// The subjects that take part, by index, the base first; empty where all do.
    #[serde(default)]
    pub subjects: Vec<usize>,
}

impl SessionInfo {
    /// Whether a subject takes part.
    pub fn has(&self, subject: usize) -> bool {
        self.subjects.is_empty() || self.subjects.contains(&subject)
    }
}

/// One subject's share of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Nanoseconds since the run began, at the slice's first counted operation.
    pub start_ns: u64,
    /// Nanoseconds from the first counted operation's start to the last one's end.
    pub wall_ns: u64,
    /// Calls of the client that were counted.
    pub operations: u64,
    /// Calls at the start that were not counted, because caches are cold after the switch.
    pub guard_operations: u64,
    /// Rows returned or changed by counted operations; must be equal for all subjects.
    pub rows: u64,
    /// User plus system CPU time of the client threads over guard and counted operations, ns.
    pub client_cpu_ns: u64,
    /// One value per metric of `Results::metrics`: the difference of a counter over guard and counted operations, or
    /// the last reading of a gauge.
    pub readings: Vec<i64>,
    /// Nanoseconds from the first counted operation's start until a quarter, a half and three quarters of the counted
    /// operations had ended; absent where they were not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarter_ns: Option<[u64; 3]>,
    /// Nanoseconds of the slice in which a client had not begun or had no operation left, the mean over the clients; absent
    /// with one client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_ns: Option<u64>,
    /// Of a mix, by script in the order of the test's `scripts`: counted operations, and the time they took over all clients,
    /// ns. Else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<[u64; 2]>,
    /// A pre-declared rule blames something that happened in this slice on the host, and discards the block for it.
    #[serde(default)]
    pub blamed: bool,
}

/// One slice of each subject, back to back, on the same work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Number within (test, session), from 0.
    pub index: u32,
    /// In the order in which they ran.
    pub slices: Vec<Slice>,
    /// Why a rule declared beforehand discards it (steal, sampler gap), if one does; of steal see [`Counting`](crate::Counting).
    pub discarded: Option<String>,
}

impl Block {
    /// The slice of one subject.
    pub fn slice(&self, subject: usize) -> Option<&Slice> {
        self.slices.iter().find(|slice| slice.subject == subject)
    }

    /// Whether the rule of steal marked it.
    pub fn is_stolen(&self) -> bool {
        self.discarded.as_deref().is_some_and(|why| why.starts_with(STEAL))
    }
}

/// Latencies of one subject in one (test, session), as counts over fixed buckets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Non-empty buckets: (highest value in the bucket in ns, count), ascending.
    pub buckets: Vec<(u64, u64)>,
}
