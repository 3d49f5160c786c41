//! The state of the data after a test that writes, and the server's debt: work that it has postponed for
//! writes that it has acknowledged.

use serde::{Deserialize, Serialize};

/// One quantity of a state (`table_bytes`, `dead_rows`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// Name, with the unit last where it has one.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// One line for people.
    pub description: String,
    /// Its value.
    pub value: f64,
}

/// When a state was recorded, as seen from a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// Before its first operation.
    Before,
    /// After its last operation, before the debt was paid.
    After,
    /// After the debt was paid.
    Paid,
}

/// The rows themselves. After equal work they are equal for all subjects, unless a subject returned wrong answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Rows of all tables.
    pub rows: u64,
    /// Checksum by the server's own arithmetic.
    pub checksum: String,
}

/// The fingerprint of one subject's data at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateFacts {
    /// The test before or after which it was recorded.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// When it was recorded.
    pub moment: Moment,
    /// The rows, if they were summed.
    pub contents: Option<Contents>,
    /// Sizes and debts.
    pub quantities: Vec<Quantity>,
}

/// A subject's debt after a test. The subject pays it at once, while the others are frozen; the payment is
/// measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debt {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Calls of the client in the test, uncounted ones included, because all of them leave debt.
    pub operations: u64,
    /// Nanoseconds that paying took.
    pub wall_ns: u64,
    /// One value per metric of `Results::metrics`, over the payment.
    pub readings: Vec<i64>,
}
