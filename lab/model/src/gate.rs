//! What a pull request must not do, and what was accepted.

use serde::{Deserialize, Serialize};

use crate::{Dimension, Numbers};

/// Which verdicts fail a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// What fails the check; anything else is told and passes.
    pub fail: Vec<Failing>,
    /// The same as `undecided` in `fail`.
    pub fail_undecided: bool,
    /// Tests that fail no check, whatever becomes of them.
    pub warn: Vec<String>,
    /// Regressions that were accepted.
    pub allow: Vec<Allowed>,
}

/// Regressions fail, and tests that failed.
impl Default for Gate {
    fn default() -> Self {
        let fail = vec![Failing::Regression, Failing::Failed];
        Self { fail, fail_undecided: false, warn: Vec::new(), allow: Vec::new() }
    }
}

impl Gate {
    /// Whether this fails a check if it becomes of that test. A test at several numbers of rows or clients is named by its own
    /// name (`scan:r40k:c4`), or by that of several of them (`scan:c4`, `scan`).
    pub fn fails(&self, by: Failing, test: &str, numbers: Numbers) -> bool {
        let is_of_several = |name: &String| {
            name == numbers.own_name(test)
                || Dimension::ALL.iter().any(|dimension| *name == numbers.name_without(test, *dimension))
        };
        let is_named = |name: &String| name == test || is_of_several(name);
        let counts = self.fail.contains(&by) || (by == Failing::Undecided && self.fail_undecided);
        counts && !self.warn.iter().any(is_named)
    }
}

/// What becomes of a test and can fail a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Failing {
    /// A quantity that the run is judged by is worse.
    Regression,
    /// It failed or gave a wrong answer.
    Failed,
    /// It has no decision on the first of these quantities.
    Undecided,
}

/// A regression that was accepted on purpose, for a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// The test.
    pub test: String,
    /// `throughput`, `cpu`, `p99`, or `script NAME` for one script of a mix; any of them if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<String>,
    /// The last day on which it is accepted: `2027-01-31`.
    pub until: String,
    /// Why it is accepted.
    pub reason: String,
    /// The largest loss that is accepted, as a fraction; any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}

/// A regression that a gate has judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The subject.
    pub subject: String,
    /// The test.
    pub test: String,
    /// `throughput`, `cpu`, `p99` or `script NAME`.
    pub quantity: String,
    /// Subject over base.
    pub ratio: Option<f64>,
    /// 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// Why it was accepted, if it was.
    pub reason: Option<String>,
    /// Why an acceptance did not count, if there is one.
    pub void: Option<String>,
}

/// What a gate has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gated {
    /// Regressions that fail the check.
    pub failing: Vec<Loss>,
    /// Regressions that were accepted.
    pub accepted: Vec<Loss>,
    /// Regressions that were not accepted, and by the policy do not fail the check.
    pub warned: Vec<Loss>,
    /// Tests that failed or gave a wrong answer, which fails the check.
    pub broken: Vec<String>,
    /// Tests that failed or gave a wrong answer, which by the policy does not.
    pub broken_warned: Vec<String>,
    /// Tests without a decision, if they fail the check.
    pub undecided: Vec<String>,
    /// Acceptances that nothing needed: they can be removed.
    pub idle: Vec<String>,
    /// Tests of which no quantity has a decision, whether they fail the check or not.
    pub open: Vec<String>,
    /// How many tests were judged.
    pub tests: usize,
}

impl Gated {
    /// 3 for what failed, 1 for regressions, 4 for what is undecided, else 0.
    pub fn exit_code(&self) -> u8 {
        match () {
            () if !self.broken.is_empty() => 3,
            () if !self.failing.is_empty() => 1,
            () if !self.undecided.is_empty() => 4,
            () => 0,
        }
    }
}
