//! Sessions with sorts of byte keys.
//!
//! An operation sorts one draw of keys. The session has several draws of the same kind of keys, so that a processor
//! cannot learn the one order of few rows; an operation's seed chooses among them, the same for every subject.
//!
//! ```text
//!   seed ──▶ draw number ──▶ keys, in the order in which they were made ──▶ sorted, then checked or forgotten
//!            below draws       untimed                                       timed
//! ```

use std::time::Duration;

use crate::Outcome;

/// Keys to be sorted: enough to make them again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKeys {
    /// The name of the set (`uuid`).
    pub set: String,
    /// Keys of a draw.
    pub rows: u64,
    /// Draws.
    pub draws: u64,
}

/// Keys that were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortMade {
    /// Keys of all draws.
    pub rows: u64,
    /// Their bytes.
    pub bytes: u64,
    /// A hash over all keys in the order in which they were made.
    pub checksum: u64,
}

/// A batch of operations. Operation `i` has the seed `first_seed + i × seed_step`, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortBatch {
    /// Seed of the first.
    pub first_seed: u64,
    /// From one seed to the next.
    pub seed_step: u64,
    /// How many.
    pub count: u64,
    /// Check the order of every key, and hash them. Not measured.
    pub checked: bool,
}

/// The result of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortDone {
    /// Keys sorted.
    pub rows: u64,
    /// Sum over operations of a hash of their keys in order, if the batch was checked.
    pub checksum: u64,
    /// Time in the sort itself, ns.
    pub wall_ns: u64,
}

/// A connection to a sort.
pub trait SortSession: Send {
    /// Sets the seed of the keys that any session of this server makes from now on.
    ///
    /// # Errors
    /// Crash or timeout.
    fn seed(&mut self, seed: u64) -> Outcome<()>;
    /// Makes keys, in place of those that the session had.
    ///
    /// # Errors
    /// As `seed`; usage for a set that there is not, and for one that this sort does not take.
    fn make(&mut self, keys: &SortKeys) -> Outcome<SortMade>;
    /// Does a batch; `latency` receives (ns, operations that took so long). The hot path.
    ///
    /// # Errors
    /// As `seed`, and wrong answer if a checked batch is not in order.
    fn run(&mut self, batch: &SortBatch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<SortDone>;
    /// Answers of this session are due within this time from now on.
    ///
    /// # Errors
    /// Environment, when the timeout cannot be set.
    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()>;
    /// The thread that serves this session, if the host can see it.
    fn server_process(&self) -> Option<u32>;
}
