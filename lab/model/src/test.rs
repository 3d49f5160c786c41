//! A test: one repeated operation of a workload.

use serde::{Deserialize, Serialize};

/// What a workload needs an engine to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// SQL over the engine's own protocol.
    Sql,
    /// Keys and values.
    Kv,
    /// Sorting byte keys.
    Sort,
}

/// What a test is, for people and for reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestInfo {
    /// The reference's name (`hot-points`).
    pub name: String,
    /// `point`, `range`, `aggregate` or `write`.
    pub group: String,
    /// One line: what one operation is, and what QPS counts.
    pub operation: String,
    /// Operations that the clock counts per call of the client: the statements of a transaction, else 1.
    pub statements: u32,
    /// Whether the test changes data, so that idle subjects must be frozen.
    pub writes: bool,
    /// Expected to last long per operation (scan, range=10000): a slice may be a single operation.
    pub long: bool,
}

/// How a test ended, apart from any verdict on speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestStatus {
    /// Every subject did all its work.
    Ok,
    /// A server crashed, hung or refused.
    Failed,
    /// A server returned other rows than the base.
    WrongAnswer,
    /// No steady state was found.
    NotSteady,
    /// The background rate was not kept.
    SlaMissed,
}

impl TestStatus {
    /// The word used in every output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::WrongAnswer => "wrong-answer",
            Self::NotSteady => "not-steady",
            Self::SlaMissed => "sla-missed",
        }
    }
}
