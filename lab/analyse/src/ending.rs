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

impl Ending {
    /// Whether numbers are shown: those of a crashed or wrong subject would mislead.
    pub fn speaks(&self) -> bool {
        !matches!(self.status, TestStatus::Failed | TestStatus::WrongAnswer)
    }
}
