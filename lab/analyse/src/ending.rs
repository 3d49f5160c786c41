//! How a test ended: its status and the facts behind it.

use humdrum_model::TestStatus;

/// A status and the facts behind it, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// How it ended.
    pub status: TestStatus,
    /// What happened.
    pub notes: Vec<String>,
}
