//! Sampled stacks of a server's threads while a test ran, and the comparison of two subjects' stacks.

use serde::{Deserialize, Serialize};

use crate::Change;

/// What was sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileKind {
    /// All threads of the server that were on a processor.
    Running,
    /// Threads that serve the clients and were waiting.
    Waiting,
    /// All other threads of the same processes, running or not. The first frame is the thread's name.
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
    /// µs per call of the client that one sample represents.
    pub sample_us: f64,
    /// Folded stacks, outermost frame first, frames separated by `;`, each with its number of samples.
    pub stacks: Vec<(String, u64)>,
}

/// The time per operation in a function, without what it calls, or in a wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeChange {
    /// The function, or its file if that has no symbols. For a wait, the innermost functions.
    pub symbol: String,
    /// µs per operation.
    pub time: Change,
}

/// A folded stack's time per operation on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackTimes {
    /// Outermost frame first, frames separated by `;`.
    pub stack: String,
    /// The base's µs per operation.
    pub base: f64,
    /// The subject's µs per operation.
    pub subject: f64,
}
