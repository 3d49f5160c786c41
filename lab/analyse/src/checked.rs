//! Checks over time. A check tells how fast a change is beside its own base; levels put checks on one scale:
//!
//! ```text
//!   base is the series' origin                    level = ratio of the check
//!   base is the head of an earlier check          level = level of that check × ratio of this one; variances add
//!   base is neither                               begins a series of its own, with this base as its origin
//! ```
//!
//! A fixed base keeps intervals as narrow as those of single checks. A chain of neighbours adds an error with each commit.

use std::collections::BTreeMap;

use humdrum_model::{
    CheckLevel, CheckSeries, Checked, CheckedTest, HALF_95, Place, Results, SeriesValue, Subject, Summary,
    TestResult,
};

use crate::change_points::change_points;

/// What is kept of a check; `None` if no test of it has a ratio, or there are not two subjects.
pub fn checked(results: &Results, summary: &Summary) -> Option<Checked> {
    let [base, head] = results.plan.subjects.as_slice() else { return None };
    let tests: Vec<CheckedTest> =
        summary.comparisons.iter().flat_map(|one| &one.tests).filter_map(test).collect();
    let host = &summary.host;
    let generation = &host.processor.generation;
    (!tests.is_empty()).then(|| Checked {
        schema: Checked::SCHEMA,
        tool: summary.tool.clone(),
        started: results.started.clone(),
        engine: base.engine.clone(),
        suite: summary.suite.clone(),
        scale: scale(results),
        base: name(base),
        head: name(head),
        processor: if generation.is_empty() { &host.cpu_model } else { generation }.clone(),
        tests,
    })
}

fn scale(results: &Results) -> String {
    let memory = results.plan.memory_bytes.map_or_else(String::new, |bytes| format!(",memory={bytes}"));
    let delay = results.plan.fsync_delay_us.map_or_else(String::new, |us| format!(",fsync_delay_us={us}"));
    format!("{}{memory}{delay}", results.plan.scale)
}

fn test(test: &TestResult) -> Option<CheckedTest> {
    let (rqps, ci95) = (test.rqps?, test.ci95?);
    let is_usable = rqps > 0.0 && ci95.iter().all(|end| *end > 0.0 && end.is_finite());
    let name = test.test.clone();
    is_usable.then_some(CheckedTest { test: name, verdict: test.verdict, rqps, ci95, delta: test.delta })
}

/// A subject without the folders of this host: the commit, the release, or the label, and its settings.
fn name(subject: &Subject) -> String {
    let mut name = match &subject.place {
        Place::Source { revision: Some(revision), .. } => revision.clone(),
        Place::Version(version) => version.clone(),
        Place::Source { .. } | Place::Folder(_) | Place::External(_) => return subject.label.clone(),
    };
    subject.settings.iter().for_each(|setting| name.push_str(&format!("+{setting}")));
    name
}

/// The series of these checks, which are sorted by their time first. A check without a usable ratio of a test is no point of its series.
pub fn check_series(checks: &[Checked]) -> Vec<CheckSeries> {
    let mut checks: Vec<&Checked> = checks.iter().collect();
    checks.sort_by(|a, b| (&a.started, &a.head).cmp(&(&b.started, &b.head)));
    let mut found: BTreeMap<([&str; 3], &str, &str), Vec<CheckSeries>> = BTreeMap::new();
    for check in checks {
        for test in &check.tests {
            let series = found.entry((check.conditions(), &test.test, &check.processor)).or_default();
            add(series, check, test);
        }
    }
    let mut all: Vec<CheckSeries> = found.into_values().flatten().collect();
    for series in &mut all {
        let values: Vec<SeriesValue> = series.points.iter().map(value).collect();
        series.changes = change_points(&values);
    }
    all
}

fn add(all: &mut Vec<CheckSeries>, check: &Checked, test: &CheckedTest) {
    // The newest series first: a base that was given up may come again.
    let before = all.iter().enumerate().rev().find_map(|(number, series)| {
        if series.origin == check.base {
            return Some((number, SeriesValue { value: 0.0, error: 0.0 }));
        }
        let earlier = series.points.iter().rev().find(|point| point.head == check.base);
        earlier.map(|point| (number, value(point)))
    });
    let (number, before) = before.unwrap_or_else(|| {
        all.push(CheckSeries {
            conditions: check.conditions().map(str::to_owned),
            test: test.test.clone(),
            processor: check.processor.clone(),
            origin: check.base.clone(),
            points: Vec::new(),
            changes: Vec::new(),
        });
        (all.len() - 1, SeriesValue { value: 0.0, error: 0.0 })
    });
    let own = SeriesValue::of(Some(test.rqps), Some(test.ci95));
    let level = before.value + own.value;
    let half = HALF_95 * before.error.hypot(own.error);
    all[number].points.push(CheckLevel {
        started: check.started.clone(),
        head: check.head.clone(),
        level: level.exp(),
        ci95: [(level - half).exp(), (level + half).exp()],
        verdict: test.verdict,
        delta: test.delta,
    });
}

fn value(point: &CheckLevel) -> SeriesValue {
    SeriesValue::of(Some(point.level), Some(point.ci95))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(day: usize, base: &str, head: &str, ratio: f64) -> Checked {
        let test = CheckedTest {
            test: "scan".into(),
            verdict: None,
            rqps: ratio,
            ci95: [ratio / 1.01, ratio * 1.01],
            delta: 0.01,
        };
        Checked {
            schema: Checked::SCHEMA,
            tool: "humdrum".into(),
            started: format!("2026-01-{day:02}T00:00:00Z"),
            engine: "fake".into(),
            suite: "sysbench".into(),
            scale: "rows=1".into(),
            base: base.into(),
            head: head.into(),
            processor: "Zen 3".into(),
            tests: vec![test],
        }
    }

    #[test]
    fn neighbours_are_multiplied_and_their_errors_add() {
        let chain = [check(1, "a", "b", 0.9), check(2, "b", "c", 1.1), check(3, "c", "d", 1.0)];
        let [series] = &check_series(&chain)[..] else { panic!("one series") };
        let levels: Vec<f64> = series.points.iter().map(|point| point.level).collect();
        assert!((levels[1] - 0.99).abs() < 1e-9 && (levels[2] - 0.99).abs() < 1e-9, "{levels:?}");
        let half = |number: usize| (series.points[number].ci95[1] / series.points[number].level).ln();
        assert!((half(2) / half(0) - 3f64.sqrt()).abs() < 1e-6);
        assert_eq!(series.origin, "a");
    }

    #[test]
    fn a_fixed_base_keeps_the_width_and_another_begins_anew() {
        let mut checks = vec![check(2, "v1", "c", 0.8), check(1, "v1", "b", 0.9), check(3, "v2", "d", 1.0)];
        let mut other = check(4, "v1", "e", 0.7);
        other.processor = "Golden Cove".into();
        checks.push(other);
        let found = check_series(&checks);
        let told: Vec<(&str, &str, usize)> =
            found.iter().map(|one| (&one.processor[..], &one.origin[..], one.points.len())).collect();
        assert_eq!(told, [("Golden Cove", "v1", 1), ("Zen 3", "v1", 2), ("Zen 3", "v2", 1)]);
        assert_eq!(found[1].points[0].head, "b");
        assert!((found[1].points[1].level - 0.8).abs() < 1e-9);
    }

    #[test]
    fn tests_of_one_name_under_other_conditions_are_other_series() {
        let mut checks = vec![check(1, "v1", "b", 0.9); 4];
        checks[1].suite = "shop".into();
        checks[2].scale = "rows=2".into();
        checks[3].engine = "other".into();
        let found = check_series(&checks);
        assert_eq!(found.iter().map(|one| one.points.len()).collect::<Vec<_>>(), [1; 4]);
    }

    #[test]
    fn a_level_that_changed_is_found() {
        let ratio = |day: usize| if day < 7 { 1.0 } else { 0.9 } + 0.001 * (day % 3) as f64;
        let checks: Vec<Checked> =
            (1..13).map(|day| check(day, "v1", &format!("c{day}"), ratio(day))).collect();
        let [series] = &check_series(&checks)[..] else { panic!("one series") };
        assert_eq!(series.changes.len(), 1);
        assert_eq!(series.points[series.changes[0].at].head, "c7");
    }
}
