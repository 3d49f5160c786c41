//! What the threads of a server have waited for, as its performance schema counts it.
//!
//! By default it counts files, tables and metadata locks. Mutexes and read-write locks are not counted, because that costs a
//! part of every operation; `count_waits` turns them on for a while.
//!
//! Two kinds of events are left out. `wait/io/table` is the time in the storage engine, work and the waits below it included.
//! Threads at rest wait on a condition (`wait/synch/cond`), so that its times tell nothing.

use humdrum_contract::{Outcome, SqlSession, WaitedQuestion, number_at};
use humdrum_model::FaultKind;

/// Events that are turned on.
const MORE: &str = "NAME LIKE 'wait/synch/%' AND NAME NOT LIKE 'wait/synch/cond/%'";

/// Times are in picoseconds. Rows of events that never happened are left out.
const WAITED: &str = "SELECT CASE WHEN EVENT_NAME LIKE 'wait/io/%' THEN 'disk' ELSE 'lock' END, \
    EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT / 1000 \
    FROM performance_schema.events_waits_summary_global_by_event_name WHERE COUNT_STAR > 0 \
    AND (EVENT_NAME LIKE 'wait/io/file/%' OR EVENT_NAME LIKE 'wait/lock/%' \
    OR (EVENT_NAME LIKE 'wait/synch/%' AND EVENT_NAME NOT LIKE 'wait/synch/cond/%'))";

pub(crate) fn question() -> WaitedQuestion {
    WaitedQuestion {
        sql: WAITED.to_owned(),
        off: "its performance schema is off, or this user may not read it; `+performance_schema=ON` turns it on where humdrum \
              starts the server, if the build has one",
    }
}

/// Turns the events on or off that cost too much while a server is measured. Returns whether it counts them now because of
/// this. Where the user has some of them on, all stay as they are; where the performance schema is off, there is nothing to
/// turn on.
///
/// # Errors
/// Whatever the server says.
pub fn count_waits(session: &mut dyn SqlSession, on: bool) -> Outcome<bool> {
    if on && !has_them_off(session)? {
        return Ok(false);
    }
    let value = if on { "YES" } else { "NO" };
    let set = format!("SET ENABLED = '{value}', TIMED = '{value}'");
    session.query(&format!("UPDATE performance_schema.setup_instruments {set} WHERE {MORE}"))?;
    Ok(on)
}

/// Whether there are such events and none of them is on.
fn has_them_off(session: &mut dyn SqlSession) -> Outcome<bool> {
    let sql = format!(
        "SELECT COUNT(*), SUM(ENABLED = 'YES') FROM performance_schema.setup_instruments WHERE {MORE}"
    );
    match session.query(&sql) {
        Ok(rows) => Ok(number_at(&rows, 0) > Some(0.0) && number_at(&rows, 1) == Some(0.0)),
        // A build without a performance schema has no such table.
        Err(fault) if fault.kind == FaultKind::Environment => Ok(false),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_turned_on_that_the_question_asks_for() {
        // What a thread at rest waits on is neither asked for nor turned on.
        for sql in [WAITED, MORE] {
            assert!(
                sql.contains("LIKE 'wait/synch/%'") && sql.contains("NOT LIKE 'wait/synch/cond/%'"),
                "{sql}"
            );
        }
        assert!(!WAITED.contains("wait/io/table") && question().off.contains("performance_schema=ON"));
    }
}
