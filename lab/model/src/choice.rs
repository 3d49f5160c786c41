//! What a report says of a run that it does not show as it was measured.

use serde::{Deserialize, Serialize};

/// The subjects of a run, beside a report that has another base or only some of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Labels of all subjects, in the order of the run; the first is the base that it measured against.
    pub measured: Vec<String>,
    /// The same subjects as they could be typed.
    pub typed: Vec<String>,
}

impl Choice {
    /// The base that the run measured against.
    pub fn measured_base(&self) -> &str {
        self.measured.first().map_or("", String::as_str)
    }
}
