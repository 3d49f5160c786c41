//! What selftests found: how often verdicts were wrong where the truth was known.

use serde::{Deserialize, Serialize};

/// What a certificate holds for: verdicts are as reliable as their noise, which differs by all of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// The engine.
    pub engine: String,
    /// The class of tests (`point`, `range`, `write`).
    pub class: String,
    /// Client threads per subject.
    pub clients: u32,
    /// The host's generation (`Zen 3`): one cache folder may serve several hosts.
    pub generation: String,
}

/// The verdicts on throughput of one run of a selftest, counted over the tests of one scope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelftestCount {
    /// Names the run; equal for all its counts, unlike any other run's.
    pub run: String,
    /// When the run began, UTC, RFC 3339.
    pub started: String,
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// The run's seed.
    pub seed: u64,
    /// Whose verdicts these are.
    pub scope: Scope,
    /// Share of operations that the subject did twice; 0 in an A/A run.
    pub injected: f64,
    /// The run's budget, divided by its tests.
    pub seconds_per_test: f64,
    /// Tests with a verdict.
    pub verdicts: u64,
    /// Of these, regressions.
    pub regressions: u64,
    /// Of these, verdicts that claim what is known to be false: any change in an A/A run; with a loss, an improvement, "boring"
    /// where the loss is more than δ, and a regression where it is not.
    pub wrong: u64,
}

/// So many of so many, with an exact binomial interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// 95 % interval, as fractions. Of none or all, one end is known, and the other is a one-sided 95 % bound.
    pub ci95: [f64; 2],
}

/// What selftests found with one injected loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossRates {
    /// Share of operations that the subject did twice.
    pub injected: f64,
    /// How often a regression was called.
    pub called: Rate,
    /// How often a verdict claimed what is known to be false.
    pub wrong: Rate,
}

/// What all selftests of one scope found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// What it holds for.
    #[serde(flatten)]
    pub scope: Scope,
    /// Runs that it counts.
    pub runs: u64,
    /// When the latest of them began, UTC, RFC 3339.
    pub latest: String,
    /// The least time that one of them had for a test, from its budget.
    pub seconds_per_test: f64,
    /// How often a verdict on equal subjects was a regression or an improvement; absent without an A/A run.
    pub false_alarms: Option<Rate>,
    /// By injected loss, smallest first.
    pub losses: Vec<LossRates>,
}

/// What one selftest found, in a stable form for scripts: `selftest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selftest {
    /// Version of this format.
    pub schema: u32,
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// The workload.
    pub suite: String,
    /// The subject, as typed.
    pub subject: String,
    /// The first run's seed; each further run has the next one.
    pub seed: u64,
    /// Seconds that each run may take.
    pub budget_seconds: f64,
    /// Runs that came to their end.
    pub runs: u32,
    /// Runs that were planned.
    pub runs_planned: u32,
    /// What this selftest found.
    pub found: Vec<Certificate>,
    /// The same together with all earlier selftests of these scopes on this host.
    pub certificates: Vec<Certificate>,
}
