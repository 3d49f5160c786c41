//! The sizes of the steps at a scale: X (`rows`), Y and Z per table, and seconds of the read-write steps.

use humdrum_model::Scale;

/// The sizes of a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) x: u64,
    pub(crate) y: u64,
    pub(crate) z: u64,
    pub(crate) seconds: u64,
    /// Clients that share a table.
    pub(crate) sharing: u64,
}

impl Sizes {
    pub(crate) fn of(scale: &Scale) -> Self {
        let more = |key| scale.more.get(key).copied().unwrap_or(1);
        let sharing = u64::from((scale.clients / scale.tables.max(1)).max(1));
        Self { x: scale.rows, y: more("y"), z: more("z"), seconds: more("seconds"), sharing }
    }
}
