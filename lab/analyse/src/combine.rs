//! Several runs of one plan, at different hours, as one summary: the ratio is the mean over runs, and its interval holds for
//! the hours of this host.

use std::collections::BTreeMap;

use humdrum_model::{Judgement, Reach, Results, RunRatio, Summary, TestResult, TestStatus, Verdict};

use crate::band::Band;
use crate::carry_over;
use crate::decide::{Correction, bears_out, is_uneven, judge_mean, margin_p, over_runs};
use crate::evidence::CI_LEVEL;
use crate::interval::{Means, means};
use crate::reach::{RunEstimate, another_run, known, mean_over_runs};
use crate::summary::{Options, summarise_with};

/// What several runs say of one test.
struct Combined {
    means: Means,
    another_run: [f64; 2],
    basis: String,
}

/// Judges a run together with further ones of the same subjects and tests; one alone as by itself. Costs, debts and what else
/// is not judged are those of the first run.
pub fn summarise_runs(first: &Results, further: &[Results], options: &Options) -> Summary {
    let mut summary = summarise_with(first, options);
    if !further.is_empty() {
        together(&mut summary, first, further, options);
    }
    summary
}

fn together(summary: &mut Summary, first: &Results, further: &[Results], options: &Options) {
    let runs: Vec<&Results> = std::iter::once(first).chain(further).collect();
    let all: Vec<Summary> = runs.iter().map(|results| summarise_with(results, options)).collect();
    let mut found: Vec<Option<Combined>> = Vec::new();
    for (place, comparison) in summary.comparisons.iter_mut().enumerate() {
        for (number, test) in comparison.tests.iter_mut().enumerate() {
            let same: Vec<&TestResult> =
                all.iter().map(|one| &one.comparisons[place].tests[number]).collect();
            fill(test, &same, &runs);
            found.push(combined(&same, test, options));
        }
    }
    judge_all(summary, &found, first.plan.design.alpha);
    summary.seconds = all.iter().map(|one| one.seconds).sum();
    // A row of releases is judged within blocks, which runs do not share.
    summary.series = None;
}

/// What needs no judging: the runs one by one, sums, notes. A run in which the test came to another end speaks for all.
fn fill(test: &mut TestResult, same: &[&TestResult], runs: &[&Results]) {
    if let Some(other) = same.iter().find(|one| one.status != TestStatus::Ok) {
        *test = (*other).clone();
        return;
    }
    let ratio = |(one, results): (&&TestResult, &&Results)| RunRatio {
        started: results.started.clone(),
        rqps: one.rqps,
        ci95: one.ci95,
        verdict: one.verdict,
    };
    test.runs = same.iter().zip(runs).map(ratio).collect();
    test.judged = agreed(same);
    test.blocks = same.iter().map(|one| one.blocks).sum();
    test.blocks_discarded = same.iter().map(|one| one.blocks_discarded).sum();
    test.sessions = same.iter().map(|one| one.sessions).sum();
    test.seconds = same.iter().map(|one| one.seconds).sum();
    test.session_log_ratios = same.iter().flat_map(|one| one.session_log_ratios.clone()).collect();
    test.minimum_detectable = None;
    let numbered = same.iter().zip(1..);
    test.notes = numbered
        .flat_map(|(one, run)| one.notes.iter().map(move |note| format!("run {run}: {note}")))
        .collect();
}

/// Verdicts on other quantities that all runs share, with the hull of their intervals.
fn agreed(same: &[&TestResult]) -> BTreeMap<String, Judgement> {
    let of = |(name, first): (&String, &Judgement)| {
        let all: Vec<&Judgement> = same.iter().filter_map(|one| one.judged.get(name)).collect();
        let mean = all.iter().map(|one| one.ratio.ln()).sum::<f64>() / all.len() as f64;
        let low = all.iter().map(|one| one.ci95[0]).fold(f64::INFINITY, f64::min);
        let high = all.iter().map(|one| one.ci95[1]).fold(0.0, f64::max);
        let shared = all.len() == same.len() && all.iter().all(|one| one.verdict == first.verdict);
        let verdict = if shared { first.verdict } else { Verdict::Inconclusive };
        let judgement =
            Judgement { ratio: mean.exp(), ci95: [low, high], p_adjusted: None, verdict, ..*first };
        (name.clone(), judgement)
    };
    same[0].judged.iter().map(of).collect()
}

/// `None` where a run has no number or came to another end, or where too few runs are known to judge them together.
fn combined(same: &[&TestResult], test: &TestResult, options: &Options) -> Option<Combined> {
    if test.status != TestStatus::Ok {
        return None;
    }
    let estimate = |one: &&TestResult| {
        let (mean, found) = (one.rqps?.ln(), means(&one.session_log_ratios)?);
        Some(RunEstimate { mean, standard_error: found.standard_error, freedom: found.freedom })
    };
    let estimates = same.iter().map(estimate).collect::<Option<Vec<RunEstimate>>>()?;
    let history = known(&options.history, &test.group);
    let before = history.as_ref().map_or_else(String::new, |history| format!(" and {}", history.basis));
    Some(Combined {
        means: mean_over_runs(&estimates, history.as_ref())?,
        another_run: another_run(&estimates, history.as_ref())?,
        basis: format!("{} runs{before}", same.len()),
    })
}

/// Corrects for the family and judges every test.
fn judge_all(summary: &mut Summary, found: &[Option<Combined>], alpha: f64) {
    let correction = Correction::of(&summary.judging);
    let tests = || summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let p =
        |(test, found): (&TestResult, &Option<Combined>)| Some(margin_p(&found.as_ref()?.means, &band(test)));
    let p: Vec<f64> = tests().zip(found).filter_map(p).collect();
    let mut adjusted = correction.adjust(&p).into_iter();
    let tests = summary.comparisons.iter_mut().flat_map(|comparison| &mut comparison.tests);
    for (test, found) in tests.zip(found) {
        match found {
            Some(found) => judge(test, found, adjusted.next(), alpha),
            None if test.status == TestStatus::Ok => undecided(test),
            None => {}
        }
    }
}

fn judge(test: &mut TestResult, found: &Combined, p: Option<f64>, alpha: f64) {
    let (band, mean) = (band(test), found.means.mean);
    let half = found.means.half_width(CI_LEVEL);
    let own: Vec<Option<Verdict>> = test.runs.iter().map(|run| run.verdict).collect();
    let carries = test.carry_over.as_ref().is_some_and(|facts| carry_over::matters(facts, &band));
    let verdict = judge_mean(mean, half, p, alpha, &band);
    let verdict = over_runs(verdict, &own, carries || test.blame.as_ref().is_some_and(is_uneven));
    (test.rqps, test.ci95) = (Some(mean.exp()), Some([(mean - half).exp(), (mean + half).exp()]));
    (test.p_adjusted, test.verdict) = (p, Some(verdict));
    let [low, high] = found.another_run;
    test.reach = Some(Reach {
        another_run: [low.exp(), high.exp()],
        basis: found.basis.clone(),
        bears_out: bears_out(test.verdict, found.another_run, &band),
    });
}

fn undecided(test: &mut TestResult) {
    (test.verdict, test.p_adjusted) = (Some(Verdict::Inconclusive), None);
    test.notes.push("too few runs to judge them together: extend the results by another".to_owned());
}

fn band(test: &TestResult) -> Band {
    Band::of(test.delta, test.delta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;
    use humdrum_model::Stage;

    /// A run of nine sessions whose hour shifts every ratio by `hour`, started at `started`.
    fn run(seed: u64, started: &str, effect: f64, hour: f64) -> Results {
        let mut bench = Bench::new(&["t"], 2, 0, 9);
        bench.reseed(seed);
        (bench.block_noise, bench.results.started) = (0.002, started.into());
        bench.results.plan.tests[0].group = "range".into();
        for _ in 0..9 {
            bench.session(Stage::Confirmation, |_| true, 30, |_, _| effect + hour);
        }
        bench.results.finished = true;
        bench.results
    }

    fn together(effect: f64, hours: &[f64]) -> TestResult {
        let runs: Vec<Results> = hours
            .iter()
            .zip(1..)
            .map(|(hour, seed)| run(seed, &format!("hour {seed}"), effect, *hour))
            .collect();
        let summary = summarise_runs(&runs[0], &runs[1..], &Options::default());
        summary.comparisons[0].tests[0].clone()
    }

    #[test]
    fn one_run_is_judged_as_by_itself() {
        let alone = run(1, "hour 1", 0.0, 0.0);
        let options = Options::default();
        assert_eq!(summarise_runs(&alone, &[], &options), summarise_with(&alone, &options));
    }

    #[test]
    fn the_ratio_is_the_mean_over_runs_and_hours_widen_its_interval() {
        let found = together(-0.05, &[0.004, -0.004, 0.0]);
        assert_eq!((found.verdict, found.runs.len(), found.sessions), (Some(Verdict::Regression), 3, 27));
        assert!((found.rqps.unwrap() - (-0.05_f64).exp()).abs() < 0.001, "{:?}", found.rqps);
        let width = |ends: Option<[f64; 2]>| ends.map(|[low, high]| high - low).unwrap();
        assert!(width(found.ci95) > 2.0 * width(found.runs[0].ci95), "{found:?}");
        let reach = found.reach.unwrap();
        assert!(reach.bears_out && reach.basis.starts_with("3 runs and "), "{reach:?}");
    }

    #[test]
    fn hours_that_disagree_decide_nothing_though_each_run_did() {
        let found = together(0.0, &[-0.03, 0.03]);
        assert_eq!(found.runs[0].verdict, Some(Verdict::Regression));
        assert_eq!(found.runs[1].verdict, Some(Verdict::Improvement));
        assert_eq!(found.verdict, Some(Verdict::Inconclusive));
    }

    #[test]
    fn a_test_that_failed_in_a_run_has_failed() {
        let mut runs = [run(1, "hour 1", 0.0, 0.0), run(2, "hour 2", 0.0, 0.0)];
        runs[1].events.push(humdrum_model::Event {
            subject: Some(1),
            test: Some("t".into()),
            status: TestStatus::Failed,
            what: "it crashed".into(),
            session: Some(3),
            log_tail: None,
        });
        let summary = summarise_runs(&runs[0], &runs[1..], &Options::default());
        let found = &summary.comparisons[0].tests[0];
        assert_eq!((found.status, found.verdict), (TestStatus::Failed, None), "{found:?}");
    }
}
