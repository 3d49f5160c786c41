//! Whole steps as the reference shows them: a row for each subject and step, with its columns computed from what was
//! read at the edges of the subject's own turns.

use std::collections::BTreeMap;

use humdrum_model::{
    Background, Block, Debt, Results, Second, Slice, StateFacts, StepFacts, StepRow, Stream, StreamRow,
    TestInfo, TestStatus,
};

use crate::latency::percentiles_us;

/// Seconds of the window in which writers are looked at most closely.
const WORST_WINDOW: usize = 10;

const NS_PER_S: f64 = 1e9;
const BYTES_PER_GB: f64 = 1e9;

/// The writers of one run of a step against their target; `None` where they had none.
pub fn background(facts: &StepFacts) -> Option<Background> {
    let target = facts.target?;
    let inserts = facts.stream("insert")?;
    let seconds = facts.wall_ns as f64 / NS_PER_S;
    let rate = inserts.rows as f64 / seconds.max(1e-9);
    Some(Background { target, rate, worst_10s: worst(&inserts.seconds, seconds).unwrap_or(rate) })
}

/// Rows per second of the worst ten seconds; the last second, which is not whole, is left out.
fn worst(by_second: &[Second], seconds: f64) -> Option<f64> {
    let whole = seconds.max(0.0) as usize;
    if whole < WORST_WINDOW {
        return None;
    }
    // Seconds at the end in which nothing was inserted have no entry.
    let rows: Vec<u64> = (0..whole).map(|at| by_second.get(at).map_or(0, |second| second.rows)).collect();
    let least = rows.windows(WORST_WINDOW).map(|window| window.iter().sum::<u64>()).min()?;
    Some(least as f64 / WORST_WINDOW as f64)
}

/// Every step of every subject, subjects in the plan's order; empty for suites that have slices.
pub(crate) fn step_rows(results: &Results) -> Vec<StepRow> {
    let steps = &results.plan.tests;
    if results.steps.is_empty() {
        return Vec::new();
    }
    let subjects = 0..results.plan.subjects.len();
    subjects
        .flat_map(|subject| steps.iter().map(move |test| Table { results, test, subject }.row()))
        .collect()
}

/// What goes into one row.
struct Table<'a> {
    results: &'a Results,
    test: &'a TestInfo,
    subject: usize,
}

impl<'a> Table<'a> {
    fn runs(&self) -> Vec<&'a StepFacts> {
        let own = |facts: &&StepFacts| facts.test == self.test.name && facts.subject == self.subject;
        self.results.steps.iter().filter(own).collect()
    }

    fn slices(&self) -> impl Iterator<Item = &'a Slice> {
        let (name, subject) = (&self.test.name, self.subject);
        let blocks = self.results.blocks.iter().filter(move |block: &&Block| block.test == *name);
        blocks.filter_map(move |block| block.slice(subject))
    }

    fn status(&self) -> (TestStatus, bool) {
        let own = self.results.events.iter().filter(|event| {
            event.subject == Some(self.subject)
                && event.test.as_deref() == Some(&self.test.name)
                && event.status != TestStatus::Ok
        });
        let worst = own.map(|event| event.status).min_by_key(|status| match status {
            TestStatus::WrongAnswer => 0,
            TestStatus::Failed => 1,
            _ => 2,
        });
        let status = worst.unwrap_or(TestStatus::Ok);
        (status, matches!(status, TestStatus::Ok | TestStatus::SlaMissed))
    }

    fn row(&self) -> StepRow {
        let runs = self.runs();
        let (status, speaks) = self.status();
        let queries = runs.iter().any(|facts| facts.target.is_some());
        let spoken: &[&StepFacts] = if speaks { &runs } else { &[] };
        let columns = if spoken.is_empty() { BTreeMap::new() } else { self.columns(spoken) };
        StepRow {
            subject: self.results.plan.subjects[self.subject].label.clone(),
            test: self.test.name.clone(),
            status,
            counts: if queries { "queries" } else { "rows" }.to_owned(),
            rate: self.rate().filter(|_| !spoken.is_empty()),
            background: runs
                .iter()
                .filter_map(|facts| background(facts))
                .min_by(|a, b| a.rate.total_cmp(&b.rate)),
            columns,
            streams: streams(spoken),
        }
    }

    fn rate(&self) -> Option<f64> {
        let (operations, ns) = self
            .slices()
            .fold((0, 0), |(operations, ns), slice| (operations + slice.operations, ns + slice.wall_ns));
        (ns > 0).then(|| operations as f64 * NS_PER_S / ns as f64)
    }

    /// Sum of a counter, or the highest of a level; `None` where the run does not have it.
    fn reading(&self, name: &str) -> Option<f64> {
        let place = self.results.metrics.iter().position(|metric| metric.name == name)?;
        let values = self.slices().filter_map(|slice| slice.readings.get(place)).map(|value| *value as f64);
        let level = self.results.metrics[place].kind == humdrum_model::MetricKind::Gauge;
        Some(if level { values.fold(0.0, f64::max) } else { values.sum() })
    }

    fn columns(&self, runs: &[&StepFacts]) -> BTreeMap<String, f64> {
        let operations: f64 = self.slices().map(|slice| slice.operations as f64).sum();
        let seconds: f64 = self.slices().map(|slice| slice.wall_ns as f64 / NS_PER_S).sum();
        let inserts = sum(runs, |facts| facts.stream("insert").map_or(0.0, |stream| stream.rows as f64));
        let client_ns: f64 = self.slices().map(|slice| slice.client_cpu_ns as f64).sum();
        let server_ns = self.reading("server_cpu_ns").zip(self.reading("background_cpu_ns"));
        let server_ns = server_ns.map(|(own, background)| own + background);
        let cpu_ns = self.reading("host_cpu_ns").or(server_ns.map(|server| server + client_ns));
        let switches = self.reading("host_switches").or(self.reading("server_switches"));
        let per = |value: Option<f64>, by: f64| value.filter(|_| by > 0.0).map(|value| value / by);
        let cpus = f64::from(self.results.host.cpus.max(1));
        let all = [
            ("cpupq", per(cpu_ns.map(|ns| ns / 1e3), operations)),
            ("cspq", per(switches, operations)),
            ("rpq", per(self.reading("device_reads"), operations)),
            ("rkbpq", per(self.reading("device_read_kib"), operations)),
            ("wpi", per(self.reading("device_writes"), inserts)),
            ("wkbpi", per(self.reading("device_write_kib"), inserts)),
            ("csps", per(switches, seconds)),
            ("cpups", per(cpu_ns.map(|ns| ns / NS_PER_S * 100.0), seconds * cpus)),
            ("rss", self.reading("rss_kib").map(|kib| kib * 1024.0 / BYTES_PER_GB)),
            ("server_cpu_us", per(server_ns.map(|ns| ns / 1e3), operations)),
            ("client_cpu_us", per(Some(client_ns / 1e3), operations)),
            ("maxop", longest(runs)),
        ];
        let all = all.into_iter().filter_map(|(name, value)| Some((name, value?)));
        all.chain(rates(runs)).chain(self.sizes()).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What the housekeeping after the step took, of the last session.
    fn wait_seconds(&self) -> Option<f64> {
        let own = |debt: &&Debt| debt.test == self.test.name && debt.subject == self.subject;
        self.results.debts.iter().rfind(own).map(|debt| debt.wall_ns as f64 / NS_PER_S)
    }

    /// After the step, of the last session.
    fn sizes(&self) -> Vec<(&'static str, f64)> {
        let own = |state: &&StateFacts| state.test == self.test.name && state.subject == self.subject;
        let Some(state) = self.results.states.iter().rfind(own) else { return Vec::new() };
        let of = |name: &str| state.quantities.iter().find(|one| one.name == name).map(|one| one.value);
        let tables =
            of("table_bytes").zip(of("index_bytes")).map(|(table, index)| table + index).or(of("bytes"));
        let dead = of("dead_rows").zip(of("live_rows")).filter(|(dead, live)| dead + live > 0.0);
        let all = [
            ("dbgb1", tables.map(|bytes| bytes / BYTES_PER_GB)),
            ("dbgb2", of("folder_bytes").map(|bytes| bytes / BYTES_PER_GB)),
            ("dead_share", dead.map(|(dead, live)| dead / (dead + live))),
            ("history_length", of("history_length")),
            ("wait_seconds", self.wait_seconds()),
            ("log_gb", of("log_bytes").map(|bytes| bytes / BYTES_PER_GB)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

fn sum(runs: &[&StepFacts], of: impl Fn(&StepFacts) -> f64) -> f64 {
    runs.iter().map(|facts| of(facts)).sum()
}

/// The stream that the step's rate counts.
fn main_stream(facts: &StepFacts) -> Option<&Stream> {
    facts.stream("query").or_else(|| facts.stream("insert"))
}

/// Seconds of the longest response to what the step counts.
fn longest(runs: &[&StepFacts]) -> Option<f64> {
    let seconds = runs.iter().filter_map(|facts| main_stream(facts)).flat_map(|stream| &stream.seconds);
    seconds.map(|second| second.longest_ns).max().map(|ns| ns as f64 / NS_PER_S)
}

/// Rates that were exceeded in half and in 99 of 100 seconds, all clients together; whole seconds only.
fn rates(runs: &[&StepFacts]) -> Vec<(&'static str, f64)> {
    let mut rates: Vec<u64> = Vec::new();
    for facts in runs {
        let whole = (facts.wall_ns / 1_000_000_000) as usize;
        let Some(stream) = main_stream(facts) else { continue };
        let of = |second: &Second| if stream.name == "query" { second.statements } else { second.rows };
        rates.extend((0..whole).map(|at| stream.seconds.get(at).map_or(0, of)));
    }
    if rates.is_empty() {
        return Vec::new();
    }
    rates.sort_unstable_by(|a, b| b.cmp(a));
    let at = |share: f64| rates[((share * rates.len() as f64).ceil() as usize).clamp(1, rates.len()) - 1];
    vec![("p50", at(0.5) as f64), ("p99", at(0.99) as f64)]
}

fn streams(runs: &[&StepFacts]) -> BTreeMap<String, StreamRow> {
    let mut names: Vec<&str> =
        runs.iter().flat_map(|facts| &facts.streams).map(|stream| &*stream.name).collect();
    names.sort_unstable();
    names.dedup();
    let row = |name: &str| {
        let all: Vec<&Stream> = runs.iter().filter_map(|facts| facts.stream(name)).collect();
        let merged = |of: fn(&Stream) -> &Vec<(u64, u64)>| {
            let mut buckets = BTreeMap::new();
            for &(highest_ns, count) in all.iter().flat_map(|stream| of(stream)) {
                *buckets.entry(highest_ns).or_insert(0) += count;
            }
            percentiles_us(&buckets).unwrap_or_default()
        };
        StreamRow {
            statements: all.iter().map(|stream| stream.statements).sum(),
            rows: all.iter().map(|stream| stream.rows).sum(),
            seconds: all.iter().map(|stream| stream.service_ns as f64 / NS_PER_S).sum(),
            service_us: merged(|stream| &stream.service),
            response_us: merged(|stream| &stream.response),
        }
    };
    names.into_iter().map(|name| (name.to_owned(), row(name))).collect()
}

#[cfg(test)]
mod tests {
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

    fn facts(seconds: u64, inserts: &[u64]) -> StepFacts {
        StepFacts {
            wall_ns: seconds * 1_000_000_000,
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
        let found = background(&facts(60, &inserts)).expect("a target");
        assert!(found.is_kept() && (found.rate - 1000.0).abs() < 1e-9);
        assert!((found.worst_10s - 500.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_slow_server_takes_longer_and_misses() {
        let found = background(&facts(80, &[750; 80])).expect("a target");
        assert!(!found.is_kept());
        // Too short for a window: the whole.
        let short = background(&facts(5, &[990; 5])).expect("a target");
        assert_eq!((short.is_kept(), short.worst_10s), (true, 990.0));
        assert_eq!(background(&StepFacts { target: None, ..facts(5, &[1; 5]) }), None);
    }

    #[test]
    fn percentiles_of_rates_are_exceeded_so_often() {
        let mut one = facts(100, &(1..=100).map(|rate| rate * 50).collect::<Vec<u64>>());
        one.target = None;
        assert_eq!(rates(&[&one]), [("p50", 51.0 * 50.0), ("p99", 100.0)]);
        assert_eq!(longest(&[&one]), Some(0.007));
    }
}
