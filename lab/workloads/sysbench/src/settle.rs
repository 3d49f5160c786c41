//! After tests that write: the sum of the rows, sizes and debts, and the post-write step.

use humdrum_contract::{Clock, Dialect, Interrupt, Outcome, SqlSession};
use humdrum_model::{Contents, Quantity, Scale};
use humdrum_workload_common::{housekeep, quantities};

use crate::tables;
use crate::totals::sum;

/// Rows and checksum of all tables. With one client every value is summed. With several, overlapping operations have no
/// fixed order, so that only values that do not depend on it are summed: ids and `k`.
pub(crate) fn contents(
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
    scale: &Scale,
) -> Outcome<Contents> {
    if scale.clients == 1 {
        return sum(session, scale, |table| dialect.table_checksum(table));
    }
    sum(session, scale, |table| format!("SELECT COUNT(*), SUM(id) + SUM(k) FROM {table}"))
}

/// Quantities of the tables, added up by name, then those of the server.
pub(crate) fn state(
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
    scale: &Scale,
) -> Outcome<Vec<Quantity>> {
    let gauges = tables(scale).into_iter().flat_map(|table| dialect.table_state(&table));
    quantities(session, gauges.chain(dialect.server_state()))
}

/// Runs the engine's post-write statements, each to its end.
pub(crate) fn post_write(
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
    scale: &Scale,
    clock: &dyn Clock,
    interrupt: &Interrupt,
) -> Outcome<()> {
    housekeep(session, &dialect.post_write(&tables(scale)), clock, interrupt)
}
