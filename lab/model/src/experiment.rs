//! Plans with a question, how far each is answered, and the claims of publications that they ask.

use std::fmt;

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

/// So many of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountOf {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
}

impl CountOf {
    /// Whether it is all of them.
    pub fn is_all(self) -> bool {
        self.count >= self.of
    }
}

impl fmt::Display for CountOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.count, self.of)
    }
}

/// How much of a plan its records have ratios of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Tests with a ratio of any release; `None` where the plan's tests are not known.
    pub tests: Option<CountOf>,
    /// Releases beside the base with a ratio of any test.
    pub releases: CountOf,
    /// Ratios, of each test of each release.
    pub ratios: Option<CountOf>,
}

impl Coverage {
    /// Whether nothing of the plan is missing.
    pub fn is_whole(&self) -> bool {
        let is_all = |of: Option<CountOf>| of.is_none_or(CountOf::is_all);
        self.releases.is_all() && is_all(self.tests) && is_all(self.ratios)
    }
}

/// `4 of 10 tests, 1 of 6 releases`; and the ratios, where only some of them are missing.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tests) = self.tests {
            write!(f, "{tests} tests, ")?;
        }
        write!(f, "{} releases", self.releases)?;
        let has_each = self.releases.is_all() && self.tests.is_none_or(CountOf::is_all);
        match self.ratios.filter(|ratios| has_each && !ratios.is_all()) {
            Some(ratios) => write!(f, ", {ratios} ratios"),
            None => Ok(()),
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
    /// Claims that it asks, as typed (`POST 1-3,7`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
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
    /// How much of the plan was measured; only where it is set beside published figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
}

impl ExperimentRow {
    /// Whether its state is that of a part of the plan, because the records have no more.
    pub fn is_in_part(&self) -> bool {
        let is_compared = matches!(self.state, ExperimentState::Agrees | ExperimentState::Differs);
        is_compared && self.coverage.is_some_and(|coverage| !coverage.is_whole())
    }

    /// Its state in words: `agrees`, or `agrees in part (4 of 10 tests, 1 of 6 releases)`.
    pub fn state_words(&self) -> String {
        let word = self.state.word();
        match self.coverage.filter(|_| self.is_in_part()) {
            Some(coverage) => format!("{word} in part ({coverage})"),
            None => word.to_owned(),
        }
    }
}

/// What a publication says in one sentence, in our words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The publication, by its short name.
    pub post: String,
    /// Its place among those of its publication, from 1 on.
    pub number: u32,
    /// What is said.
    pub claim: String,
    /// The older side.
    pub base: String,
    /// The newer side.
    pub subject: String,
    /// Of which tests.
    pub tests: String,
    /// The host, the rows and the clients that it holds for.
    pub condition: String,
    /// The engine.
    pub engine: String,
    /// `slower`, `faster` or `same` for ratios of throughputs; other words for other quantities.
    pub direction: String,
    /// The quantity: `rqps`, `cpu_per_op` …
    pub metric: String,
    /// The range of ratios that it gives, as far as its digits go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<[f64; 2]>,
    /// Paths of the plans that ask it.
    pub plans: Vec<String>,
    /// What the records of these plans say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ClaimAnswer>,
    /// Why no plan asks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_asked: Option<String>,
}

/// What our records say of a claim: ratios of throughputs of its releases and tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimAnswer {
    /// How many there are, of all tests, releases and hosts.
    pub figures: u64,
    /// How many went the way of the claim.
    pub holds: u64,
    /// How many went the other way; what went neither is undecided.
    pub opposite: u64,
    /// How many lie where the claim puts them; `None` where it gives no size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_the_size: Option<u64>,
    /// The lowest ratio.
    pub lowest: f64,
    /// The highest ratio.
    pub highest: f64,
    /// The hosts, as plans name their records.
    pub hosts: Vec<String>,
}

impl Claim {
    /// Whether neither a plan asks it nor a reason says why none does.
    pub fn is_left_over(&self) -> bool {
        self.plans.is_empty() && self.not_asked.is_none()
    }
}

/// All plans that ask something, and all claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Experiments {
    /// By path.
    pub experiments: Vec<ExperimentRow>,
    /// By publication and number; empty where there is no table of claims.
    pub claims: Vec<Claim>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(state: ExperimentState, [tests, releases, ratios]: [[u64; 2]; 3]) -> String {
        let of = |[count, of]: [u64; 2]| CountOf { count, of };
        let coverage =
            Some(Coverage { tests: Some(of(tests)), releases: of(releases), ratios: Some(of(ratios)) });
        ExperimentRow {
            plan: String::new(),
            question: String::new(),
            differs: Vec::new(),
            claims: Vec::new(),
            published: Vec::new(),
            records: Vec::new(),
            state,
            cannot: None,
            totals: None,
            coverage,
        }
        .state_words()
    }

    #[test]
    fn a_state_of_a_part_of_the_plan_says_of_which() {
        use ExperimentState::{Agrees, CannotBeRun, Differs};
        assert_eq!(row(Agrees, [[10, 10], [6, 6], [60, 60]]), "agrees");
        let part = [[4, 10], [1, 6], [4, 60]];
        assert_eq!(row(Agrees, part), "agrees in part (4 of 10 tests, 1 of 6 releases)");
        assert_eq!(row(CannotBeRun, part), "cannot be run here");
        let missing = row(Differs, [[10, 10], [6, 6], [59, 60]]);
        assert_eq!(missing, "differs in part (10 of 10 tests, 6 of 6 releases, 59 of 60 ratios)");
    }
}
