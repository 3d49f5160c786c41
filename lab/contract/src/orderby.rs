//! Sessions with engines that answer queries with ORDER BY over a table of their own.
//!
//! An engine of this kind runs in a worker process, and the loop over a slice's operations runs there, so that the lab makes
//! one call a slice. The table is the same, byte by byte, in every engine:
//!
//! ```text
//!   id      integer          the row's number, from 0
//!   url     text             a URL; they share prefixes, and no two are equal
//!   region  integer          one of 1,000
//!   name    text             `customer-004711`, some of them often
//!   seen    timestamp, µs    a second of one year
//!   amount  integer          random
//!   tag     text             16 letters
//!   note    text             96 letters
//! ```
//!
//! A query's keys order all rows in one way only, so that answers can be compared row by row.

use std::time::Duration;

use crate::Outcome;

/// A table: enough to make it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderTable {
    /// Rows.
    pub rows: u64,
    /// Seed of its values.
    pub seed: u64,
}

/// A table that was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderMade {
    /// Rows.
    pub rows: u64,
    /// Bytes of all values, eight for each that is no text.
    pub bytes: u64,
    /// A hash over all values in the order in which they were made.
    pub checksum: u64,
}

/// A column of the table. Columns that are no text are 64-bit integers or timestamps, which count microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderColumn {
    /// The row's number.
    Id,
    /// A URL that no other row has.
    Url,
    /// An integer of few values.
    Region,
    /// A text of few values.
    Name,
    /// A timestamp.
    Seen,
    /// An integer.
    Amount,
    /// A short text.
    Tag,
    /// A longer text.
    Note,
}

impl OrderColumn {
    /// All columns, in the order of the table.
    pub const ALL: [Self; 8] =
        [Self::Id, Self::Url, Self::Region, Self::Name, Self::Seen, Self::Amount, Self::Tag, Self::Note];

    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Url => "url",
            Self::Region => "region",
            Self::Name => "name",
            Self::Seen => "seen",
            Self::Amount => "amount",
            Self::Tag => "tag",
            Self::Note => "note",
        }
    }

    /// Whether its values are texts.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Url | Self::Name | Self::Tag | Self::Note)
    }
}

/// A column that a query orders by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderKey {
    /// The column.
    pub column: OrderColumn,
    /// From the highest value on.
    pub descending: bool,
}

/// A query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderQuery {
    /// The columns that it returns. The keys are among them.
    pub columns: Vec<OrderColumn>,
    /// The columns that it orders by.
    pub keys: Vec<OrderKey>,
    /// Most rows that it returns.
    pub limit: Option<u64>,
    /// It ends when the first rows have come, and counts as one row.
    pub first_row: bool,
    /// The engine's memory, as a share of the bytes of the table in per cent. `None`: as the subject's settings have it.
    pub memory_percent: Option<u32>,
}

/// A batch of operations, each of which is one run of the chosen query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderBatch {
    /// How many.
    pub count: u64,
    /// Check the order of all rows, and hash them. Not measured.
    pub checked: bool,
}

/// The result of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderDone {
    /// Rows returned.
    pub rows: u64,
    /// Sum over operations of a hash of their rows in order, if the batch was checked.
    pub checksum: u64,
    /// From each query's text to its last row, together, ns.
    pub wall_ns: u64,
}

/// A connection to an engine with a table.
pub trait OrderSession: Send {
    /// Makes the server's table, in place of the one that it had.
    ///
    /// # Errors
    /// Crash, timeout, or an error of the engine.
    fn make(&mut self, table: &OrderTable) -> Outcome<OrderMade>;
    /// Chooses the query that this session runs from now on.
    ///
    /// # Errors
    /// As `make`.
    fn choose(&mut self, query: &OrderQuery) -> Outcome<()>;
    /// Does a batch; `latency` receives (ns, operations that took so long). The hot path.
    ///
    /// # Errors
    /// As `make`, and wrong answer if a checked batch is not in order.
    fn run(&mut self, batch: &OrderBatch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<OrderDone>;
    /// Answers of this session are due within this time from now on.
    ///
    /// # Errors
    /// Environment, when the timeout cannot be set.
    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()>;
    /// The thread that serves this session, if the host can see it.
    fn server_process(&self) -> Option<u32>;
}
