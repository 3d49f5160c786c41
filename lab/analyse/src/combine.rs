//! Several runs of one plan, at different hours or on different hosts, as one summary. The ratio is the mean over runs, and its
//! interval covers the differences between hours, or between hosts.

mod by_host;

use std::collections::BTreeMap;

use humdrum_model::{
    HostFacts, Judgement, Reach, Results, RunRatio, Summary, TestResult, TestStatus, Verdict,
};

use crate::band::Band;
use crate::carry_over;
use crate::decide::{Correction, bears_out, is_uneven, judge_mean, margin_p, over_runs};
use crate::evidence::CI_LEVEL;
use crate::hosts::are_of_different_hosts;
use crate::interval::{Means, means};
use crate::reach::{RunEstimate, another_host, another_run, known, mean_over_runs};
use crate::summary::{Options, summarise_with};

/// One test in several runs.
struct Combined {
    means: Means,
    another_run: [f64; 2],
    basis: String,
    /// What hosts say that do not agree.
    notes: Vec<String>,
}

/// A run as it is judged by itself. It holds no blocks, so that runs can be read and judged one after the other.
#[derive(Clone, Debug)]
pub struct JudgedRun {
    summary: Summary,
    started: String,
    layout: Option<u32>,
    alpha: f64,
}

impl JudgedRun {
    /// Judges one run.
    pub fn of(results: &Results, options: &Options) -> Self {
        Self {
            summary: summarise_with(results, options),
            started: results.started.clone(),
            layout: results.plan.builds.map(|builds| builds.number),
            alpha: results.plan.design.alpha,
        }
    }
}

/// Judges runs of the same subjects and tests together. Of a single run, the summary is that of `summarise`. Costs, debts
/// and other unjudged figures are those of the first run.
pub fn combine(first: &JudgedRun, further: &[JudgedRun], options: &Options) -> Summary {
    let mut summary = first.summary.clone();
    if !further.is_empty() {
        together(&mut summary, first, further, options);
    }
    summary
}

fn together(summary: &mut Summary, first: &JudgedRun, further: &[JudgedRun], options: &Options) {
    let runs: Vec<&JudgedRun> = std::iter::once(first).chain(further).collect();
    let hosts: Vec<&HostFacts> = runs.iter().map(|run| &run.summary.host).collect();
    let over_hosts = are_of_different_hosts(&hosts);
    let mut found: Vec<Option<Combined>> = Vec::new();
    for (place, comparison) in summary.comparisons.iter_mut().enumerate() {
        for (number, test) in comparison.tests.iter_mut().enumerate() {
            let same: Vec<&TestResult> =
                runs.iter().map(|run| &run.summary.comparisons[place].tests[number]).collect();
            fill(test, &same, &runs, over_hosts);
            found.push(combined(&same, test, options, over_hosts));
        }
    }
    judge_all(summary, &found, first.alpha, over_hosts);
    summary.seconds = runs.iter().map(|run| run.summary.seconds).sum();
    // A row of releases is judged within blocks, which runs do not share.
    summary.series = None;
}

/// Fills in what is not judged: the runs one by one, sums, notes. If the test has another status in one run,
/// that status is the combined one.
fn fill(test: &mut TestResult, same: &[&TestResult], runs: &[&JudgedRun], over_hosts: bool) {
    if let Some(other) = same.iter().find(|one| one.status != TestStatus::Ok) {
        *test = (*other).clone();
        return;
    }
    let ratio = |(one, run): (&&TestResult, &&JudgedRun)| RunRatio {
        started: run.started.clone(),
        rqps: one.rqps,
        ci95: one.ci95,
        verdict: one.verdict,
        layout: run.layout,
        host: over_hosts.then(|| run.summary.host.processor.generation.clone()),
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

/// `None` if a run has no ratio or another status, or if there are too few runs to judge them together.
fn combined(
    same: &[&TestResult],
    test: &TestResult,
    options: &Options,
    over_hosts: bool,
) -> Option<Combined> {
    if test.status != TestStatus::Ok {
        return None;
    }
    let estimate = |one: &&TestResult| {
        let mean = one.rqps?.ln();
        match means(&one.session_log_ratios) {
            Some(found) => {
                Some(RunEstimate { mean, standard_error: found.standard_error, freedom: found.freedom })
            }
            // A host's only session: all that is known of its error is in the spread between hosts.
            None => over_hosts.then_some(RunEstimate { mean, standard_error: 0.0, freedom: 1.0 }),
        }
    };
    let estimates = same.iter().map(estimate).collect::<Option<Vec<RunEstimate>>>()?;
    if over_hosts {
        return Some(Combined {
            means: mean_over_runs(&estimates, None)?,
            another_run: another_host(&estimates)?,
            basis: format!("{} hosts", same.len()),
            notes: by_host::notes(&test.runs, &estimates),
        });
    }
    let history = known(&options.history, &test.group);
    let before = history.as_ref().map_or_else(String::new, |history| format!(" and {}", history.basis));
    Some(Combined {
        means: mean_over_runs(&estimates, history.as_ref())?,
        another_run: another_run(&estimates, history.as_ref())?,
        basis: format!("{} runs{before}", same.len()),
        notes: Vec::new(),
    })
}

/// Corrects for the family and judges every test.
fn judge_all(summary: &mut Summary, found: &[Option<Combined>], alpha: f64, over_hosts: bool) {
    let correction = Correction::of(&summary.judging);
    let tests = || summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let p =
        |(test, found): (&TestResult, &Option<Combined>)| Some(margin_p(&found.as_ref()?.means, &band(test)));
    let p: Vec<f64> = tests().zip(found).filter_map(p).collect();
    let mut adjusted = correction.adjust(&p).into_iter();
    let tests = summary.comparisons.iter_mut().flat_map(|comparison| &mut comparison.tests);
    for (test, found) in tests.zip(found) {
        match found {
            Some(found) => judge(test, found, adjusted.next(), alpha, over_hosts),
            None if test.status == TestStatus::Ok && over_hosts => agree(test),
            None if test.status == TestStatus::Ok => undecided(test),
            None => {}
        }
    }
}

fn judge(test: &mut TestResult, found: &Combined, p: Option<f64>, alpha: f64, over_hosts: bool) {
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
        over_hosts,
    });
    test.notes.extend_from_slice(&found.notes);
}

/// Two hosts: a verdict that both have stands, and the interval is the hull of theirs.
fn agree(test: &mut TestResult) {
    let first = test.runs.first().and_then(|run| run.verdict);
    let verdict = first.filter(|first| test.runs.iter().all(|run| run.verdict == Some(*first)));
    let ratios: Vec<f64> = test.runs.iter().filter_map(|run| run.rqps).map(f64::ln).collect();
    let intervals: Vec<[f64; 2]> = test.runs.iter().filter_map(|run| run.ci95).collect();
    let hull = |hull: [f64; 2], one: &[f64; 2]| [hull[0].min(one[0]), hull[1].max(one[1])];
    test.rqps = (!ratios.is_empty()).then(|| (ratios.iter().sum::<f64>() / ratios.len() as f64).exp());
    test.ci95 = (!intervals.is_empty()).then(|| intervals.iter().fold([f64::INFINITY, 0.0], hull));
    (test.verdict, test.p_adjusted, test.reach) =
        (Some(verdict.unwrap_or(Verdict::Inconclusive)), None, None);
    test.notes.push(
        "two hosts do not show how much hosts differ; the verdict is the one that both have".to_owned(),
    );
}

fn undecided(test: &mut TestResult) {
    (test.verdict, test.p_adjusted) = (Some(Verdict::Inconclusive), None);
    test.notes.push("too few runs to judge them together: measure another with `humdrum extend`".to_owned());
}

fn band(test: &TestResult) -> Band {
    Band::of(test.delta, test.delta)
}

#[cfg(test)]
mod tests;
