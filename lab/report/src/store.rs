//! The columns of a store that flushes and compacts, in the reference's order and under its names where it has one. A
//! column reads either side of a comparison, so a table can show a pair or one release of a series.

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
    /// A size in bytes of the state that a test left; MB are shown.
    State(&'static str),
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

const fn level(heading: &'static str, name: &'static str) -> Column {
    Column { heading, source: Source::State(name) }
}

/// Sizes of levels, in order; the first level comes first.
pub(crate) const LEVELS: [Column; 8] = [
    level("L0 MB", "level0_bytes"),
    level("L1 MB", "level1_bytes"),
    level("L2 MB", "level2_bytes"),
    level("L3 MB", "level3_bytes"),
    level("L4 MB", "level4_bytes"),
    level("L5 MB", "level5_bytes"),
    level("L6 MB", "level6_bytes"),
    level("L7 MB", "level7_bytes"),
];

/// In the reference's order; columns that it lacks follow. The sizes of levels come after the first three.
const COLUMNS: [Column; 22] = [
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
    cost("background µs", "background_cpu_us"),
    cost("rss MiB", "rss_mib"),
    cost("writer µs", "writer_us"),
    cost("writer %", "writer_kept"),
];

/// Of `COLUMNS`, those before the levels.
const BEFORE_LEVELS: usize = 3;

/// A cost that only runs of such a store have.
const MARK: &str = "usec_op";

/// The columns that any of the tests has; none for other engines.
pub(crate) fn columns(tests: &[TestResult]) -> Vec<Column> {
    if !tests.iter().any(|test| test.cost.contains_key(MARK)) {
        return Vec::new();
    }
    let (before, after) = COLUMNS.split_at(BEFORE_LEVELS);
    before.iter().chain(&LEVELS).chain(after).filter(|column| column.is_told(tests)).copied().collect()
}

impl Column {
    /// Whether any test has a value for it. A level without files counts as no value.
    fn is_told(&self, tests: &[TestResult]) -> bool {
        let least = if matches!(self.source, Source::State(_)) { f64::MIN_POSITIVE } else { f64::MIN };
        let of = |test, side| self.value(test, side).is_some_and(|value| value >= least);
        tests.iter().any(|test| of(test, Side::Base) || of(test, Side::Subject))
    }

    /// The number of one side.
    pub(crate) fn value(&self, test: &TestResult, side: Side) -> Option<f64> {
        match self.source {
            Source::Qps => side.of(test.base_qps, test.qps),
            Source::Cost(name) => test.cost.get(name).map(|cost| side.of(cost.base, cost.subject)),
            Source::State(name) => test
                .state
                .get(name)
                .and_then(|pair| side.of(pair.base, pair.subject))
                .map(|bytes| bytes / 1e6),
            Source::Latency(percentile) => {
                test.latency_us.map(|both| percentile(&side.of(both.base, both.subject)))
            }
        }
    }

    /// `10.2→8.1`, or one number if both sides are spelled the same.
    pub(crate) fn arrow(&self, test: &TestResult) -> String {
        let text = |side| self.value(test, side).map_or_else(|| NONE.into(), short);
        let (base, subject) = (text(Side::Base), text(Side::Subject));
        if base == subject { base } else { format!("{base}→{subject}") }
    }

    /// What the column means, as the record describes it.
    pub(crate) fn meaning(&self, tests: &[TestResult]) -> String {
        let told = |cost: &Cost| format!("{} ({})", cost.description, cost.unit);
        match self.source {
            Source::Qps => "operations per second".into(),
            Source::Latency(_) => "percentile of the time of one operation, or the longest (µs)".into(),
            Source::State(_) => {
                "size of the files of that level after the test, before its debt was paid (MB)".into()
            }
            Source::Cost(name) => {
                tests.iter().find_map(|test| test.cost.get(name)).map_or_else(String::new, told)
            }
        }
    }
}

/// One release's line in a table of one test: its label, the result that holds its numbers, and on which side.
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
    fn only_stores_of_this_kind_have_the_tables() {
        let (summary, ..) = fixture::run();
        assert!(columns(&summary.comparisons[0].tests).is_empty());
        let (summary, ..) = fixture::releases();
        let tests = &summary.comparisons[0].tests;
        let headings: Vec<&str> = columns(tests).iter().map(|column| column.heading).collect();
        // The level between the two that hold files is left out.
        assert_eq!(headings[..7], ["ops_sec", "mb_sec", "lsm MB", "L0 MB", "L2 MB", "c_wgb", "w_amp"]);
        assert!(columns(tests).iter().all(|column| !column.meaning(tests).is_empty()));
        assert_eq!(lines(&summary, "overwrite").len(), 1 + summary.comparisons.len());
    }
}
