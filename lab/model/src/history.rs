//! What earlier runs on a host found: the evidence for how much results differ between runs.

use serde::{Deserialize, Serialize};

/// One test of one pair of subjects in one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Names the run; equal for all its entries, unlike any other run's.
    pub run: String,
    /// When the run began, UTC, RFC 3339.
    pub started: String,
    /// The host's generation (`Zen 3`): one cache folder may serve several hosts.
    pub generation: String,
    /// The engine.
    pub engine: String,
    /// The class of tests that shares a between-run variance (`point`, `range`, `write`).
    pub class: String,
    /// The test.
    pub test: String,
    /// Identifies the pair: equal exactly for runs whose results estimate the same ratio.
    pub pair: String,
    /// ln of the subject's throughput relative to the base.
    pub ln_ratio: f64,
    /// Standard error of `ln_ratio` within the run.
    pub se: f64,
}
