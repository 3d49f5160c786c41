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

/// When a test runs within a session. Writes age the tables, so that what is read before them and what is read
/// after them are two things, and each session keeps them apart in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Reads of the data as it was loaded.
    Fresh,
    /// Writes that leave as many rows as they found.
    Write,
    /// Reads after those writes, where the plan has any.
    #[default]
    Aged,
    /// Writes that change how many rows there are.
    Resize,
}

/// What a test is, for people and for reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestInfo {
    /// The reference's name (`hot-points`).
    pub name: String,
    /// `point`, `range`, `aggregate`, `write` or `pre`.
    pub group: String,
    /// One line: what one operation is, and what QPS counts.
    pub operation: String,
    /// Operations that the clock counts per call of the client: the statements of a transaction, else 1.
    pub statements: u32,
    /// Whether the test changes data, so that idle subjects must be frozen.
    pub writes: bool,
    /// Expected to last long per operation (scan, range=10000): a slice may be a single operation.
    pub long: bool,
    /// When it runs within a session.
    #[serde(default)]
    pub phase: Phase,
    /// Further groups that it belongs to (`today`, `read`), for `--tests`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
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
    /// Whether a subject's test ended before its work was done, or with wrong rows. Nothing of it is compared.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::WrongAnswer)
    }

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
