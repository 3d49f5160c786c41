//! What a test that writes leaves behind: the state of the data, and the work that the server still owes for
//! writes it has acknowledged.

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
    /// How much.
    pub value: f64,
}

/// When a state was recorded, as seen from a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// Before its first operation.
    Before,
    /// After its last operation, with everything still owed.
    After,
    /// After what was owed was paid.
    Paid,
}

/// The rows themselves: equal for all subjects after equal work, or a subject has lost or invented something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Rows over all tables.
    pub rows: u64,
    /// Checksum by the server's own arithmetic.
    pub checksum: String,
}

/// The fingerprint of one subject's data at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateFacts {
    /// The test around which it was taken.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// When.
    pub moment: Moment,
    /// The rows, where they were summed.
    pub contents: Option<Contents>,
    /// Sizes, and what is owed.
    pub quantities: Vec<Quantity>,
}

/// What a subject owed after a test, measured by having it pay at once, alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debt {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Calls of the client since the last payment, uncounted ones included: all of them left debt.
    pub operations: u64,
    /// Nanoseconds that paying took.
    pub wall_ns: u64,
    /// One value per metric of `Results::metrics`, over the payment.
    pub readings: Vec<i64>,
}
