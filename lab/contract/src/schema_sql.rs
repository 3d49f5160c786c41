//! The part of a dialect for tables that the lab did not design: those of a user's own workload.

use crate::{Outcome, SqlSession};

/// The differences between engines for such tables. Tables are those of the session's schema. Their names are quoted where
/// the engine needs it.
#[derive(Clone, Copy, Debug)]
pub struct SchemaSql {
    /// Names for files of this engine alone (`schema.NAME.sql`), the most specific one first.
    pub names: &'static [&'static str],
    /// Statements at the start of every session.
    pub session: &'static [&'static str],
    /// One query whose single value is the schema's name.
    pub schema: &'static str,
    /// Statements that drop everything in the schema of that name.
    pub empty: fn(schema: &str) -> Vec<String>,
    /// One query whose rows are the names of the tables, in a fixed order.
    pub tables: &'static str,
    /// One query whose rows are (table, expression): the columns whose values every release writes as the same text.
    /// Moments and floating-point numbers are left out: the clocks of two servers differ, and so do the digits that releases
    /// write.
    pub columns: &'static str,
    /// One query whose single row is (rows, checksum) of a table; the checksum is that of these expressions.
    pub checksum: fn(table: &str, expressions: &[String]) -> String,
    /// Statements after a load that leave no background work to do.
    pub settle: fn(tables: &[String]) -> Vec<String>,
    /// The statement that renews the optimizer's statistics of a table.
    pub analyze: fn(table: &str) -> String,
}

impl SchemaSql {
    /// Runs the statements of a session's beginning.
    ///
    /// # Errors
    /// Whatever the server says.
    pub fn begin(&self, session: &mut dyn SqlSession) -> Outcome<()> {
        self.session.iter().try_for_each(|statement| session.query(statement).map(drop))
    }
}
