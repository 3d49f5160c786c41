//! What a server counts itself: the engine's own counters, and what its threads waited for.

use std::collections::BTreeMap;
use std::time::Duration;

use humdrum_contract::{Connection, Server, SqlSession};
use humdrum_model::{CounterDelta, WaitCount, WaitKind};

/// One reading, by name.
#[derive(Default)]
pub(crate) struct Counts(BTreeMap<String, f64>);

impl Counts {
    /// Everything that the server reports as a number; queries that a release does not support are left out.
    pub(crate) fn all(connection: &mut Connection, server: &dyn Server) -> Self {
        let session = match connection {
            Connection::Sql(session) => session,
            Connection::Kv(session) => {
                return Self(session.counters().unwrap_or_default().into_iter().collect());
            }
            Connection::Sort(_) | Connection::OrderBy(_) => return Self::default(),
        };
        let mut found = waits(&mut **session, server);
        for question in server.dialect().map(|dialect| dialect.counters()).unwrap_or_default() {
            for row in session.query(&question).unwrap_or_default() {
                let [Some(name), Some(value), ..] = row.as_slice() else { continue };
                if let Ok(value) = value.trim().parse::<f64>() {
                    *found.entry(name.clone()).or_default() += value;
                }
            }
        }
        Self(found)
    }

    /// What its threads waited for, alone.
    pub(crate) fn waits(connection: &mut Connection, server: &dyn Server) -> Self {
        connection.sql().map_or_else(|_| Self::default(), |session| Self(waits(session, server)))
    }

    /// By how much the counters grew from this reading to `after`.
    pub(crate) fn until(&self, after: Self) -> Vec<CounterDelta> {
        let counts_waits = self.counts_waits();
        let grown = after.0.into_iter().filter_map(|(name, now)| {
            // A wait that had not happened yet has no row.
            let is_new = counts_waits && WaitCount::is(&name);
            let before = self.0.get(&name).copied().or_else(|| is_new.then_some(0.0))?;
            let delta = now - before;
            (delta >= 0.0).then_some(CounterDelta { name, delta })
        });
        grown.collect()
    }

    /// Why this reading has no waits although the engine counts them; `None` where it has some, or the engine counts none.
    pub(crate) fn why_no_waits(&self, server: &dyn Server) -> Option<&'static str> {
        let question = server.dialect()?.waited()?;
        (!self.counts_waits()).then_some(question.off)
    }

    fn counts_waits(&self) -> bool {
        self.0.keys().any(|name| WaitCount::is(name))
    }
}

/// The time by which a server's counters lag behind.
pub(crate) fn lag(server: &dyn Server) -> Duration {
    server.dialect().map_or(Duration::ZERO, |dialect| dialect.counters_lag())
}

fn waits(session: &mut dyn SqlSession, server: &dyn Server) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    let Some(question) = server.dialect().and_then(|dialect| dialect.waited()) else { return found };
    for row in session.query(&question.sql).unwrap_or_default() {
        let [Some(kind), Some(event), Some(times), Some(ns), ..] = row.as_slice() else { continue };
        let (Ok(times), Ok(ns)) = (times.trim().parse::<f64>(), ns.trim().parse::<f64>()) else { continue };
        let kind = WaitKind::of_word(kind);
        for (count, value) in [(WaitCount::Times, times), (WaitCount::Time, ns / 1e3)] {
            *found.entry(count.counter(kind, event)).or_default() += value;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(named: &[(String, f64)]) -> Counts {
        Counts(named.iter().cloned().collect())
    }

    #[test]
    fn a_wait_that_is_new_began_at_zero_and_another_counter_that_is_new_is_left_out() {
        let wait = |event: &str| WaitCount::Time.counter(WaitKind::Lock, event);
        let before = counts(&[("rows".into(), 5.0), ("restarted".into(), 9.0), (wait("old"), 1.0)]);
        let after = || {
            counts(&[
                ("rows".into(), 7.0),
                ("restarted".into(), 1.0),
                ("unknown".into(), 1.0),
                (wait("old"), 1.5),
                (wait("new"), 2.0),
            ])
        };
        let grown = |before: &Counts| -> Vec<(String, f64)> {
            before.until(after()).into_iter().map(|one| (one.name, one.delta)).collect()
        };
        assert_eq!(grown(&before), [("rows".to_owned(), 2.0), (wait("new"), 2.0), (wait("old"), 0.5)]);
        // Where the first reading has no waits, nobody knows since when the second one has them.
        assert_eq!(grown(&counts(&[("rows".into(), 5.0)])), [("rows".to_owned(), 2.0)]);
    }
}
