//! What writes leave behind: the sum of the rows, sizes and debts, and the post-write step that pays them.

use humdrum_contract::{Clock, Dialect, Interrupt, Outcome, SqlSession};
use humdrum_model::{Contents, Quantity, Scale};
use humdrum_workload_common::{housekeep, quantities};

use crate::tables;
use crate::totals::sum;

/// Every value of every row, where one client did all the work. With several, the order in which overlapping
/// operations were done is nobody's fault, and only what does not depend on it is summed: ids and `k`.
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

/// The tables' quantities, added up by name, then the server's.
pub(crate) fn state(
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
    scale: &Scale,
) -> Outcome<Vec<Quantity>> {
    let gauges = tables(scale).into_iter().flat_map(|table| dialect.table_state(&table));
    quantities(session, gauges.chain(dialect.server_state()))
}

/// Does the engine's chores, each to its end.
pub(crate) fn post_write(
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
    scale: &Scale,
    clock: &dyn Clock,
    interrupt: &Interrupt,
) -> Outcome<()> {
    housekeep(session, &dialect.post_write(&tables(scale)), clock, interrupt)
}
