//! Where a server's threads were while a test ran: stacks as they were sampled, and what two subjects' stacks come to.

use serde::{Deserialize, Serialize};

use crate::Change;

/// What was sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileKind {
    /// All threads of the server that were on a processor.
    Running,
    /// Threads that serve the clients and had nothing to do but wait.
    Waiting,
    /// All other threads of the same processes, whatever they did; the first frame is the thread's name.
    Others,
}

/// One subject's stacks in one round of profiling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The test's name.
    pub test: String,
    /// Number of the round, from 0.
    pub round: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// What was sampled.
    pub kind: ProfileKind,
    /// µs of a call of the client that one sample stands for.
    pub sample_us: f64,
    /// Folded stacks, outermost frame first, frames parted by `;`, and the samples that found them.
    pub stacks: Vec<(String, u64)>,
}

/// The time per operation in a function, without what it calls, or in a wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeChange {
    /// The function, or the file that it is in where that has no symbols; of a wait, the innermost functions.
    pub symbol: String,
    /// µs per operation.
    pub time: Change,
}

/// A folded stack's time per operation on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackTimes {
    /// Outermost frame first, frames parted by `;`.
    pub stack: String,
    /// µs per operation, the base's.
    pub base: f64,
    /// The subject's.
    pub subject: f64,
}
