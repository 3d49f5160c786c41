//! What differs for results that others measured: a block is a whole run of each subject, and a session a repetition.
//!
//! One run of each gives a ratio and no interval, since nothing is known of how much their runs differ. With repetitions,
//! the interval comes from the spread between them, like that between sessions.

use humdrum_model::{Results, Verdict};

use crate::band::Band;
use crate::decide::missing;
use crate::estimate::Estimate;
use crate::series::RatePoint;

/// The note of a test that both subjects did not run.
pub(crate) const UNMATCHED: &str = "no run of both: only one of the two subjects has results of this test";

/// What would decide a test, where that is known.
pub(crate) fn advice(estimate: &Estimate, verdict: Verdict, band: &Band) -> Option<String> {
    if verdict != Verdict::Inconclusive {
        return None;
    }
    let Some(sd) = estimate.sd else {
        return Some(
            "one run of each: a ratio without an interval, and no verdict; repetitions would show how much runs differ"
                .to_owned(),
        );
    };
    let more = missing(estimate, sd, band.distance(estimate.mean));
    let noun = if more > 1.0 { "repetitions" } else { "repetition" };
    Some(format!("about {more:.0} more {noun} of each subject would decide"))
}

/// Rates over time, as the tools printed them; each repetition of a subject follows its earlier one. Where a tool printed
/// none, a repetition is one point.
pub(crate) fn rate_series(results: &Results, test: &str) -> Vec<Vec<RatePoint>> {
    let point = |seconds: f64, qps: f64| RatePoint { seconds, qps, discarded: false };
    let mut series = vec![Vec::new(); results.plan.subjects.len()];
    for block in results.blocks.iter().filter(|block| block.test == test) {
        for slice in block.slices.iter().filter(|slice| slice.wall_ns > 0) {
            let Some(own) = series.get_mut(slice.subject) else { continue };
            let start = slice.start_ns as f64 / 1e9;
            let printed = results.run_rates.iter().find(|rates| {
                rates.test == test && rates.session == block.session && rates.subject == slice.subject
            });
            match printed {
                Some(rates) => {
                    own.extend(rates.points.iter().map(|one| point(start + one.seconds, one.rate)));
                }
                None => own.push(point(start, slice.operations as f64 * 1e9 / slice.wall_ns as f64)),
            }
        }
    }
    series
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Imported, Results, RunRate, RunRates, Stage};

    use super::*;
    use crate::summarise;
    use crate::testkit::Bench;

    /// Repetitions of two tests: so many of the first, and one of the second.
    fn imported(repetitions: &[f64]) -> Results {
        let mut bench = Bench::new(&["often", "once"], 2, 0, 0);
        for (number, ratio) in repetitions.iter().enumerate() {
            bench.session(Stage::Confirmation, |test| test == "often" || number == 0, 1, |_, _| *ratio);
        }
        let mut results = bench.results;
        results.plan.imported = Some(Imported::default());
        results.finished = true;
        results
    }

    #[test]
    fn a_single_run_has_a_ratio_and_neither_interval_nor_verdict() {
        let summary = summarise(&imported(&[0.5]));
        let test = &summary.comparisons[0].tests[0];
        assert!(test.rqps.is_some_and(|ratio| ratio > 1.4), "{:?}", test.rqps);
        assert_eq!((test.ci95, test.verdict, test.p_adjusted), (None, Some(Verdict::Inconclusive), None));
        assert!(test.notes[0].starts_with("one run of each"), "{:?}", test.notes);
        assert!(summary.imported.is_some());
    }

    #[test]
    fn repetitions_have_students_interval_without_looks() {
        let summary = summarise(&imported(&[0.10, 0.11, 0.12, 0.11, 0.11]));
        let [often, once] = &summary.comparisons[0].tests[..] else { panic!("two tests") };
        assert_eq!(often.verdict, Some(Verdict::Improvement));
        assert_eq!(once.verdict, Some(Verdict::Inconclusive));
        // Student's t with four degrees of freedom, 2.776, and sd 0.00707 over the root of five; no look has spent any of it.
        let [low, high] = often.ci95.expect("an interval");
        let half = 0.5 * (high.ln() - low.ln());
        assert!((half - 2.776 * 0.00707 / 5f64.sqrt()).abs() < 3e-4, "{half}");
    }

    #[test]
    fn two_unlike_repetitions_decide_nothing_and_say_what_would() {
        let summary = summarise(&imported(&[0.02, 0.05]));
        let test = &summary.comparisons[0].tests[0];
        assert_eq!(test.verdict, Some(Verdict::Inconclusive));
        assert!(test.notes.iter().any(|note| note.contains("more repetition")), "{:?}", test.notes);
        assert!(!test.notes.iter().any(|note| note.contains("session")), "{:?}", test.notes);
    }

    #[test]
    fn printed_rates_are_the_chart_and_a_run_without_any_is_one_point() {
        let mut results = imported(&[0.0, 0.0]);
        let points = vec![RunRate { seconds: 1.0, rate: 5.0 }, RunRate { seconds: 2.0, rate: 7.0 }];
        results.run_rates.push(RunRates { test: "often".into(), session: 1, subject: 1, points });
        let series = crate::rate_series(&results, "often");
        assert_eq!((series[0].len(), series[1].len()), (2, 3));
        assert_eq!((series[1][1].qps, series[1][2].qps), (5.0, 7.0));
    }
}
