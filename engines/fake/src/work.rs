//! The work of one run of a statement.

/// Time and rows of one run of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    /// Nanoseconds until the answer.
    pub ns: f64,
    /// Rows returned or changed.
    pub rows: u64,
    /// Rows read.
    pub rows_read: u64,
}
