//! Plans with a question, and how far each is answered.

use serde::{Deserialize, Serialize};

use crate::BesideTotals;

/// How far a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExperimentState {
    /// At least nine in ten published changes beyond 5 % have a verdict of the same sign here, and none has one of the other. Where
    /// no change is that large: nine in ten have the same direction.
    Agrees,
    /// The figures do not agree by that rule.
    Differs,
    /// Measured; there is no table of published figures to set beside it.
    Measured,
    /// Not run yet.
    NotRun,
    /// No host that is at hand can run it.
    CannotBeRun,
}

impl ExperimentState {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Measured => "measured",
            Self::NotRun => "not run",
            Self::CannotBeRun => "cannot be run here",
        }
    }
}

/// One plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentRow {
    /// The plan's path.
    pub plan: String,
    /// What it asks.
    pub question: String,
    /// What is not as in the publication.
    pub differs: Vec<String>,
    /// Tables of published figures.
    pub published: Vec<String>,
    /// Our records.
    pub records: Vec<String>,
    /// How far it is answered.
    pub state: ExperimentState,
    /// Why it cannot be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cannot: Option<String>,
    /// Counts over the published figures that were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<BesideTotals>,
}
