//! The rates of whole steps second by second. Seconds count the subject's own turns. The last second of a run
//! is left out, because it is seldom whole and would seem slow.

use humdrum_model::{Background, Second, StepFacts};

use super::{NS_PER_S, main_stream};

/// Seconds of the window in which the writers' lowest rate is reported.
const WORST_WINDOW: usize = 10;

/// The writers of one run of a step against their target; `None` without a target.
pub fn background(facts: &StepFacts) -> Option<Background> {
    let target = facts.target?;
    let inserts = facts.stream("insert")?;
    let seconds = facts.wall_ns as f64 / NS_PER_S;
    let rate = inserts.rows as f64 / seconds.max(1e-9);
    let rows = whole(facts, &inserts.seconds, |second| second.rows);
    // A run without so many whole seconds is one window.
    let least = rows.windows(WORST_WINDOW).map(|window| window.iter().sum::<u64>()).min();
    let worst_10s = least.map_or(rate, |least| least as f64 / WORST_WINDOW as f64);
    Some(Background { target, rate, worst_10s })
}

/// A number for each whole second of a run. Idle seconds at its end have no entry in a stream.
fn whole(facts: &StepFacts, by_second: &[Second], of: fn(&Second) -> u64) -> Vec<u64> {
    let count = (facts.wall_ns / 1_000_000_000) as usize;
    (0..count).map(|at| by_second.get(at).map_or(0, of)).collect()
}

/// Rates that were exceeded in half and in 99 of 100 seconds, all clients together. For runs shorter than a
/// second, or with statements of many seconds (building an index), the mean.
pub(super) fn rates(runs: &[&StepFacts]) -> Vec<(&'static str, f64)> {
    let (mut rates, mut done, mut ns) = (Vec::new(), 0, 0);
    for facts in runs {
        let Some(stream) = main_stream(facts) else { continue };
        let queries = stream.name == "query";
        let of: fn(&Second) -> u64 = if queries { |second| second.statements } else { |second| second.rows };
        let seconds = whole(facts, &stream.seconds, of);
        if stream.statements >= seconds.len() as u64 {
            rates.extend(seconds);
        }
        done += if queries { stream.statements } else { stream.rows };
        ns += facts.wall_ns;
    }
    if rates.is_empty() {
        let mean = done as f64 * NS_PER_S / ns as f64;
        return if ns > 0 { vec![("p50", mean), ("p99", mean)] } else { Vec::new() };
    }
    rates.sort_unstable_by(|a, b| b.cmp(a));
    let at = |share: f64| rates[((share * rates.len() as f64).ceil() as usize).clamp(1, rates.len()) - 1];
    vec![("p50", at(0.5) as f64), ("p99", at(0.99) as f64)]
}

#[cfg(test)]
mod tests {
    use humdrum_model::Stream;

    use super::super::longest;
    use super::*;

    fn stream(name: &str, per_second: &[u64]) -> Stream {
        let second = |rows: &u64| Second { statements: rows / 50, rows: *rows, longest_ns: 7_000_000 };
        Stream {
            name: name.into(),
            statements: per_second.iter().sum::<u64>() / 50,
            rows: per_second.iter().sum(),
            service_ns: 1_000_000,
            service: vec![(1_000_000, 3)],
            response: vec![(7_000_000, 3)],
            seconds: per_second.iter().map(second).collect(),
            ..Stream::default()
        }
    }

    fn facts(seconds: f64, inserts: &[u64]) -> StepFacts {
        StepFacts {
            wall_ns: (seconds * NS_PER_S) as u64,
            target: Some(1000.0),
            streams: vec![stream("insert", inserts)],
            ..StepFacts::default()
        }
    }

    #[test]
    fn a_stall_shows_in_the_worst_ten_seconds_and_not_in_the_mean() {
        let mut inserts = vec![1000; 60];
        inserts[30..35].fill(0);
        inserts[35] = 6000;
        let found = background(&facts(60.0, &inserts)).expect("a target");
        assert!(found.is_kept() && (found.rate - 1000.0).abs() < 1e-9);
        assert!((found.worst_10s - 500.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_slow_server_takes_longer_and_misses() {
        let found = background(&facts(80.0, &[750; 80])).expect("a target");
        assert!(!found.is_kept());
        // Too short for a window: the whole.
        let short = background(&facts(5.0, &[990; 5])).expect("a target");
        assert_eq!((short.is_kept(), short.worst_10s), (true, 990.0));
        assert_eq!(background(&StepFacts { target: None, ..facts(5.0, &[1; 5]) }), None);
    }

    #[test]
    fn percentiles_of_rates_are_exceeded_so_often() {
        let mut one = facts(100.0, &(1..=100).map(|rate| rate * 50).collect::<Vec<u64>>());
        one.target = None;
        assert_eq!(rates(&[&one]), [("p50", 51.0 * 50.0), ("p99", 100.0)]);
        assert_eq!(longest(&[&one]), Some(0.007));
    }

    #[test]
    fn a_last_second_that_is_not_whole_is_no_slow_one() {
        let mut inserts = vec![1000; 12];
        inserts.push(300);
        let one = facts(12.3, &inserts);
        assert_eq!(rates(&[&one]), [("p50", 1000.0), ("p99", 1000.0)]);
        assert_eq!(background(&one).map(|found| found.worst_10s), Some(1000.0));
        // The only one there is counts, by its length.
        assert_eq!(rates(&[&facts(0.5, &[300])]), [("p50", 600.0), ("p99", 600.0)]);
        assert_eq!(rates(&[&facts(0.5, &[300]), &one]), [("p50", 1000.0), ("p99", 1000.0)]);
        assert_eq!(rates(&[]), []);
    }

    #[test]
    fn a_statement_of_many_seconds_has_a_mean_rate() {
        let mut one = facts(10.5, &[0; 10]);
        one.streams[0].statements = 3;
        one.streams[0].rows = 21_000;
        assert_eq!(rates(&[&one]), [("p50", 2000.0), ("p99", 2000.0)]);
    }
}
