//! What the server says that it counts, for examinations.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::dialect::{COUNTERS, WAITED};
use crate::state::{Counters, State};

/// The answer, if `sql` asks for counters or for waits.
pub(crate) fn counted(state: &State, sql: &str) -> Option<Vec<Vec<Option<String>>>> {
    let rows = match sql {
        COUNTERS => counters(&state.counters),
        WAITED if state.script.counts_no_waits => Vec::new(),
        WAITED => waited(&state.counters),
        _ => return None,
    };
    Some(rows.into_iter().map(|row| row.into_iter().map(Some).collect()).collect())
}

/// Name and value.
fn counters(counters: &Counters) -> Vec<Vec<String>> {
    let Counters { statements, rows_read, lock_waits, .. } = counters;
    let named = [("statements", statements), ("rows_read", rows_read), ("lock_waits", lock_waits)];
    named.into_iter().map(|(name, counter)| vec![name.to_owned(), value(counter)]).collect()
}

/// Kind, event, times and ns. Every statement uses the disk once.
fn waited(counters: &Counters) -> Vec<Vec<String>> {
    let Counters { statements, lock_waits, disk_wait_ns, lock_wait_ns, .. } = counters;
    let events =
        [("disk", "data file", statements, disk_wait_ns), ("lock", "row lock", lock_waits, lock_wait_ns)];
    let row = |(kind, event, times, ns): (&str, &str, &AtomicI64, &AtomicI64)| {
        vec![kind.to_owned(), event.to_owned(), value(times), value(ns)]
    };
    events.into_iter().map(row).collect()
}

fn value(counter: &AtomicI64) -> String {
    counter.load(Ordering::Relaxed).to_string()
}
