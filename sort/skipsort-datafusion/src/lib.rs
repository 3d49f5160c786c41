//! Sorting in DataFusion by skipping the prefixes that keys share.
//!
//! `rule.rs` puts a `SkipSortExec` (`exec.rs`) where a plan has a `SortExec` or a `PartialSortExec`. It takes batches in
//! (`intake.rs`, `keys.rs`), lays out their rows in memory (`buffer.rs`, `records.rs`) and sorts them there (`emit.rs`), or, where
//! the memory pool has no more, by the external library (`external.rs`, `carried.rs`) in files of DataFusion's `DiskManager`
//! (`storage.rs`): at the end of the input, or as soon as a sorted prefix of it moves on (`groups.rs`). Partitions that would be
//! merged are sorted at once (`merge.rs`). With the feature `proto`, `codec.rs` sends it to other processes.
//!
#![doc = include_str!("../README.md")]

mod buffer;
mod carried;
#[cfg(feature = "proto")]
mod codec;
mod direction;
mod emit;
mod exec;
mod external;
mod fixed;
mod groups;
mod intake;
mod key_column;
mod keys;
mod merge;
mod metrics;
mod others;
mod prefetch;
mod records;
mod region;
mod rule;
mod space;
mod storage;
mod strings;

use std::sync::Arc;

use datafusion::execution::context::SessionContext;

#[cfg(feature = "proto")]
pub use codec::SkipSortCodec;
pub use exec::SkipSortExec;
pub use rule::SkipSortRule;

/// What the rule replaces.
///
/// ```
/// let mut config = skipsort_datafusion::SkipSortConfig::default();
/// config.top_k_most = 100;
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SkipSortConfig {
    /// A `LIMIT` of at most so many rows stays with DataFusion's TopK, whose dynamic filter lets scans skip rows; beyond it
    /// the rows are sorted lazily, as far as the limit.
    pub top_k_most: usize,
    /// Bytes of rows that stay in the batches in which they came. More are copied, so that all columns of a row lie side by side. The
    /// default is what processors' caches hold, in which a row is found soon wherever it is.
    pub in_batches_most: usize,
}

impl Default for SkipSortConfig {
    fn default() -> Self {
        SkipSortConfig { top_k_most: 10_000, in_batches_most: 16 << 20 }
    }
}

/// Turns the rule on for a session.
pub trait WithSkipSort {
    /// The same session, whose later plans sort with [`SkipSortExec`].
    ///
    /// ```
    /// use datafusion::prelude::SessionContext;
    /// use skipsort_datafusion::WithSkipSort;
    ///
    /// let ctx = SessionContext::new().with_skipsort(Default::default());
    /// assert!(ctx.state().physical_optimizers().iter().any(|rule| rule.name() == "SkipSort"));
    /// ```
    #[must_use]
    fn with_skipsort(self, config: SkipSortConfig) -> Self;
}

impl WithSkipSort for SessionContext {
    fn with_skipsort(self, config: SkipSortConfig) -> Self {
        let rule = Arc::new(SkipSortRule::new(config));
        SessionContext::new_with_state(self.into_state_builder().with_physical_optimizer_rule(rule).build())
    }
}
