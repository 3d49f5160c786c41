//! The part of a dialect for a table that is used as a queue: rows with ids that the server generates are
//! inserted at one end and deleted at the other.

use crate::Gauge;

/// The differences between engines for such a table.
#[derive(Clone, Copy, Debug)]
pub struct QueueSql {
    /// Type and constraints of the id, which is the primary key and which the server counts up.
    pub id_column: &'static str,
    /// A date and time without zone, to the second.
    pub time_type: &'static str,
    /// Text after the closing parenthesis of CREATE TABLE.
    pub table_options: &'static str,
    /// Ids that a session takes at a time; those that it does not use are never used.
    pub ids_at_once: u64,
    /// Statements after CREATE TABLE.
    pub after_create: fn(table: &str) -> Vec<String>,
    /// One ALTER TABLE builds several indexes at once.
    pub indexes_at_once: bool,
    /// DELETE takes ORDER BY and LIMIT; else rows are chosen by a subquery.
    pub delete_takes_limit: bool,
    /// `FORCE INDEX (…)` is understood.
    pub forces_index: bool,
    /// Queries are prepared, as in the reference for this engine; else they are literal text.
    pub prepares_queries: bool,
    /// Further quantities of one table, beside `Dialect::table_state`.
    pub table_gauges: fn(table: &str) -> Vec<Gauge>,
    /// Further quantities of the server: the size of its log, if it can be queried.
    pub server_gauges: fn() -> Vec<Gauge>,
}
