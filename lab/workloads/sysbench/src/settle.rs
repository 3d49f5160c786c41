//! What writes leave behind: the sum of the rows, sizes and debts, and the post-write step that pays them.

use humdrum_contract::{Clock, Dialect, Interrupt, Outcome, SqlSession};
use humdrum_model::{Contents, Quantity, Scale};
use humdrum_workload_common::{housekeep, quantities};

use crate::load::number;
use crate::tables;

/// Rows and one checksum over all tables, from a query per table that gives both.
pub(crate) fn sum(
    session: &mut dyn SqlSession,
    scale: &Scale,
    query: impl Fn(&str) -> String,
) -> Outcome<Contents> {
    let (mut rows, mut sum) = (0, 0_u128);
    for table in tables(scale) {
        let row = session.query(&query(&table))?;
        rows += number(&row, 0)? as u64;
        sum = sum.wrapping_mul(31).wrapping_add(number(&row, 1)?);
    }
    Ok(Contents { rows, checksum: format!("{sum:x}") })
}

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
