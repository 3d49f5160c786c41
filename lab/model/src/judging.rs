//! Which verdicts of a run count, and how strictly.

use serde::{Deserialize, Serialize};

/// Operations over time: every test has a verdict on it, counted or not.
pub const THROUGHPUT: &str = "throughput";
/// What the throughput of one script is called as a quantity of its mix: `script pay`.
pub const SCRIPT: &str = "script ";

/// Whether more of a quantity is better, so that a loss makes its ratio smaller.
pub fn is_throughput(quantity: &str) -> bool {
    quantity == THROUGHPUT || quantity.starts_with(SCRIPT)
}

/// The quantities that can be judged: throughput, server CPU per operation, and the 99th percentile of
/// response times.
pub const QUANTITIES: [&str; 3] = [THROUGHPUT, "cpu", "p99"];

/// The quantities that a run is judged by. A regression of any of them makes the exit code 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judging {
    /// A part of [`QUANTITIES`]; each is a family of tests of its own.
    pub quantities: Vec<String>,
    /// Families are corrected as in a gate (Holm), which rarely gives a false alarm, and not as in a report
    /// (Benjamini & Hochberg).
    #[serde(default)]
    pub gate: bool,
}

impl Default for Judging {
    fn default() -> Self {
        Self { quantities: vec![THROUGHPUT.to_owned(), "cpu".to_owned()], gate: false }
    }
}

impl Judging {
    /// Whether verdicts on this quantity count.
    pub fn counts(&self, quantity: &str) -> bool {
        self.quantities.iter().any(|one| one == quantity)
    }
}
