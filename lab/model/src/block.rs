//! What was measured. The unit of evidence is the block: every subject once, back to back, on the same
//! work, for a short slice each.

use serde::{Deserialize, Serialize};

/// What a session's blocks are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// First look: decides what to measure further; never part of a verdict that confirmation reaches.
    Screening,
    /// Fresh blocks; verdicts use these alone.
    Confirmation,
    /// Ten times longer slices, to show that the ratio does not depend on the slice.
    SliceCheck,
}

/// One session: fresh server processes, fresh connections, and (where it is cheap) freshly loaded data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// Number in the run, from 0.
    pub number: u32,
    /// What its blocks are for.
    pub stage: Stage,
    /// The servers were restarted before it.
    pub restarted: bool,
    /// The data was loaded anew before it.
    pub reloaded: bool,
    /// The tests it runs, in order; what `resume` needs to end an interrupted session as it was begun.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Blocks per test, as a multiple of the calibration's.
    #[serde(default)]
    pub stretch: f64,
    /// Those of its tests that only age the tables for later ones: run as ever and not recorded, because they are
    /// decided.
    #[serde(default, rename = "ageing")]
    pub unrecorded: Vec<String>,
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
    /// Calls that were run first and not counted (cold caches after the switch).
    pub guard_operations: u64,
    /// Rows returned or changed by counted operations; must equal the other subjects'.
    pub rows: u64,
    /// User plus system CPU time of the client threads over guard and counted operations, ns.
    pub client_cpu_ns: u64,
    /// One value per metric of `Results::metrics`: a counter's difference over guard and counted
    /// operations, a gauge's last reading.
    pub readings: Vec<i64>,
    /// Nanoseconds from the first counted operation's start until a quarter, a half and three quarters of the counted
    /// operations had ended; absent where they were not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarter_ns: Option<[u64; 3]>,
    /// A pre-declared rule blames something that happened in this slice on the host, and discards the block for it.
    #[serde(default)]
    pub blamed: bool,
}

/// Every subject once, back to back, on the same work.
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
    /// Why a pre-declared rule discards it (steal, sampler gap), if one does.
    pub discarded: Option<String>,
}

impl Block {
    /// The slice of one subject.
    pub fn slice(&self, subject: usize) -> Option<&Slice> {
        self.slices.iter().find(|slice| slice.subject == subject)
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
