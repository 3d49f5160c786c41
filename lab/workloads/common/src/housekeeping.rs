//! Common work of SQL workloads around writes: reading quantities, and running chores until they are done.

use std::time::Duration;

use humdrum_contract::{Chore, Clock, Gauge, Interrupt, Outcome, SqlSession};
use humdrum_model::{Fault, FaultKind, Quantity};

/// Time between two questions about a debt while it is worked off.
const ASK_EVERY: Duration = Duration::from_millis(5);

/// A debt that is not worked off by then never will be.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Asks for all gauges; those of the same name are added up.
///
/// # Errors
/// Whatever the server says.
pub fn quantities(
    session: &mut dyn SqlSession,
    gauges: impl IntoIterator<Item = Gauge>,
) -> Outcome<Vec<Quantity>> {
    let mut found: Vec<Quantity> = Vec::new();
    for gauge in gauges {
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

/// One whole number of a single row, however large.
///
/// # Errors
/// A wrong answer, if it is none.
pub fn whole_number(rows: &[Vec<Option<String>>], column: usize) -> Outcome<u128> {
    let text = rows.first().and_then(|row| row.get(column)).and_then(|value| value.as_deref());
    let digits = text.map(|text| text.split('.').next().unwrap_or(text));
    let parsed = digits.and_then(|digits| digits.parse().ok());
    parsed.ok_or_else(|| Fault::new(FaultKind::WrongAnswer, format!("expected a number, got {text:?}")))
}

/// Does chores in order, each to its end.
///
/// # Errors
/// Whatever the server says; a timeout when a debt is not worked off in an hour; interrupted.
pub fn housekeep(
    session: &mut dyn SqlSession,
    chores: &[Chore],
    clock: &dyn Clock,
    interrupt: &Interrupt,
) -> Outcome<()> {
    chores.iter().try_for_each(|chore| {
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
