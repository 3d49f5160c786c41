//! What one operation costs on both sides: CPU, switches, reads, writes, memory. Costs explain a verdict and
//! are not judged; their intervals are plain 95 % ones, not corrected for looks or family.
//!
//! Readings and client CPU cover guard and counted calls, so both are in the divisor; a call counts as many
//! operations as the test has statements.

mod kinds;
mod others;

use std::collections::BTreeMap;

use humdrum_model::{Block, Cost, Metric, Slice, TestInfo, TestResult};

use self::kinds::{KINDS, Kind, Per, Term, per_op};
use crate::interval::ratio_ci95;
use crate::ratio::{SessionValue, pooled, session_values_by};
use crate::run::KeptSession;
use crate::totals::Part;

/// All costs whose readings the run has.
pub(crate) fn costs(
    metrics: &[Metric],
    test: &TestInfo,
    sessions: &[KeptSession<'_>],
    used: &[u32],
    subject: usize,
) -> BTreeMap<String, Cost> {
    let ours: Vec<KeptSession<'_>> = sessions
        .iter()
        .filter(|session| used.contains(&session.number))
        .map(|session| KeptSession { blocks: session.blocks.clone(), ..*session })
        .collect();
    let statements = f64::from(test.statements.max(1));
    let others = others::costs(metrics, statements, &ours, subject);
    let rows = KINDS.iter().filter_map(|kind| {
        let meter = Meter::new(kind, metrics, statements)?;
        Some((kind.name.to_owned(), meter.cost(&ours, subject)?))
    });
    rows.chain(others).collect()
}

/// Thousands of rows that scans of a table of `rows` read per second; `None` for other tests.
pub(crate) fn scan_rate(result: &TestResult, test: &TestInfo, rows: u64) -> Option<(String, Cost)> {
    let per_second = |scans: f64| scans * rows as f64 / 1e3;
    let (base, subject) = (per_second(result.base_qps?), per_second(result.qps?));
    let (unit, description) =
        ("Krows/s".to_owned(), "thousands of rows that scans read per second".to_owned());
    let cost = Cost { unit, description, base, subject, ratio: result.rqps, ci95: result.ci95 };
    test.scans.then(|| ("krows_sec".to_owned(), cost))
}

/// CPU of the server's sessions and its background for one operation, session by session; `None` where it is not read.
pub(crate) fn server_cpu(
    metrics: &[Metric],
    sessions: &[KeptSession<'_>],
    subject: usize,
) -> Option<Vec<SessionValue>> {
    let kind = per_op("", "", "", &[Term::Reading("server_cpu_ns"), Term::Reading("background_cpu_ns")], 1.0);
    Meter::new(&kind, metrics, 1.0)?.session_values(sessions, subject)
}

/// `Per`, with a reading's position.
#[derive(Clone, Copy)]
enum Divisor {
    Operations,
    Slices,
    Reading(usize),
    Time,
    Wall,
}

impl Divisor {
    fn of(per: Per, metrics: &[Metric]) -> Option<Self> {
        Some(match per {
            Per::Operation => Self::Operations,
            Per::Slice => Self::Slices,
            Per::Reading(name) => Self::Reading(metrics.iter().position(|metric| metric.name == name)?),
            Per::Time => Self::Time,
            Per::Wall => Self::Wall,
        })
    }
}

/// Reads one kind of cost from slices.
struct Meter<'a> {
    unit: String,
    description: &'a str,
    scale: f64,
    divisor: Divisor,
    /// Positions of the readings.
    places: Vec<usize>,
    client: bool,
    idle: bool,
    statements: f64,
}

impl Meter<'_> {
    fn new(kind: &Kind, metrics: &[Metric], statements: f64) -> Option<Self> {
        let mut places = Vec::new();
        let (mut client, mut idle) = (false, false);
        for term in kind.terms {
            match term {
                Term::ClientCpu => client = true,
                Term::Idle => idle = true,
                Term::Reading(name) => places.push(metrics.iter().position(|metric| metric.name == *name)?),
            }
        }
        let Kind { unit, description, scale, per, .. } = *kind;
        let divisor = Divisor::of(per, metrics)?;
        Some(Self { unit: unit.to_owned(), description, scale, divisor, places, client, idle, statements })
    }

    fn cost(&self, sessions: &[KeptSession<'_>], subject: usize) -> Option<Cost> {
        let blocks: Vec<&Block> =
            sessions.iter().flat_map(|session| session.blocks.iter().copied()).collect();
        let (base, other) = (self.total(&blocks, 0)?, self.total(&blocks, subject)?);
        let (ratio, ci95) = match self.ratio(sessions, subject) {
            Some((ratio, ci95)) => (Some(ratio), Some(ci95)),
            None => ((base > 0.0).then(|| other / base), None),
        };
        let (unit, description) = (self.unit.clone(), self.description.to_owned());
        Some(Cost { unit, description, base, subject: other, ratio, ci95 })
    }

    /// Over all blocks: sum over operations for what is used up, mean for a level.
    fn total(&self, blocks: &[&Block], subject: usize) -> Option<f64> {
        let slices: Vec<&Slice> = blocks.iter().filter_map(|block| block.slice(subject)).collect();
        let used: f64 = slices.iter().map(|slice| self.used(slice)).sum::<Option<f64>>()?;
        let divisor: f64 = slices.iter().map(|slice| self.divisor(slice)).sum();
        (divisor > 0.0).then(|| used / divisor * self.scale)
    }

    /// The ratio of the totals of both sides; its interval comes from the spread between sessions.
    fn ratio(&self, sessions: &[KeptSession<'_>], subject: usize) -> Option<(f64, [f64; 2])> {
        ratio_ci95(&pooled(&self.session_values(sessions, subject)?))
    }

    /// `None` where a session has no cost on one side.
    fn session_values(&self, sessions: &[KeptSession<'_>], subject: usize) -> Option<Vec<SessionValue>> {
        let part = |block: &Block, whose: usize, weight: f64| {
            let slice = block.slice(whose)?;
            Part::new(weight, self.used(slice)?, self.divisor_of_part(slice))
        };
        let values = session_values_by(sessions, |block| [part(block, 0, -1.0), part(block, subject, 1.0)]);
        (values.len() == sessions.len()).then_some(values)
    }

    /// A slice without a read has no average wait, and adds nothing to its session's.
    fn divisor_of_part(&self, slice: &Slice) -> f64 {
        match self.divisor {
            Divisor::Reading(_) => self.divisor(slice).max(f64::MIN_POSITIVE),
            _ => self.divisor(slice),
        }
    }

    fn used(&self, slice: &Slice) -> Option<f64> {
        let mut sum = if self.client { slice.client_cpu_ns as f64 } else { 0.0 };
        if self.idle {
            sum += slice.idle_ns? as f64;
        }
        for &place in &self.places {
            sum += *slice.readings.get(place)? as f64;
        }
        Some(sum)
    }

    fn divisor(&self, slice: &Slice) -> f64 {
        let (counted, all) = (slice.operations as f64, (slice.operations + slice.guard_operations) as f64);
        match self.divisor {
            Divisor::Operations => all * self.statements,
            Divisor::Slices => 1.0,
            Divisor::Reading(place) => slice.readings.get(place).map_or(0.0, |reading| *reading as f64),
            // Readings cover guard operations too, whose time is not recorded.
            Divisor::Wall => slice.wall_ns as f64,
            Divisor::Time => slice.wall_ns as f64 * all / counted.max(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::testkit::{Bench, counters};
    use humdrum_model::Stage;

    fn measured(readings: impl Fn(usize, usize) -> Vec<i64>, names: &[&str]) -> BTreeMap<String, Cost> {
        let mut bench = Bench::new(&["t"], 2, 0, 4);
        for _ in 0..4 {
            bench.session(Stage::Confirmation, |_| true, 6, |_, _| 0.0);
        }
        for (number, block) in bench.results.blocks.iter_mut().enumerate() {
            block.slices.iter_mut().for_each(|slice| slice.readings = readings(number, slice.subject));
        }
        bench.results.metrics = counters(names);
        let run = Run::new(&bench.results);
        let sessions = &run.test("t").unwrap().sessions;
        costs(&bench.results.metrics, &bench.results.plan.tests[0], sessions, &[0, 1, 2, 3], 1)
    }

    #[test]
    fn cpu_adds_up_over_guard_and_counted_calls() {
        let costs = measured(
            |_, subject| vec![2_200_000 * (1 + subject as i64), 1_100_000],
            &["server_cpu_ns", "background_cpu_ns"],
        );
        let server = &costs["server_cpu_us"];
        assert!((server.base - 20.0).abs() < 1e-9 && (server.subject - 40.0).abs() < 1e-9);
        assert!((server.ratio.unwrap() - 2.0).abs() < 1e-9 && server.ci95.unwrap()[1] < 2.001);
        assert!((costs["client_cpu_us"].base - 10.0).abs() < 1e-9);
        assert!((costs["cpu_o"].base - 40.0).abs() < 1e-9 && (costs["cpu_o"].subject - 60.0).abs() < 1e-9);
        assert!(!costs.contains_key("cs_o"));
    }

    #[test]
    fn the_servers_cpu_is_told_by_mode_and_the_backgrounds_only_for_whole_steps() {
        let names = ["server_user_ns", "server_system_ns", "background_user_ns", "background_system_ns"];
        let costs = measured(|_, subject| vec![1_650_000, 550_000 * (1 + subject as i64), 11_000, 0], &names);
        let [user, system] = ["server_user_us", "server_system_us"].map(|name| &costs[name]);
        assert!((user.base - 15.0).abs() < 1e-9 && (user.ratio.unwrap() - 1.0).abs() < 1e-9);
        assert!((system.base - 5.0).abs() < 1e-9 && (system.subject - 10.0).abs() < 1e-9);
        assert_eq!(system.unit, "µs/op");
        assert!(!costs.keys().any(|name| name.starts_with("background")), "{:?}", costs.keys());
    }

    #[test]
    fn rare_events_are_compared_by_session_and_absent_ones_have_no_ratio() {
        let rare = measured(
            |number, subject| vec![i64::from(number % 6 == 0) * (1 + subject as i64) * 110, 0],
            &["device_reads", "device_writes"],
        );
        let reads = &rare["r_o"];
        assert!((reads.ratio.unwrap() - 2.0).abs() < 1e-9 && reads.ci95.is_some());
        assert!((reads.base - 1.0 / 6.0).abs() < 1e-9);
        assert!(rare["w_o"].ratio.is_none() && rare["w_o"].ci95.is_none() && rare["w_o"].base == 0.0);
    }

    #[test]
    fn waits_are_averages_over_requests_and_absent_without_any() {
        let names = ["device_reads", "device_read_wait_ms", "device_writes", "device_write_wait_ms"];
        // Every second slice reads nothing.
        let reads = |number: usize| i64::from(number.is_multiple_of(2)) * 4;
        let costs = measured(
            |number, subject| vec![reads(number), reads(number) * (1 + subject as i64), 0, 0],
            &names,
        );
        let wait = &costs["r_await_ms"];
        assert_eq!((wait.base, wait.subject, &*wait.unit), (1.0, 2.0, "ms"));
        assert!((wait.ratio.unwrap() - 2.0).abs() < 1e-9 && wait.ci95.is_some());
        assert!(costs.contains_key("w_o") && !costs.contains_key("w_await_ms"));
        assert!(!costs.contains_key("util_pct") && !costs.contains_key("device_read_wait_ms"));
    }

    #[test]
    fn utilisation_and_depth_are_shares_of_the_time() {
        let of = |busy, queue| measured(|_, _| vec![busy, queue], &["device_busy_ms", "device_queue_ms"]);
        let (some, twice) = (of(1, 3), of(2, 6));
        let base = |costs: &BTreeMap<String, Cost>, name: &str| costs[name].base;
        assert!(base(&some, "util_pct") > 0.0);
        assert!((base(&twice, "util_pct") / base(&some, "util_pct") - 2.0).abs() < 1e-9);
        // One millisecond busy with three requests: the depth is three times the share of the time.
        assert!((base(&some, "queue_depth") - 3.0 * base(&some, "util_pct") / 100.0).abs() < 1e-9);
    }

    #[test]
    fn memory_is_a_level() {
        let costs = measured(|_, subject| vec![2048 + 1024 * subject as i64], &["rss_kib"]);
        assert_eq!((costs["rss_mib"].base, costs["rss_mib"].subject), (2.0, 3.0));
    }
}
