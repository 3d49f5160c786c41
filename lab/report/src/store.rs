//! The columns of a store that flushes and compacts, in the reference's order and under its names where it has one. A
//! cell knows both sides, so that a table can be of a pair or of one release in a row.

use humdrum_model::{Comparison, Cost, Percentiles, Summary, TestResult};

use crate::number::{NONE, short};

/// Which side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Base,
    Subject,
}

impl Side {
    fn of<T>(self, base: T, subject: T) -> T {
        if self == Self::Base { base } else { subject }
    }
}

/// Where a column's numbers are.
#[derive(Clone, Copy)]
enum Source {
    Qps,
    Cost(&'static str),
    Latency(fn(&Percentiles) -> f64),
}

/// One column.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    source: Source,
}

const fn cost(heading: &'static str, name: &'static str) -> Column {
    Column { heading, source: Source::Cost(name) }
}

const fn latency(heading: &'static str, of: fn(&Percentiles) -> f64) -> Column {
    Column { heading, source: Source::Latency(of) }
}

/// In the reference's order; what it has not follows.
pub(crate) const COLUMNS: [Column; 21] = [
    Column { heading: "ops_sec", source: Source::Qps },
    cost("mb_sec", "mb_sec"),
    cost("lsm MB", "lsm_mb"),
    cost("c_wgb", "c_wgb"),
    cost("w_amp", "w_amp"),
    cost("c_mbps", "c_mbps"),
    cost("c_wsecs", "c_wsecs"),
    cost("c_csecs", "c_csecs"),
    cost("usec_op", "usec_op"),
    latency("p50", |one| one.p50),
    latency("p99", |one| one.p99),
    latency("p99.9", |one| one.p99_9),
    latency("p99.99", |one| one.p99_99),
    latency("pmax", |one| one.max),
    cost("stall %", "stall_pct"),
    cost("Nstall", "stalls"),
    cost("u_cpu", "u_cpu"),
    cost("s_cpu", "s_cpu"),
    cost("rss MiB", "rss_mib"),
    cost("writer µs", "writer_us"),
    cost("writer %", "writer_kept"),
];

/// A cost that no run has without a store of that kind.
const MARK: &str = "usec_op";

/// The columns that any of the tests has; none where the engine is no such store.
pub(crate) fn columns(tests: &[TestResult]) -> Vec<Column> {
    if !tests.iter().any(|test| test.cost.contains_key(MARK)) {
        return Vec::new();
    }
    let present = |column: &&Column| tests.iter().any(|test| column.value(test, Side::Subject).is_some());
    COLUMNS.iter().filter(present).copied().collect()
}

impl Column {
    /// The number of one side.
    pub(crate) fn value(&self, test: &TestResult, side: Side) -> Option<f64> {
        match self.source {
            Source::Qps => side.of(test.base_qps, test.qps),
            Source::Cost(name) => test.cost.get(name).map(|cost| side.of(cost.base, cost.subject)),
            Source::Latency(percentile) => {
                test.latency_us.map(|both| percentile(&side.of(both.base, both.subject)))
            }
        }
    }

    /// `10.2→8.1`, or one number where both sides look the same.
    pub(crate) fn arrow(&self, test: &TestResult) -> String {
        let text = |side| self.value(test, side).map_or_else(|| NONE.into(), short);
        let (base, subject) = (text(Side::Base), text(Side::Subject));
        if base == subject { base } else { format!("{base}→{subject}") }
    }

    /// What it means, in the record's own words.
    pub(crate) fn meaning(&self, tests: &[TestResult]) -> String {
        let told = |cost: &Cost| format!("{} ({})", cost.description, cost.unit);
        match self.source {
            Source::Qps => "operations per second".into(),
            Source::Latency(_) => "percentile of the time of one operation, or the longest (µs)".into(),
            Source::Cost(name) => {
                tests.iter().find_map(|test| test.cost.get(name)).map_or_else(String::new, told)
            }
        }
    }
}

/// One release's line in a table of one test: its label, the test of a comparison that holds its numbers, which side.
pub(crate) type Line<'a> = (&'a str, &'a TestResult, Side);

/// All releases of a run in one test, the base first.
pub(crate) fn lines<'a>(summary: &'a Summary, test: &str) -> Vec<Line<'a>> {
    let of = |comparison: &'a Comparison| comparison.tests.iter().find(|one| one.test == test);
    let measured = |test: &&TestResult| test.qps.is_some();
    let first = summary.comparisons.iter().find_map(|comparison| of(comparison).filter(measured));
    let base = first.map(|test| (summary.base.as_str(), test, Side::Base));
    let others = summary.comparisons.iter().filter_map(|comparison| {
        Some((comparison.subject.as_str(), of(comparison).filter(measured)?, Side::Subject))
    });
    base.into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn tables_are_there_for_such_stores_alone() {
        let (summary, ..) = fixture::run();
        assert!(columns(&summary.comparisons[0].tests).is_empty());
        let (summary, ..) = fixture::releases();
        let tests = &summary.comparisons[0].tests;
        let headings: Vec<&str> = columns(tests).iter().map(|column| column.heading).collect();
        assert_eq!(headings[..5], ["ops_sec", "mb_sec", "lsm MB", "c_wgb", "w_amp"]);
        assert!(columns(tests).iter().all(|column| !column.meaning(tests).is_empty()));
        assert_eq!(lines(&summary, "overwrite").len(), 1 + summary.comparisons.len());
    }
}
