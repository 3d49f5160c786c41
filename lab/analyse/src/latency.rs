//! Percentiles from merged histograms. Counts in fixed buckets can be added; percentiles cannot.

use std::collections::BTreeMap;

use humdrum_model::{LatencyPair, Percentiles, Results};

use crate::ratio::SessionValue;
use crate::run::KeptSession;
use crate::totals::Part;

/// Nanoseconds in a microsecond.
const NS_PER_US: f64 = 1000.0;

/// Both sides' latencies over `sessions`; `None` where a side has none.
pub(crate) fn latency_us(
    results: &Results,
    test: &str,
    subject: usize,
    sessions: &[u32],
) -> Option<LatencyPair> {
    let side = |subject| percentiles_us(&merged(results, test, subject, sessions));
    Some(LatencyPair { base: side(0)?, subject: side(subject)? })
}

/// With fewer operations in a session and side, the 99th percentile rests on too few of them.
const OPERATIONS_MIN: u64 = 1000;

/// The 99th percentiles of both sides, session by session; `None` where no session has enough operations.
pub(crate) fn session_p99(
    results: &Results,
    test: &str,
    subject: usize,
    sessions: &[KeptSession<'_>],
) -> Option<Vec<SessionValue>> {
    let part = |session: &KeptSession<'_>, whose: usize, weight: f64| {
        let buckets = merged(results, test, whose, &[session.number]);
        let enough = buckets.values().sum::<u64>() >= OPERATIONS_MIN;
        let p99 = percentiles_us(&buckets).filter(|_| enough)?.p99;
        Part::new(weight, p99, 1.0)
    };
    let value = |session: &KeptSession<'_>| {
        SessionValue::of(session, vec![part(session, 0, -1.0)?, part(session, subject, 1.0)?])
    };
    let values: Vec<SessionValue> = sessions.iter().filter_map(value).collect();
    (!values.is_empty()).then_some(values)
}

fn merged(results: &Results, test: &str, subject: usize, sessions: &[u32]) -> BTreeMap<u64, u64> {
    let mut buckets = BTreeMap::new();
    let ours = results.latencies.iter().filter(|latency| {
        latency.test == test && latency.subject == subject && sessions.contains(&latency.session)
    });
    for &(highest_ns, count) in ours.flat_map(|latency| &latency.buckets) {
        *buckets.entry(highest_ns).or_insert(0) += count;
    }
    buckets
}

pub(crate) fn percentiles_us(buckets: &BTreeMap<u64, u64>) -> Option<Percentiles> {
    let total: u64 = buckets.values().sum();
    let longest = *buckets.iter().rfind(|(_, count)| **count > 0)?.0;
    let at = |fraction: f64| {
        let rank = (fraction * total as f64).ceil() as u64;
        let mut seen = 0;
        let bucket = buckets.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        bucket.map_or(longest, |(highest_ns, _)| *highest_ns) as f64 / NS_PER_US
    };
    Some(Percentiles {
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        p99_9: at(0.999),
        p99_99: at(0.9999),
        max: longest as f64 / NS_PER_US,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_are_counted_over_all_buckets() {
        let found = percentiles_us(&[(1000, 50), (2000, 45), (3000, 4), (9000, 1)].into()).unwrap();
        assert_eq!(found, Percentiles { p50: 1.0, p95: 2.0, p99: 3.0, p99_9: 9.0, p99_99: 9.0, max: 9.0 });
        assert!(percentiles_us(&BTreeMap::new()).is_none());
    }

    proptest! {
        #[test]
        fn equals_a_sorted_list(mut values in prop::collection::vec(1u64..5000, 1..300)) {
            let mut buckets = BTreeMap::new();
            values.iter().for_each(|value| *buckets.entry(*value).or_insert(0) += 1);
            values.sort_unstable();
            let naive = |fraction: f64| values[(fraction * values.len() as f64).ceil() as usize - 1] as f64 / 1000.0;
            let found = percentiles_us(&buckets).unwrap();
            prop_assert_eq!([found.p50, found.p95, found.p99, found.p99_9], [naive(0.5), naive(0.95), naive(0.99), naive(0.999)]);
        }
    }
}
