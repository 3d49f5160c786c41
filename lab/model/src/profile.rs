//! Where processors were while a test ran: stacks as they were sampled, and what two subjects' stacks come to.

use serde::{Deserialize, Serialize};

use crate::Change;

/// One subject's stacks in one round of profiling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The test's name.
    pub test: String,
    /// Number of the round, from 0.
    pub round: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Calls of the client meanwhile.
    pub operations: u64,
    /// Samples a second of every processor that the server was on.
    pub hertz: u32,
    /// Folded stacks, outermost frame first, frames parted by `;`, and the samples that found them.
    pub stacks: Vec<(String, u64)>,
}

/// A function's own time per operation, without what it calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodeChange {
    /// The function, or the file that it is in where that has no symbols.
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
