//! Groups of results: a mean for each, and one variance between the results of a group. Groups are hosts of one kind, or the results
//! of one level of a series.
//!
//! ```text
//!   y_gi = m_g + u_gi + e_gi    groups g, results i of each; u_gi has the same variance τ² in all groups; that of e_gi is known
//! ```
//!
//! τ² is median-unbiased, by the distance of each result from the mean of its group. It is taken to be one number for all groups, so that two
//! results in each of two groups are enough.

use super::{RunEstimate, freedom_within, median_unbiased_within, weighted};

/// What groups of results show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Levels {
    /// τ², ln units.
    pub within: f64,
    /// Its degrees of freedom: results less groups.
    pub freedom: f64,
    /// The groups, in the order given.
    pub levels: Vec<Level>,
}

/// The mean of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level {
    /// ln ratio.
    pub mean: f64,
    /// Its variance: what the results' own errors and τ² make of it.
    pub variance: f64,
}

/// Means of groups, none of which is empty.
pub(crate) fn levels(groups: &[&[RunEstimate]]) -> Levels {
    let within = median_unbiased_within(groups);
    let level = |group: &&[RunEstimate]| {
        let found = weighted(group, within);
        Level { mean: found.mean, variance: found.total.recip() }
    };
    Levels { within, freedom: freedom_within(groups), levels: groups.iter().map(level).collect() }
}
