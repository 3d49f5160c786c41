//! What one operation costs on both sides: CPU, switches, reads, writes, memory. Costs explain a verdict and
//! are not judged; their intervals are plain 95 % ones, not corrected for looks or family.
//!
//! Readings and client CPU cover guard and counted calls, so both are in the divisor; a call counts as many
//! operations as the test has statements.

mod others;

use std::collections::BTreeMap;

use humdrum_model::{Block, Cost, Metric, Slice, TestInfo};

use crate::interval::ratio_ci95;
use crate::ratio::{SessionValue, pooled, session_values_by};
use crate::run::KeptSession;
use crate::totals::Part;

/// A term of a sum: a reading by name, or the client's own CPU clock.
enum Term {
    Reading(&'static str),
    ClientCpu,
}

/// One row of the table.
struct Kind {
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    /// Summed; the row is absent if the run has no such metric.
    terms: &'static [Term],
    /// From the readings' unit to this row's.
    scale: f64,
    /// A level rather than something used up per operation.
    level: bool,
}

const fn per_op(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    terms: &'static [Term],
    scale: f64,
) -> Kind {
    Kind { name, unit, description, terms, scale, level: false }
}

/// Alphabetical.
const KINDS: &[Kind] = &[
    per_op(
        "background_cpu_us",
        "µs/op",
        "CPU of the server's background processes",
        &[Term::Reading("background_cpu_ns")],
        1e-3,
    ),
    per_op("client_cpu_us", "µs/op", "CPU of the client threads", &[Term::ClientCpu], 1e-3),
    per_op(
        "cpu_o",
        "µs/op",
        "CPU of server sessions, server background and client",
        &[Term::Reading("server_cpu_ns"), Term::Reading("background_cpu_ns"), Term::ClientCpu],
        1e-3,
    ),
    per_op("cs_o", "1/op", "context switches of the server", &[Term::Reading("server_switches")], 1.0),
    per_op("r_o", "1/op", "reads from the device", &[Term::Reading("device_reads")], 1.0),
    per_op("rkb_o", "KiB/op", "KiB read from the device", &[Term::Reading("device_read_kib")], 1.0),
    Kind {
        name: "rss_mib",
        unit: "MiB",
        description: "memory of the server's processes (a level, not per operation)",
        terms: &[Term::Reading("rss_kib")],
        scale: 1.0 / 1024.0,
        level: true,
    },
    per_op(
        "run_queue_wait_us",
        "µs/op",
        "time the server was ready to run and had no processor",
        &[Term::Reading("run_queue_wait_ns")],
        1e-3,
    ),
    per_op(
        "server_cpu_us",
        "µs/op",
        "CPU of the server's session processes",
        &[Term::Reading("server_cpu_ns")],
        1e-3,
    ),
    per_op("w_o", "1/op", "writes to the device", &[Term::Reading("device_writes")], 1.0),
    per_op("wkb_o", "KiB/op", "KiB written to the device", &[Term::Reading("device_write_kib")], 1.0),
];

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

/// CPU of the server's sessions and its background for one operation, session by session; `None` where it is not read.
pub(crate) fn server_cpu(
    metrics: &[Metric],
    sessions: &[KeptSession<'_>],
    subject: usize,
) -> Option<Vec<SessionValue>> {
    let kind = per_op("", "", "", &[Term::Reading("server_cpu_ns"), Term::Reading("background_cpu_ns")], 1.0);
    Meter::new(&kind, metrics, 1.0)?.session_values(sessions, subject)
}

/// Reads one kind of cost from slices.
struct Meter<'a> {
    unit: String,
    description: &'a str,
    scale: f64,
    level: bool,
    /// Positions of the readings.
    places: Vec<usize>,
    client: bool,
    statements: f64,
}

impl Meter<'_> {
    fn new(kind: &Kind, metrics: &[Metric], statements: f64) -> Option<Self> {
        let mut places = Vec::new();
        let mut client = false;
        for term in kind.terms {
            match term {
                Term::ClientCpu => client = true,
                Term::Reading(name) => places.push(metrics.iter().position(|metric| metric.name == *name)?),
            }
        }
        let Kind { unit, description, scale, level, .. } = *kind;
        Some(Self { unit: unit.to_owned(), description, scale, level, places, client, statements })
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
            Part::new(weight, self.used(slice)?, self.divisor(slice))
        };
        let values = session_values_by(sessions, |block| [part(block, 0, -1.0), part(block, subject, 1.0)]);
        (values.len() == sessions.len()).then_some(values)
    }

    fn used(&self, slice: &Slice) -> Option<f64> {
        let mut sum = if self.client { slice.client_cpu_ns as f64 } else { 0.0 };
        for &place in &self.places {
            sum += *slice.readings.get(place)? as f64;
        }
        Some(sum)
    }

    fn divisor(&self, slice: &Slice) -> f64 {
        if self.level {
            return 1.0;
        }
        (slice.operations + slice.guard_operations) as f64 * self.statements
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
    fn memory_is_a_level() {
        let costs = measured(|_, subject| vec![2048 + 1024 * subject as i64], &["rss_kib"]);
        assert_eq!((costs["rss_mib"].base, costs["rss_mib"].subject), (2.0, 3.0));
    }

    #[test]
    fn the_table_is_alphabetical() {
        assert!(KINDS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
