//! What writes leave behind: the sum of the rows, sizes and debts, and the post-write step that pays them.

use std::time::Duration;

use humdrum_contract::{Chore, Clock, Dialect, Gauge, Interrupt, Outcome, SqlSession};
use humdrum_model::{Contents, Fault, FaultKind, Quantity, Scale};

use crate::load::{PATIENCE, number};
use crate::tables;

/// A debt is looked at so often while it is being paid.
const ASK_EVERY: Duration = Duration::from_millis(5);

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
    let mut found: Vec<Quantity> = Vec::new();
    for gauge in gauges.chain(dialect.server_state()) {
        let value = gauge.question.ask(session)?;
        let Gauge { name, unit, description, .. } = gauge;
        match found.iter_mut().find(|quantity| quantity.name == name) {
            Some(same) => same.value += value,
            None => found.push(Quantity {
                name: name.into(),
                unit: unit.into(),
                description: description.into(),
                value,
            }),
        }
    }
    Ok(found)
}

/// Does the engine's chores, each to its end.
pub(crate) fn post_write(
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
    scale: &Scale,
    clock: &dyn Clock,
    interrupt: &Interrupt,
) -> Outcome<()> {
    dialect.post_write(&tables(scale)).iter().try_for_each(|chore| {
        interrupt.check()?;
        done(session, chore, clock, interrupt)
    })
}

fn done(
    session: &mut dyn SqlSession,
    chore: &Chore,
    clock: &dyn Clock,
    interrupt: &Interrupt,
) -> Outcome<()> {
    chore.statements.iter().try_for_each(|sql| session.query(sql).map(drop))?;
    let Some(wait) = &chore.wait else { return Ok(()) };
    let end_ns = clock.now_ns() + PATIENCE.as_nanos() as u64;
    loop {
        let left = wait.question.ask(session)?;
        if left <= wait.at_most {
            return Ok(());
        }
        interrupt.check()?;
        if clock.now_ns() > end_ns {
            let seconds = PATIENCE.as_secs();
            let what = format!("waiting for {}: still {left} after {seconds} s", wait.what);
            return Err(Fault::new(FaultKind::Timeout, what));
        }
        clock.sleep(ASK_EVERY);
    }
}
