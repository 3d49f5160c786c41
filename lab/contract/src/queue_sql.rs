//! What a dialect has to say of a table that is used as a queue: rows with ids of the server's own come in at one
//! end and go out at the other.

use crate::Gauge;

/// The places where engines differ in keeping such a table.
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
    /// Queries are prepared, as the reference has it for this engine; else they are literal text.
    pub prepares_queries: bool,
    /// Further quantities of one table, beside `Dialect::table_state`.
    pub table_gauges: fn(table: &str) -> Vec<Gauge>,
    /// Further quantities of the server: the size of its log, where it can be asked.
    pub server_gauges: fn() -> Vec<Gauge>,
}
