//! A test: one repeated operation of a workload.

use serde::{Deserialize, Serialize};

/// The interface that a workload needs of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// SQL over the engine's own protocol.
    Sql,
    /// Keys and values.
    Kv,
    /// Sorting byte keys.
    Sort,
    /// Ordered queries over a table.
    OrderBy,
}

impl Interface {
    /// As messages have it.
    pub fn words(self) -> &'static str {
        match self {
            Interface::Sql => "SQL",
            Interface::Kv => "keys and values",
            Interface::Sort => "sorting",
            Interface::OrderBy => "ordered queries",
        }
    }
}

/// When a test runs within a session. Writes age the tables, so that reads before and after them measure
/// different things. Each session runs the phases in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Reads of the data as it was loaded.
    Fresh,
    /// Writes that leave as many rows as they found.
    Write,
    /// Reads after those writes, if the plan has writes.
    #[default]
    Aged,
    /// Writes that change how many rows there are.
    Resize,
}

/// When the debt that a test's writes leave is paid, and whether that is part of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Payment {
    /// After the test, beside its time. As the reference does it (`Plan::compat`), once after the last test that writes, so that
    /// no test has a debt of its own.
    #[default]
    Usual,
    /// After the test, beside its time; the reference waits there too.
    Own,
    /// After the test, as a part of its time: each operation is charged its share.
    Within,
}

impl Payment {
    fn is_usual(&self) -> bool {
        *self == Self::Usual
    }
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
    /// Operations per call of the client: the statements of a transaction, else 1.
    pub statements: u32,
    /// Whether the test changes data, so that idle subjects must be frozen.
    pub writes: bool,
    /// Whether an operation takes long (scan, range=10000), so that a slice may be a single operation.
    pub long: bool,
    /// When it runs within a session.
    #[serde(default)]
    pub phase: Phase,
    /// Further groups that it belongs to (`today`, `read`), for `--tests`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Whether an operation reads every row of a table.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scans: bool,
    /// The scripts that an operation is one of, in a mix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<String>,
    /// Rows of a table, in a run at several numbers of rows; its name then ends with them (`scan:r40k`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Its clients, in a run at several numbers of clients; its name then ends with them (`scan:c4`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u32>,
    /// When what its writes owe is paid, and whether that is part of its time.
    #[serde(default, skip_serializing_if = "Payment::is_usual")]
    pub payment: Payment,
    /// Most clients that it has, whatever the scale says; `None`: as many as the scale says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients_at_most: Option<u32>,
}

/// How a test ended. It is independent of the verdict on speed.
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
    /// Whether a subject's test ended before its work was done, or with wrong rows. Such a test is not
    /// compared.
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
