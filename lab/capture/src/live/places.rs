//! Which column each value of a statement belongs to, and how: compared with it, written to it, the end of a range. Aliases are
//! resolved over the whole statement, without regard to where a subquery begins.

use humdrum_contract::TableName;

/// What a value is to its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Equal to it, or one of those that may be.
    Equal,
    /// An array of values, one of which is equal to it.
    Array,
    /// A pattern that it is like.
    Like,
    /// The beginning of a range of it.
    From,
    /// The end of a range of it.
    To,
    /// Its new value.
    Set,
    /// Added to it.
    Change,
    /// Its value in row N of the rows that are inserted.
    Inserted(usize),
    /// Rows that are returned; no column.
    Limit,
    /// Rows that are left out before; no column.
    Offset,
}

/// A column, as a statement names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// By name.
    Named(String),
    /// By its place in the table: INSERT without names.
    Nth(usize),
    /// None.
    Nothing,
}

/// The place of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) role: Role,
    pub(super) column: Column,
    /// Tables that may have the column, by their place in `Read::tables`.
    pub(super) tables: Vec<usize>,
}

/// What was read of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) tables: Vec<TableName>,
    /// By value.
    pub(super) places: Vec<Option<Place>>,
    /// It inserts rows, and fails where one is there already.
    pub(super) must_be_new: bool,
}
