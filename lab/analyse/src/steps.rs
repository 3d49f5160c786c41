//! Whole steps as the reference shows them: a row for each subject and step. Its columns are computed from
//! readings at the edges of the subject's own turns.

mod seconds;
mod streams;

use std::collections::BTreeMap;

use humdrum_model::{
    Block, Debt, Results, Slice, StateFacts, StepFacts, StepRow, Stream, TestInfo, TestStatus,
};

pub use seconds::background;

use crate::status::rank;
use seconds::rates;
use streams::streams;

const NS_PER_S: f64 = 1e9;
const BYTES_PER_GB: f64 = 1e9;

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

/// The data of one row.
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
        let worst = own.map(|event| event.status).min_by_key(|status| rank(*status));
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

    /// Sum of a counter, or the highest value of a level; `None` if the run does not have it.
    fn reading(&self, name: &str) -> Option<f64> {
        let place = self.results.metrics.iter().position(|metric| metric.name == name)?;
        let values = self.slices().filter_map(|slice| slice.readings.get(place)).map(|value| *value as f64);
        let level = self.results.metrics[place].kind == humdrum_model::MetricKind::Gauge;
        Some(if level { values.fold(0.0, f64::max) } else { values.sum() })
    }

    /// CPU of all the server's processes, ns: `cpu` is all of it, `user` and `system` its parts.
    fn server_ns(&self, what: &str) -> Option<f64> {
        let of = |who: &str| self.reading(&format!("{who}_{what}_ns"));
        Some(of("server")? + of("background")?)
    }

    fn columns(&self, runs: &[&StepFacts]) -> BTreeMap<String, f64> {
        let operations: f64 = self.slices().map(|slice| slice.operations as f64).sum();
        let seconds: f64 = self.slices().map(|slice| slice.wall_ns as f64 / NS_PER_S).sum();
        let inserts = sum(runs, |facts| facts.stream("insert").map_or(0.0, |stream| stream.rows as f64));
        let client_ns: f64 = self.slices().map(|slice| slice.client_cpu_ns as f64).sum();
        let server_ns = self.server_ns("cpu");
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
            ("server_user_us", per(self.server_ns("user").map(|ns| ns / 1e3), operations)),
            ("server_system_us", per(self.server_ns("system").map(|ns| ns / 1e3), operations)),
            ("client_cpu_us", per(Some(client_ns / 1e3), operations)),
            ("maxop", longest(runs)),
        ];
        let all = all.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let all = all.chain(rates(runs)).chain(self.sizes());
        all.chain(self.device(operations, seconds)).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What the device did in a second of the step, and its own state during it.
    fn device(&self, operations: f64, seconds: f64) -> Vec<(&'static str, f64)> {
        let over = |name: &str, by: Option<f64>| {
            self.reading(name).zip(by.filter(|by| *by > 0.0)).map(|(value, by)| value / by)
        };
        let per_second = |name: &str| over(name, Some(seconds));
        let mib = |kib: Option<f64>| kib.map(|kib| kib / 1024.0);
        let all = [
            ("rps", per_second("device_reads")),
            ("rmbps", mib(per_second("device_read_kib"))),
            ("wps", per_second("device_writes")),
            ("wmbps", mib(per_second("device_write_kib"))),
            ("r_await_ms", over("device_read_wait_ms", self.reading("device_reads"))),
            ("w_await_ms", over("device_write_wait_ms", self.reading("device_writes"))),
            ("util_pct", over("device_busy_ms", Some(seconds * 10.0))),
            ("queue_depth", over("device_queue_ms", Some(seconds * 1e3))),
            ("flushes_o", over("device_flushes", Some(operations))),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Seconds of the housekeeping after the step, in the last session.
    fn wait_seconds(&self) -> Option<f64> {
        let own = |debt: &&Debt| debt.test == self.test.name && debt.subject == self.subject;
        self.results.debts.iter().rfind(own).map(|debt| debt.wall_ns as f64 / NS_PER_S)
    }

    /// Sizes after the step, in the last session.
    fn sizes(&self) -> Vec<(&'static str, f64)> {
        let own = |state: &&StateFacts| state.test == self.test.name && state.subject == self.subject;
        let Some(state) = self.results.states.iter().rfind(own) else { return Vec::new() };
        let of = |name: &str| state.quantities.iter().find(|one| one.name == name).map(|one| one.value);
        let gb = |bytes: Option<f64>| bytes.map(|bytes| bytes / BYTES_PER_GB);
        let (table, index) = (of("table_bytes"), of("index_bytes"));
        let both = table.zip(index).map(|(table, index)| table + index);
        let dead = of("dead_rows").zip(of("live_rows")).filter(|(dead, live)| dead + live > 0.0);
        let all = [
            ("dbgb1", gb(both.or(of("bytes")))),
            ("dbgb2", gb(of("folder_bytes"))),
            ("table_gb", gb(table)),
            ("index_gb", gb(index)),
            ("log_gb", gb(of("log_bytes"))),
            ("dead_share", dead.map(|(dead, live)| dead / (dead + live))),
            ("history_length", of("history_length")),
            ("wait_seconds", self.wait_seconds()),
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

#[cfg(test)]
mod tests {
    use humdrum_model::{Moment, Quantity};

    use super::*;
    use crate::testkit::{Bench, block, counters};

    #[test]
    fn device_rates_are_of_the_subjects_own_turns() {
        let mut results = Bench::new(&["l.i1"], 2, 0, 4).results;
        results.metrics = counters(&["device_reads", "device_read_kib", "device_writes", "device_write_kib"]);
        // Two blocks; the subject's turns in them take a second each.
        for index in 0..2 {
            let mut own = block("l.i1", 0, index, &[3_000_000_000, 1_000_000_000]);
            own.slices[0].readings = vec![9, 9, 9, 9];
            own.slices[1].readings = vec![100, 2048, 10, 512];
            results.blocks.push(own);
        }
        let (test, results) = (&results.plan.tests[0], &results);
        let device = Table { results, test, subject: 1 }.device(200.0, 2.0);
        assert_eq!(device, [("rps", 100.0), ("rmbps", 2.0), ("wps", 10.0), ("wmbps", 0.5)]);
        // A step without a turn has no rate.
        assert!(Table { results, test, subject: 1 }.device(0.0, 0.0).is_empty());
    }

    #[test]
    fn the_servers_cpu_is_of_all_its_processes_and_told_by_mode() {
        let mut results = Bench::new(&["l.i1"], 2, 0, 4).results;
        let names = ["server_cpu_ns", "background_cpu_ns", "server_system_ns", "background_system_ns"];
        results.metrics = counters(&names);
        let mut own = block("l.i1", 0, 0, &[1_000_000_000, 1_000_000_000]);
        own.slices.iter_mut().for_each(|slice| slice.readings = vec![700, 300, 200, 50]);
        results.blocks.push(own);
        let (test, results) = (&results.plan.tests[0], &results);
        let table = Table { results, test, subject: 1 };
        assert_eq!(
            ["cpu", "system", "user"].map(|what| table.server_ns(what)),
            [Some(1000.0), Some(250.0), None]
        );
    }

    #[test]
    fn tables_indexes_and_log_have_sizes_of_their_own() {
        let mut results = Bench::new(&["l.i1"], 2, 0, 4).results;
        let of = |(name, gb): (&str, f64)| Quantity {
            name: name.into(),
            unit: "bytes".into(),
            description: String::new(),
            value: gb * BYTES_PER_GB,
        };
        results.states.push(StateFacts {
            test: "l.i1".into(),
            session: 0,
            subject: 1,
            moment: Moment::After,
            contents: None,
            quantities: [("table_bytes", 2.0), ("index_bytes", 0.5), ("log_bytes", 4.0)].map(of).into(),
        });
        let (test, results) = (&results.plan.tests[0], &results);
        let sizes = |subject| Table { results, test, subject }.sizes();
        let expected = [("dbgb1", 2.5), ("table_gb", 2.0), ("index_gb", 0.5), ("log_gb", 4.0)];
        assert_eq!((sizes(0), sizes(1)), (vec![], expected.into()));
    }
}
