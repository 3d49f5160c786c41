//! Everything decided in a run, for reports; also for a run that is not finished.

use std::collections::BTreeMap;

use humdrum_model::{
    Block, Certificate, Choice, Comparison, Judgement, Payment, Reach, Results, Summary, TestInfo,
    TestResult, TestStatus, Verdict,
};

use crate::aa::aa_floor_within;
use crate::band::Band;
use crate::blame::{self, blame};
use crate::carry_over::quarters;
use crate::choose::in_order;
use crate::cost::{costs, scan_rate};
use crate::debts::{debts, state};
use crate::decide::{Correction, advice, bears_out, is_uneven, judge, with_uneven};
use crate::ending::Ending;
use crate::estimate::{Estimate, Rules};
use crate::families::{FAMILIES, Member, judgements, members};
use crate::host_speed::host_speed;
use crate::host_state;
use crate::imported;
use crate::latency::latency_us;
use crate::levels;
use crate::measure::estimate;
use crate::moves;
use crate::notes::{apart_note, awake_note, idle_note, origin_note, pace, stolen_note, unmeasured_note};
use crate::power::difference_detectable;
use crate::ratio::{calls_per_ns, session_values};
use crate::reach::{History, RunEstimate, another_run, known};
use crate::run::{KeptSession, Run, TestBlocks};
use crate::scripts::{self, Share, shares};
use crate::sla;
use crate::slice_check::slice_checks;
use crate::stalls::{self, typical_beside};
use crate::status::{ending, left_behind};
use crate::steps::step_rows;

/// Version of the summary's shape.
const SCHEMA: u32 = 1;
/// One (test, subject) before its verdict.
struct Row<'a> {
    info: &'a TestInfo,
    subject: usize,
    band: Band,
    estimate: Option<Estimate>,
    ending: Ending,
    p_adjusted: Option<f64>,
    members: BTreeMap<&'static str, Member>,
    judged: BTreeMap<String, Judgement>,
    scripts: Vec<Share>,
}

/// The input of a summary besides the results.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The variance between runs, by class; the most specific one that fits a test is used.
    pub history: Vec<History>,
    /// What selftests found for the run's scopes.
    pub certificates: Vec<Certificate>,
    /// The run as it was measured, if the results are not.
    pub choice: Option<Choice>,
}

/// Judges a run. Results may be partial; their intervals are wider, because looks are still to come.
pub fn summarise(results: &Results) -> Summary {
    summarise_with(results, &Options::default())
}

/// Judges a run, with a history of this host.
pub fn summarise_with(results: &Results, options: &Options) -> Summary {
    let run = Run::new(results);
    let mut rows: Vec<Row<'_>> = run
        .compared()
        .flat_map(|subject| results.plan.tests.iter().map(move |info| (info, subject)))
        .map(|(info, subject)| row(&run, info, subject))
        .collect();
    let correction = Correction::of(&results.plan.judging);
    adjust(&mut rows, correction);
    judge_families(&mut rows, correction, results.plan.design.alpha);
    let scripts = rows.iter_mut().flat_map(|row| &mut row.scripts);
    scripts::judge(&mut scripts.collect::<Vec<_>>(), correction, results.plan.design.alpha);
    let comparisons: Vec<Comparison> =
        run.compared().map(|subject| comparison(&run, &rows, subject, options)).collect();
    // Nothing that is measured differs by nothing: a pretended server said so.
    let aa_floor = results.aa_floor.filter(|floor| *floor > 0.0);
    Summary {
        schema: SCHEMA,
        tool: results.tool.clone(),
        suite: results.plan.suite.clone(),
        seed: results.plan.seed,
        mode: results.plan.mode,
        judging: results.plan.judging.clone(),
        host: results.host.clone(),
        host_speed: host_speed(&results.host_readings),
        aa_floor,
        aa_excess: results.aa_excess.filter(|_| aa_floor.is_some()),
        aa_floor_within: aa_floor_within(results),
        certificates: options.certificates.clone(),
        slice_checks: slice_checks(&run),
        imported: results.plan.imported.clone(),
        base: label(results, 0),
        choice: options.choice.clone(),
        warnings: results.warnings().map(str::to_owned).collect(),
        finished: results.finished,
        seconds: results.seconds,
        steps: step_rows(results),
        series: moves::series(&run, &comparisons)
            .filter(|row| in_order(&row.releases, options.choice.as_ref())),
        comparisons,
    }
}

fn row<'a>(run: &Run<'a>, info: &'a TestInfo, subject: usize) -> Row<'a> {
    let results = run.results;
    let rules = Rules { design: &results.plan.design, family: run.family(), finished: results.finished };
    let band = Band::new(rules.design, info.writes, results.aa_excess);
    let values = run.test(&info.name).map(|blocks| session_values(&blocks.sessions, subject));
    let estimate = values.and_then(|values| estimate(&values, &band, &rules));
    let settled = estimate.as_ref().is_some_and(|found| found.settled);
    let ending = ending(run, &info.name, subject, settled);
    let (members, scripts) = match &estimate {
        Some(found) if ending.status == TestStatus::Ok => (
            members(run, &info.name, subject, &found.evidence, &rules),
            shares(run, info, subject, &found.evidence, (&band, &rules)),
        ),
        _ => (BTreeMap::new(), Vec::new()),
    };
    let judged = BTreeMap::new();
    Row { info, subject, band, estimate, ending, p_adjusted: None, members, judged, scripts }
}

/// Corrects for the family: the p of every test that ran to an end, over all subjects together.
fn adjust(rows: &mut [Row<'_>], correction: Correction) {
    let counted = |row: &Row<'_>| {
        let p = row.estimate.as_ref().and_then(|found| found.p);
        p.filter(|_| row.ending.status == TestStatus::Ok)
    };
    let places: Vec<usize> = (0..rows.len()).filter(|&place| counted(&rows[place]).is_some()).collect();
    let p: Vec<f64> = places.iter().filter_map(|&place| counted(&rows[place])).collect();
    for (place, adjusted) in places.into_iter().zip(correction.adjust(&p)) {
        rows[place].p_adjusted = Some(adjusted);
    }
}

/// Each other quantity is a family of its own.
fn judge_families(rows: &mut [Row<'_>], correction: Correction, alpha: f64) {
    for (name, _) in FAMILIES {
        let places: Vec<usize> =
            (0..rows.len()).filter(|&place| rows[place].members.contains_key(name)).collect();
        let members: Vec<&Member> = places.iter().map(|&place| &rows[place].members[name]).collect();
        for (place, judged) in places.iter().zip(judgements(&members, correction, alpha)) {
            rows[*place].judged.insert(name.to_owned(), judged);
        }
    }
}

fn comparison(run: &Run<'_>, rows: &[Row<'_>], subject: usize, options: &Options) -> Comparison {
    let ours = rows.iter().filter(|row| row.subject == subject);
    Comparison {
        subject: label(run.results, subject),
        tests: ours.map(|row| test_result(run, row, options)).collect(),
    }
}

fn test_result(run: &Run<'_>, row: &Row<'_>, options: &Options) -> TestResult {
    let mut result = blank(row);
    if let Some(blocks) = run.test(&row.info.name) {
        let seen = blocks.discarded().filter(|block| block.slice(row.subject).is_some());
        result.blocks_discarded = seen.count() as u64;
        if row.ending.speaks() {
            // What is left behind is a fact that no disturbance changes.
            result.debt = debts(run.results, row.info, row.subject);
            result.state = state(run.results, row.info, row.subject);
            if let Some(found) = &row.estimate {
                fill_speed(&mut result, found, run.results.plan.design.alpha);
                fill_facts(&mut result, run, row, blocks, found);
            }
        }
        match row.ending.status {
            TestStatus::SlaMissed => leave_uncompared(&mut result),
            TestStatus::Ok => {
                result.notes.extend(sla::notes(run, blocks, row.subject));
                let found = row.estimate.as_ref();
                result.notes.extend(found.and_then(|found| host_state::note(found, blocks, row.subject)));
            }
            _ => {}
        }
    }
    if row.ending.status == TestStatus::Ok {
        fill_verdict(&mut result, run, row, options.choice.is_some());
        fill_reach(&mut result, row, &options.history);
        result.notes.extend(left_behind(run, &row.info.name, row.subject).map(|write| {
            format!("not measured further: it failed {write}, so its tables differ from the others'")
        }));
    }
    result
}

/// Keeps both sides' own figures and removes comparisons between them.
fn leave_uncompared(result: &mut TestResult) {
    (result.rqps, result.ci95, result.minimum_detectable) = (None, None, None);
    result.session_log_ratios.clear();
}

fn blank(row: &Row<'_>) -> TestResult {
    TestResult {
        test: row.info.name.clone(),
        group: row.info.group.clone(),
        operation: row.info.operation.clone(),
        rows: row.info.rows,
        clients: row.info.clients,
        status: row.ending.status,
        verdict: None,
        rqps: None,
        ci95: None,
        p_adjusted: row.p_adjusted,
        minimum_detectable: None,
        delta: row.band.delta,
        blocks: 0,
        blocks_discarded: 0,
        sessions: 0,
        seconds: 0.0,
        base_qps: None,
        qps: None,
        latency_us: None,
        cost: BTreeMap::new(),
        debt: BTreeMap::new(),
        state: BTreeMap::new(),
        session_log_ratios: Vec::new(),
        typical: None,
        blame: None,
        carry_over: None,
        reach: None,
        build_level: None,
        runs: Vec::new(),
        judged: row.judged.clone(),
        scripts: row.scripts.iter().map(|share| share.result.clone()).collect(),
        notes: row.ending.notes.clone(),
    }
}

fn fill_speed(result: &mut TestResult, found: &Estimate, alpha: f64) {
    let sessions = found.evidence.sessions.len() as u32;
    let blocks: usize = found.evidence.sessions.iter().map(|session| session.blocks).sum();
    result.rqps = Some(found.mean.exp());
    let ends = [found.mean - found.half, found.mean + found.half].map(f64::exp);
    result.ci95 = found.half.is_finite().then_some(ends);
    result.minimum_detectable =
        found.sd.map(|sd| difference_detectable(sd, sessions, alpha)).filter(|change| change.is_finite());
    (result.blocks, result.sessions) = (blocks as u64, sessions);
    result.session_log_ratios = found.evidence.values();
}

fn fill_facts(
    result: &mut TestResult,
    run: &Run<'_>,
    row: &Row<'_>,
    blocks: &TestBlocks<'_>,
    found: &Estimate,
) {
    let used: Vec<u32> = found.evidence.sessions.iter().map(|session| session.number).collect();
    let ours = blocks.sessions.iter().filter(|session| used.contains(&session.number));
    let ours: Vec<&KeptSession<'_>> = ours.collect();
    let counted: Vec<_> = ours.iter().flat_map(|session| &session.blocks).collect();
    let slices = |subject| counted.iter().filter_map(move |block| block.slice(subject));
    let statements = f64::from(row.info.statements.max(1));
    let qps = |subject| calls_per_ns(&ours, subject).map(|rate| rate * 1e9 * statements);
    result.seconds = slices(0).chain(slices(row.subject)).map(|slice| slice.wall_ns as f64 / 1e9).sum();
    (result.base_qps, result.qps) = (qps(0), qps(row.subject));
    result.latency_us = latency_us(run.results, &row.info.name, row.subject, &used);
    result.cost = costs(&run.results.metrics, row.info, &blocks.sessions, &used, row.subject);
    result.cost.extend(scan_rate(result, row.info, run.results.plan.scale_of(row.info).rows));
    let own = levels::columns(run.results, row.info, &blocks.sessions, &used, row.subject);
    result.cost.extend(own);
    if run.results.plan.imported.is_some() {
        // Nobody read the clocks of clients; the record has 0 in their place.
        result.cost.remove("client_cpu_us");
    }
}

fn fill_verdict(result: &mut TestResult, run: &Run<'_>, row: &Row<'_>, is_chosen: bool) {
    let Some(found) = &row.estimate else {
        result.verdict = Some(Verdict::Inconclusive);
        result.notes.push(match () {
            () if run.results.plan.imported.is_some() => imported::UNMATCHED.to_owned(),
            () if is_chosen => apart_note(run.results),
            () => unmeasured_note(result.blocks_discarded),
        });
        return;
    };
    let mut verdict = judge(found, row.p_adjusted, run.results.plan.design.alpha, &row.band);
    let plain = verdict;
    if let Some(blocks) = run.test(&row.info.name) {
        verdict = within_slices(result, run, row, blocks, verdict);
        verdict = despite_discards(result, run, row, blocks, verdict);
        result.notes.extend(blocks.counting.stolen(&row.info.name).map(stolen_note));
        // Of imported results a block is a whole run, of which nothing is typical.
        if run.results.plan.imported.is_none() {
            fill_typical(result, row, blocks, found);
        }
    }
    result.verdict = Some(verdict);
    // Where a rule withholds a verdict, its note says so; more sessions are no help.
    result.notes.extend(match run.results.plan.imported {
        Some(_) => imported::advice(found, plain, &row.band),
        None => advice(found, plain, &row.band, pace(run, row.subject)),
    });
    result.notes.extend(origin_note(found).into_iter().chain(idle_note(result)));
    result.notes.extend(awake_note(run.results, row.info, row.subject));
}

/// The verdict after the check for carry-over within slices.
fn within_slices(
    result: &mut TestResult,
    run: &Run<'_>,
    row: &Row<'_>,
    blocks: &TestBlocks<'_>,
    verdict: Verdict,
) -> Verdict {
    // What is paid after the slices is in none of their quarters.
    if row.info.payment == Payment::Within {
        return verdict;
    }
    let rules =
        Rules { design: &run.results.plan.design, family: run.family(), finished: run.results.finished };
    let Some(quarters) = quarters(&blocks.sessions, row.subject, &row.band, &rules) else { return verdict };
    result.carry_over = Some(quarters.facts());
    if !quarters.matters(&row.band) {
        return verdict;
    }
    result.notes.push(quarters.note(verdict, &row.band));
    quarters.judged(verdict, &row.band)
}

/// The verdict after the check for uneven discarding.
fn despite_discards(
    result: &mut TestResult,
    run: &Run<'_>,
    row: &Row<'_>,
    blocks: &TestBlocks<'_>,
    verdict: Verdict,
) -> Verdict {
    result.blame = blame(blocks.discarded(), row.subject);
    let Some(found) = result.blame.filter(is_uneven) else { return verdict };
    let whole: Vec<Block> =
        blocks.all.iter().map(|block| Block { discarded: None, ..(*block).clone() }).collect();
    let put_back = Run::with(run.results, whole.iter());
    let (design, finished) = (&run.results.plan.design, run.results.finished);
    let rules = Rules { design, family: run.family(), finished };
    let values = put_back.test(&row.info.name).map(|all| session_values(&all.sessions, row.subject));
    let all = values.and_then(|values| estimate(&values, &row.band, &rules));
    result.notes.extend(blame::note(&found));
    with_uneven(verdict, all.as_ref(), &row.band)
}

fn fill_typical(result: &mut TestResult, row: &Row<'_>, blocks: &TestBlocks<'_>, found: &Estimate) {
    let judged = &found.evidence.sessions;
    result.typical = typical_beside(judged, &blocks.sessions, row.subject, found.mean, row.band.delta);
    result.notes.extend(result.typical.map(|typical| stalls::note(&typical, found.mean.exp())));
}

/// The interval for another run on this host, if the variance between runs is known.
fn fill_reach(result: &mut TestResult, row: &Row<'_>, history: &[History]) {
    let Some((found, sd)) = row.estimate.as_ref().and_then(|found| Some((found, found.sd?))) else { return };
    let standard_error = sd / (found.evidence.sessions.len() as f64).sqrt();
    let run = RunEstimate { mean: found.mean, standard_error, freedom: found.freedom };
    let Some(history) = known(history, &row.info.group) else { return };
    let interval = another_run(&[run], Some(&history)).unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let (bears_out, another_run) = (bears_out(result.verdict, interval, &row.band), interval.map(f64::exp));
    result.reach = Some(Reach::here(another_run, history.basis, bears_out));
}

fn label(results: &Results, subject: usize) -> String {
    results.plan.subjects.get(subject).map_or_else(String::new, |subject| subject.label.clone())
}

#[cfg(test)]
mod tests;
