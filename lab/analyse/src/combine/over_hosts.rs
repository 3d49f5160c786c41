//! One test on several hosts: a row for each host, which may have several runs, and what they say together and by kind.
//! A host without a ratio is left out and named; it does not void what the others say.

use humdrum_model::{KindOfHosts, KindsOfHosts, RunRatio, TestResult, TestStatus, Verdict};

use super::by_host::{notes, verdicts};
use super::{Combined, JudgedRun, Row, band, estimate};
use crate::band::Band;
use crate::evidence::CI_LEVEL;
use crate::hosts::grouped;
use crate::reach::{History, OfKind, RunEstimate, another_host, by_kind, mean_over_runs, show_another};

/// The hosts of these runs, a row each. `hosts` has the positions of each host's runs.
pub(super) fn rows(
    same: &[&TestResult],
    runs: &[&JudgedRun],
    hosts: &[Vec<usize>],
    history: Option<&History>,
) -> Vec<Row> {
    let row = |(number, places): (usize, &Vec<usize>)| {
        let own: Vec<&TestResult> = places.iter().map(|place| same[*place]).collect();
        let first = runs[places[0]];
        let generation = first.summary.host.processor.generation.clone();
        let bad = own.iter().find(|one| one.status != TestStatus::Ok);
        let (ratio, estimate) = of_one_host(&own, history);
        Row {
            name: format!("host {} ({})", number + 1, shown(&generation)),
            ratio: RunRatio {
                started: first.started.clone(),
                layout: first.layout,
                host: Some(generation),
                ..ratio
            },
            estimate,
            status: bad.map_or(TestStatus::Ok, |one| one.status),
            runs: places.clone(),
        }
    };
    hosts.iter().enumerate().map(row).collect()
}

fn shown(generation: &str) -> &str {
    if generation.is_empty() { "an unknown processor" } else { generation }
}

/// What the runs of one host say together: their mean, with the variance between hours. A verdict is one that all of them have.
fn of_one_host(own: &[&TestResult], history: Option<&History>) -> (RunRatio, Option<RunEstimate>) {
    let ratio = |rqps, ci95, verdict| RunRatio {
        started: String::new(),
        rqps,
        ci95,
        verdict,
        layout: None,
        host: None,
    };
    let measured: Vec<&TestResult> = own.iter().copied().filter(|one| one.rqps.is_some()).collect();
    let [first, others @ ..] = measured.as_slice() else { return (ratio(None, None, None), None) };
    // Of a host's only session, all that is known of its error is in the spread between hosts.
    let lone = |one: &TestResult| {
        let mean = one.rqps.map_or(0.0, f64::ln);
        estimate(one).unwrap_or(RunEstimate { mean, standard_error: 0.0, freedom: 1.0 })
    };
    if others.is_empty() {
        return (ratio(first.rqps, first.ci95, first.verdict), Some(lone(first)));
    }
    let estimates: Vec<RunEstimate> = measured.iter().map(|one| lone(one)).collect();
    let shared = first.verdict.filter(|verdict| others.iter().all(|one| one.verdict == Some(*verdict)));
    let verdict = Some(shared.unwrap_or(Verdict::Inconclusive));
    let Some(found) = mean_over_runs(&estimates, history) else {
        // Two runs without a history do not show how much hours differ; hosts do.
        let mean = estimates.iter().map(|run| run.mean).sum::<f64>() / estimates.len() as f64;
        let alone = RunEstimate { mean, standard_error: 0.0, freedom: 1.0 };
        return (ratio(Some(mean.exp()), None, verdict), Some(alone));
    };
    let half = found.half_width(CI_LEVEL);
    let ends = [(found.mean - half).exp(), (found.mean + half).exp()];
    let (mean, standard_error, freedom) = (found.mean, found.standard_error, found.freedom);
    (ratio(Some(mean.exp()), Some(ends), verdict), Some(RunEstimate { mean, standard_error, freedom }))
}

/// Notes on hosts that have no ratio, where others have one and none failed.
pub(super) fn left_out(rows: &[Row], test: &TestResult) -> Vec<String> {
    let without: Vec<&Row> = rows.iter().filter(|row| row.estimate.is_none()).collect();
    if test.status != TestStatus::Ok || without.len() == rows.len() {
        return Vec::new();
    }
    without.iter().map(|row| format!("{} has no ratio of this test, and is left out", row.name)).collect()
}

/// `None` if the test has another status, or if the hosts with a ratio do not show how much hosts differ.
pub(super) fn combined(rows: &[Row], test: &TestResult) -> Option<Combined> {
    if test.status != TestStatus::Ok {
        return None;
    }
    let usable: Vec<(&Row, RunEstimate)> = rows.iter().filter_map(|row| Some((row, row.estimate?))).collect();
    let generation = |row: &Row| row.ratio.host.clone().unwrap_or_default();
    let groups = grouped(usable.iter().map(|(row, estimate)| (generation(row), *estimate)));
    if !show_another(usable.len(), groups.len()) {
        return None;
    }
    let estimates: Vec<RunEstimate> = usable.iter().map(|(_, estimate)| *estimate).collect();
    Some(Combined {
        means: mean_over_runs(&estimates, None)?,
        another_run: another_host(&estimates)?,
        basis: format!("{} hosts", usable.len()),
        notes: notes(&usable),
        kinds: kinds(&groups, &band(test)),
    })
}

fn kinds(groups: &[(String, Vec<RunEstimate>)], band: &Band) -> Option<KindsOfHosts> {
    let estimates: Vec<Vec<RunEstimate>> = groups.iter().map(|(_, hosts)| hosts.clone()).collect();
    let found = by_kind(&estimates)?;
    let kind = |((generation, hosts), kind): (&(String, Vec<RunEstimate>), &OfKind)| KindOfHosts {
        generation: shown(generation).to_owned(),
        hosts: hosts.len(),
        rqps: kind.mean.exp(),
        another_host: kind.another.map(|ends| ends.map(f64::exp)),
        verdict: kind.another.map(|ends| said(ends, band)),
    };
    Some(KindsOfHosts {
        sd_within: found.within,
        sd_between: found.between,
        kinds: groups.iter().zip(&found.kinds).map(kind).collect(),
    })
}

/// What an interval says by itself.
fn said([low, high]: [f64; 2], band: &Band) -> Verdict {
    let (mean, half) = (0.5 * (low + high), 0.5 * (high - low));
    match () {
        () if band.is_slower(mean, half) => Verdict::Regression,
        () if band.is_faster(mean, half) => Verdict::Improvement,
        () if band.holds(mean, half) => Verdict::Boring,
        () => Verdict::Inconclusive,
    }
}

/// Hosts that do not show how much hosts differ: a verdict that all of them have stands, and the interval is the hull of theirs.
pub(super) fn agree(test: &mut TestResult) {
    let measured: Vec<&RunRatio> = test.runs.iter().filter(|run| run.rqps.is_some()).collect();
    let first = measured.first().and_then(|run| run.verdict);
    let verdict = first.filter(|first| measured.iter().all(|run| run.verdict == Some(*first)));
    let ratios: Vec<f64> = measured.iter().filter_map(|run| run.rqps).map(f64::ln).collect();
    let intervals: Vec<[f64; 2]> = measured.iter().filter_map(|run| run.ci95).collect();
    let hull = |hull: [f64; 2], one: &[f64; 2]| [hull[0].min(one[0]), hull[1].max(one[1])];
    let told: Vec<String> = [too_few(&measured)].into_iter().chain(verdicts(&measured)).collect();
    test.rqps = (!ratios.is_empty()).then(|| (ratios.iter().sum::<f64>() / ratios.len() as f64).exp());
    test.ci95 = (!intervals.is_empty()).then(|| intervals.iter().fold([f64::INFINITY, 0.0], hull));
    (test.verdict, test.p_adjusted, test.reach) =
        (Some(verdict.unwrap_or(Verdict::Inconclusive)), None, None);
    test.notes.extend(told);
}

/// Why these hosts have no interval for another one, and what a verdict is then.
fn too_few(measured: &[&RunRatio]) -> String {
    let kinds = grouped(measured.iter().map(|run| (&run.host, ()))).len();
    match measured.len() {
        0 => "no host has a ratio of this test".to_owned(),
        1 => "one host alone has a ratio of this test; the verdict is that of this host".to_owned(),
        2 => "two hosts do not show how much hosts differ; only a verdict that both have stands".to_owned(),
        hosts => format!(
            "{hosts} hosts with {kinds} kinds of processor do not show how much hosts of one kind differ; only a verdict that all \
             have stands"
        ),
    }
}
