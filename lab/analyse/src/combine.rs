//! Several runs of one plan, at different hours or on different hosts, as one summary. The ratio is the mean over runs, and its
//! interval covers the differences between hours, or between hosts.

mod by_host;
mod over_hosts;

use std::collections::BTreeMap;

use humdrum_model::{
    BuildLevel, Judgement, KindsOfHosts, Reach, Results, RunRatio, Summary, TestResult, TestStatus, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::band::Band;
use crate::build_level::build_level;
use crate::carry_over;
use crate::decide::{Correction, bears_out, is_uneven, judge_mean, margin_p, over_runs};
use crate::evidence::CI_LEVEL;
use crate::hosts::by_host;
use crate::interval::{Means, means};
use crate::reach::{History, RunEstimate, another_run, known, mean_over_runs};
use crate::summary::{Options, summarise_with};

/// One test in several runs.
struct Combined {
    means: Means,
    another_run: [f64; 2],
    basis: String,
    /// What hosts say that do not agree.
    notes: Vec<String>,
    kinds: Option<KindsOfHosts>,
}

/// A run as it is judged by itself. It holds no blocks, so that runs can be read and judged one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

    /// The same with what the head of its record says: of the host and the time no block tells anything.
    #[must_use]
    pub fn headed(mut self, head: &Results) -> Self {
        self.summary.host = head.host.clone();
        self.summary.seconds = head.seconds;
        self.started.clone_from(&head.started);
        self
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
    let hosts = by_host(&runs.iter().map(|run| &run.summary.host).collect::<Vec<_>>());
    let mut found: Vec<Option<Combined>> = Vec::new();
    for (place, comparison) in summary.comparisons.iter_mut().enumerate() {
        for (number, test) in comparison.tests.iter_mut().enumerate() {
            let same: Vec<&TestResult> =
                runs.iter().map(|run| &run.summary.comparisons[place].tests[number]).collect();
            let history = known(&options.history, &test.group);
            let rows = match hosts.len() {
                1 => over_hours(&same, &runs),
                _ => over_hosts::rows(&same, &runs, &hosts, history.as_ref()),
            };
            fill(test, &same, &rows);
            test.build_level = builds(test.status, &rows);
            found.push(match hosts.len() {
                1 => combined(&rows, test, history.as_ref()),
                _ => {
                    let left_out = over_hosts::left_out(&rows, test);
                    test.notes.extend(left_out);
                    over_hosts::combined(&rows, test)
                }
            });
        }
    }
    judge_all(summary, &found, first.alpha, hosts.len() > 1);
    summary.seconds = runs.iter().map(|run| run.summary.seconds).sum();
    // A row of releases is judged within blocks, which runs do not share.
    summary.series = None;
}

/// One run, or one host with all its runs, of a test.
struct Row {
    /// What is shown of it.
    ratio: RunRatio,
    /// `None` if it has no ratio, or a single session.
    estimate: Option<RunEstimate>,
    status: TestStatus,
    /// `run 2`, or `host 3 (AMD Zen 4)`.
    name: String,
    /// Positions of its runs.
    runs: Vec<usize>,
}

/// Runs of one host, a row each.
fn over_hours(same: &[&TestResult], runs: &[&JudgedRun]) -> Vec<Row> {
    let row = |(place, (one, run)): (usize, (&&TestResult, &&JudgedRun))| Row {
        ratio: RunRatio {
            started: run.started.clone(),
            rqps: one.rqps,
            ci95: one.ci95,
            verdict: one.verdict,
            layout: run.layout,
            host: None,
        },
        estimate: estimate(one),
        status: one.status,
        name: format!("run {}", place + 1),
        runs: vec![place],
    };
    same.iter().zip(runs).enumerate().map(row).collect()
}

/// A run's estimate, with an error from the spread of its sessions.
fn estimate(one: &TestResult) -> Option<RunEstimate> {
    let found = means(&one.session_log_ratios)?;
    Some(RunEstimate { mean: one.rqps?.ln(), standard_error: found.standard_error, freedom: found.freedom })
}

/// Fills in what is not judged: the rows one by one, sums, notes. If the test has another status in one run,
/// that status is the combined one, and a note says where.
fn fill(test: &mut TestResult, same: &[&TestResult], rows: &[Row]) {
    let ratios = rows.iter().map(|row| row.ratio.clone()).collect();
    if let Some(other) = same.iter().find(|one| one.status != TestStatus::Ok) {
        *test = (*other).clone();
        test.runs = ratios;
        let told = |row: &Row| format!("{}: {}", row.name, row.status.word());
        let these = rows.iter().filter(|row| row.status != TestStatus::Ok);
        test.notes.extend(these.map(told));
        return;
    }
    test.runs = ratios;
    test.judged = agreed(same);
    test.blocks = same.iter().map(|one| one.blocks).sum();
    test.blocks_discarded = same.iter().map(|one| one.blocks_discarded).sum();
    test.sessions = same.iter().map(|one| one.sessions).sum();
    test.seconds = same.iter().map(|one| one.seconds).sum();
    test.session_log_ratios = same.iter().flat_map(|one| one.session_log_ratios.clone()).collect();
    test.minimum_detectable = None;
    let of = |row: &Row| -> Vec<String> {
        let notes = row.runs.iter().flat_map(|place| &same[*place].notes);
        notes.map(|note| format!("{}: {note}", row.name)).collect()
    };
    test.notes = rows.iter().flat_map(of).collect();
}

/// How much builds differ, where each of these runs of one host has builds of its own.
fn builds(status: TestStatus, rows: &[Row]) -> Option<BuildLevel> {
    let own = |row: &Row| row.estimate.filter(|_| row.ratio.layout.is_some());
    let runs = rows.iter().map(own).collect::<Option<Vec<RunEstimate>>>()?;
    build_level(&runs).filter(|_| status == TestStatus::Ok)
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
fn combined(rows: &[Row], test: &TestResult, history: Option<&History>) -> Option<Combined> {
    if test.status != TestStatus::Ok {
        return None;
    }
    let estimates = rows.iter().map(|row| row.estimate).collect::<Option<Vec<RunEstimate>>>()?;
    let before = history.map_or_else(String::new, |history| format!(" and {}", history.basis));
    Some(Combined {
        means: mean_over_runs(&estimates, history)?,
        another_run: another_run(&estimates, history)?,
        basis: format!("{} runs{before}", rows.len()),
        notes: Vec::new(),
        kinds: None,
    })
}

/// Corrects for the family and judges every test.
fn judge_all(summary: &mut Summary, found: &[Option<Combined>], alpha: f64, is_over_hosts: bool) {
    let correction = Correction::of(&summary.judging);
    let tests = || summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let p =
        |(test, found): (&TestResult, &Option<Combined>)| Some(margin_p(&found.as_ref()?.means, &band(test)));
    let p: Vec<f64> = tests().zip(found).filter_map(p).collect();
    let mut adjusted = correction.adjust(&p).into_iter();
    let tests = summary.comparisons.iter_mut().flat_map(|comparison| &mut comparison.tests);
    for (test, found) in tests.zip(found) {
        match found {
            Some(found) => judge(test, found, adjusted.next(), alpha, is_over_hosts),
            None if test.status == TestStatus::Ok && is_over_hosts => over_hosts::agree(test),
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
        kinds: found.kinds.clone(),
    });
    test.notes.extend_from_slice(&found.notes);
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
