//! What a run adds to the history of its host, and the variance between runs that a history shows.

use std::collections::BTreeMap;

use humdrum_model::{HistoryEntry, Mode, Results, Subject, Summary, delay_text, memory_text};

use crate::reach::History;

/// What a finished run adds to its host's history: every test with an interval of every comparison.
pub fn history_entries(results: &Results, summary: &Summary) -> Vec<HistoryEntry> {
    let subjects = &results.plan.subjects;
    let group = |test: &str| {
        let info = results.plan.tests.iter().find(|info| info.name == test);
        info.map_or_else(String::new, |info| info.group.clone())
    };
    let mut entries = Vec::new();
    for (comparison, subject) in summary.comparisons.iter().zip(subjects.iter().skip(1)) {
        for test in &comparison.tests {
            let (Some(ratio), Some(se)) = (test.rqps, standard_error(&test.session_log_ratios)) else {
                continue;
            };
            entries.push(HistoryEntry {
                run: run_name(results),
                started: results.started.clone(),
                generation: results.host.processor.generation.clone(),
                engine: subject.engine.clone(),
                class: group(&test.test),
                test: test.test.clone(),
                pair: pair(results, &subjects[0], subject),
                ln_ratio: ratio.ln(),
                se,
            });
        }
    }
    entries
}

/// The name of a run in a history.
pub fn run_name(results: &Results) -> String {
    format!("{} seed {}", results.started, results.plan.seed)
}

/// What two runs must have in common so that their ratios estimate the same value: builds, settings, suite,
/// scale, memory limit, delay of fsync and mode. Plans without these have the name that they had before there were limits,
/// and so have those of this program's own suites.
fn pair(results: &Results, base: &Subject, subject: &Subject) -> String {
    let plan = &results.plan;
    let memory =
        plan.memory_bytes.map_or_else(String::new, |bytes| format!(" memory={}", memory_text(bytes)));
    let delay =
        plan.fsync_delay_us.map_or_else(String::new, |delay| format!(" fsync_delay={}", delay_text(delay)));
    let mode = if plan.mode == Mode::Sequential { " sequential" } else { "" };
    let files = plan.suite_sha256.as_ref().map_or_else(String::new, |sum| format!(" sha256={sum}"));
    format!("{base} {subject} {} {}{memory}{delay}{mode}{files}", plan.suite, plan.scale_typed())
}

fn standard_error(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0) / count).sqrt())
}

/// The variance between runs of one class of tests: the variance of runs of the same test and pair beyond
/// their own errors, pooled over tests and pairs by their degrees of freedom (the moment estimator of
/// DerSimonian & Laird 1986 for equal weights). `None` where nothing was run twice.
pub fn between_runs(class: &str, entries: &[HistoryEntry]) -> Option<History> {
    let mut groups: BTreeMap<(&str, &str), Vec<&HistoryEntry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.class == class) {
        groups.entry((&entry.pair, &entry.test)).or_default().push(entry);
    }
    let (mut beyond, mut freedom) = (0.0, 0.0);
    for runs in groups.values().filter(|runs| runs.len() > 1) {
        let count = runs.len() as f64;
        let mean = runs.iter().map(|run| run.ln_ratio).sum::<f64>() / count;
        let squares: f64 = runs.iter().map(|run| (run.ln_ratio - mean).powi(2)).sum();
        let own = runs.iter().map(|run| run.se.powi(2)).sum::<f64>() / count;
        beyond += squares - (count - 1.0) * own;
        freedom += count - 1.0;
    }
    (freedom > 0.0).then(|| History {
        class: class.to_owned(),
        sd: (beyond / freedom).max(0.0).sqrt(),
        freedom,
        basis: format!("{freedom:.0} repeated results of this host"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;

    #[test]
    fn runs_with_another_limit_or_mode_are_another_pair() {
        let mut results = Bench::new(&["t"], 2, 0, 1).results;
        let of = |results: &Results| pair(results, &results.plan.subjects[0], &results.plan.subjects[1]);
        let plain = of(&results);
        results.plan.memory_bytes = Some(256 << 20);
        assert_eq!(of(&results), format!("{plain} memory=256M"));
        results.plan.mode = Mode::Sequential;
        assert_eq!(of(&results), format!("{plain} memory=256M sequential"));
    }

    fn entry(test: &str, run: u32, ln_ratio: f64, se: f64) -> HistoryEntry {
        HistoryEntry {
            run: run.to_string(),
            class: "point".into(),
            test: test.into(),
            pair: "a b".into(),
            ln_ratio,
            se,
            ..HistoryEntry::default()
        }
    }

    #[test]
    fn what_runs_differ_by_beyond_their_errors_is_the_variance_between_them() {
        let entries = [
            entry("t", 1, 0.00, 0.0),
            entry("t", 2, 0.02, 0.0),
            entry("u", 1, 0.5, 0.0),
            entry("u", 2, 0.5, 0.0),
        ];
        let found = between_runs("point", &entries).expect("two tests were run twice");
        // (2 · 0.01² + 0) / 2 degrees of freedom.
        assert!((found.sd - 0.01).abs() < 1e-12 && found.freedom == 2.0, "{found:?}");
        assert!(between_runs("scan", &entries).is_none());
        assert!(between_runs("point", &entries[..1]).is_none());
    }

    #[test]
    fn runs_that_differ_by_no_more_than_their_errors_have_no_variance_between_them() {
        let entries = [entry("t", 1, 0.00, 0.02), entry("t", 2, 0.02, 0.02)];
        assert_eq!(between_runs("point", &entries).expect("run twice").sd, 0.0);
    }
}
