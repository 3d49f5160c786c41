//! After the verdicts: tests that moved are looked at, in rounds of their own, so that nothing of it touches a measured
//! block. And every server is asked how it runs the statements of every test.
//!
//! ```text
//!   round 0   base: counters ─ operations ─ counters │ operations, its sessions sampled     subject: the same
//!   round 1   subject …                                                                     base …
//! ```
//!
//! The engine's counters and the samples of waits come from operations apart, because asking is work that the server
//! counts as well. What cannot be looked at is passed over: the measurement is done by now.

mod examination;
mod profile;
mod waits;

use std::collections::BTreeSet;
use std::time::Duration;

use humdrum_contract::{Progress, Update};
use humdrum_model::{
    Event, Examination, Fault, FaultKind, Plan, QueryPlan, Results, Summary, TestInfo, TestStatus,
};
use humdrum_record::Store;

use super::bench::{Bench, Stand};
use crate::lab::Lab;
use examination::{Watch, seconds_each};

pub use profile::{Tools, profile};

/// Part of the budget that looking may take beyond it: with the default budget all is done within five minutes.
const BUDGET_SHARE: f64 = 0.08;
/// Rounds of each test; an interval needs some.
const ROUNDS: u32 = 6;

/// Looks at what moved. After an interruption, at what was not looked at before it.
///
/// # Errors
/// Interrupted, or the store; a server that does not answer is passed over.
pub fn examine(lab: &Lab, plan: &Plan, store: &mut Store, bench: &mut Bench<'_>) -> Result<(), Fault> {
    let results = store.read()?;
    let mut notes = Notes::new(lab, plan, &results);
    if asks_plans(plan, &results, bench) {
        fill(&mut notes, store, bench)?;
        query_plans(&mut notes, store, bench, &results)?;
    }
    let summary = humdrum_analyse::summarise(&Results { finished: true, ..results.clone() });
    let looked_at = |test: &str, subject: usize, round: u32| {
        let same = |one: &Examination| one.test == test && (one.subject, one.round) == (subject, round);
        results.examinations.iter().any(same)
    };
    let mut left = wanted(plan, &summary, bench);
    left.retain(|(test, subjects)| {
        let all = |subject: &usize| (0..ROUNDS).all(|round| looked_at(&test.name, *subject, round));
        !subjects.iter().all(all)
    });
    if left.is_empty() {
        return Ok(());
    }
    fill(&mut notes, store, bench)?;
    count_more(&mut notes, store, bench, &left, true)?;
    for (test, subjects) in &left {
        lab.console.update(Update::Step(&format!("looking at {}, which moved", test.name)));
        for round in 0..ROUNDS {
            let mut order = subjects.clone();
            if round % 2 == 1 {
                order.reverse();
            }
            for subject in order {
                lab.dirs.interrupt.check()?;
                let Some(stand) = bench.stands[subject].as_mut() else { continue };
                if looked_at(&test.name, subject, round) {
                    continue;
                }
                let watch = Watch { plan, test, results: &results, round, subject };
                match watch.look(bench.workload, stand) {
                    Ok(look) => store.append_examination(&look)?,
                    Err(fault) => notes.pass_over(store, subject, &test.name, "not looked at", &fault)?,
                }
            }
        }
    }
    count_more(&mut notes, store, bench, &left, false)
}

/// A run that goes on behind its last session has new servers, which hold nothing yet.
fn fill(notes: &mut Notes<'_>, store: &mut Store, bench: &mut Bench<'_>) -> Result<(), Fault> {
    let (lab, plan, workload) = (notes.lab, notes.plan, bench.workload);
    for (subject, place) in bench.stands.iter_mut().enumerate() {
        let Some(stand) = place.as_mut().filter(|stand| !stand.loaded) else { continue };
        lab.dirs.interrupt.check()?;
        let interrupt = &lab.dirs.interrupt;
        match workload.load(&mut *stand.server, &plan.scale, plan.seed, &lab.console, interrupt) {
            Ok(_) => stand.loaded = true,
            Err(fault) => {
                *place = None;
                notes.pass_over(store, subject, "", "not loaded to be looked at", &fault)?;
            }
        }
    }
    Ok(())
}

/// Has engines count what they do not count while they are measured, or count it no longer. A server that was started anew
/// for it gets its memory filled again.
fn count_more(
    notes: &mut Notes<'_>,
    store: &mut Store,
    bench: &mut Bench<'_>,
    tests: &[(&TestInfo, Vec<usize>)],
    on: bool,
) -> Result<(), Fault> {
    let (lab, plan, workload) = (notes.lab, notes.plan, bench.workload);
    for (subject, place) in bench.stands.iter_mut().enumerate() {
        let Some(stand) = place.as_mut().filter(|_| tests.iter().any(|(_, ours)| ours.contains(&subject)))
        else {
            continue;
        };
        lab.dirs.interrupt.check()?;
        let outcome = stand.server.count_more(on).and_then(|restarted| match restarted {
            true => workload.prewarm(&mut *stand.server, &plan.scale),
            false => Ok(()),
        });
        if let Err(fault) = outcome {
            *place = None;
            notes.pass_over(store, subject, "", "not started to be looked at", &fault)?;
        }
    }
    Ok(())
}

/// Tests that moved, with the base and the subjects that moved: those that moved most, as many as the time allows, in the
/// plan's order. The same ones where a run goes on.
fn wanted<'p>(plan: &'p Plan, summary: &Summary, bench: &Bench<'_>) -> Vec<(&'p TestInfo, Vec<usize>)> {
    let lives = |subject: usize| bench.stands.get(subject).is_some_and(Option::is_some);
    let moved = |test: &TestInfo| {
        let comparisons = summary.comparisons.iter().enumerate();
        let size = |one: &humdrum_model::Comparison| {
            let found = one.tests.iter().find(|result| result.test == test.name)?;
            humdrum_explain::moved(found).then(|| found.rqps.map_or(0.0, |ratio| ratio.ln().abs()))
        };
        let moved: Vec<(usize, f64)> =
            comparisons.filter_map(|(number, one)| Some((number + 1, size(one)?))).collect();
        let subjects: Vec<usize> =
            moved.iter().map(|(subject, _)| *subject).filter(|subject| lives(*subject)).collect();
        let largest = moved.iter().map(|(_, size)| *size).fold(0.0, f64::max);
        (!subjects.is_empty() && lives(0)).then_some((largest, subjects))
    };
    let mut found: Vec<(f64, &TestInfo, Vec<usize>)> = plan
        .tests
        .iter()
        .filter_map(|test| moved(test).map(|(size, subjects)| (size, test, [vec![0], subjects].concat())))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lag = bench.stands.iter().flatten().map(examination::lag).max().unwrap_or_default();
    let mut left = plan.budget_seconds * BUDGET_SHARE;
    let each = seconds_each(lag) * f64::from(ROUNDS);
    // One is always looked at.
    let mut first = true;
    found.retain(|(_, _, subjects)| {
        let needs = each * subjects.len() as f64;
        let fits = std::mem::take(&mut first) || needs <= left;
        left -= if fits { needs } else { 0.0 };
        fits
    });
    found.sort_by_key(|(_, test, _)| plan.tests.iter().position(|one| one.name == test.name));
    found.into_iter().map(|(_, test, subjects)| (test, subjects)).collect()
}

/// Statements of a test that this subject was not asked about yet.
fn unasked(
    bench: &Bench<'_>,
    plan: &Plan,
    results: &Results,
    subject: usize,
    test: &TestInfo,
) -> Vec<String> {
    let asked = |statement: &String| {
        let ours = results.query_plans.iter().filter(|one| one.subject == subject && one.test == test.name);
        ours.into_iter().any(|one| one.statement == *statement)
    };
    let mut statements = bench.workload.sample_statements(&test.name, &plan.scale);
    statements.retain(|statement| !asked(statement));
    statements
}

fn asks_plans(plan: &Plan, results: &Results, bench: &Bench<'_>) -> bool {
    let stands = bench.stands.iter().enumerate().filter(|(_, stand)| stand.is_some());
    let mut pairs = stands.flat_map(|(subject, _)| plan.tests.iter().map(move |test| (subject, test)));
    pairs.any(|(subject, test)| !unasked(bench, plan, results, subject, test).is_empty())
}

fn query_plans(
    notes: &mut Notes<'_>,
    store: &mut Store,
    bench: &Bench<'_>,
    results: &Results,
) -> Result<(), Fault> {
    let plan = notes.plan;
    for (subject, stand) in bench.stands.iter().enumerate() {
        let Some(stand) = stand else { continue };
        for test in &plan.tests {
            notes.lab.dirs.interrupt.check()?;
            let statements = unasked(bench, plan, results, subject, test);
            match plans_of(plan, subject, stand, test, statements) {
                Ok(plans) => plans.iter().try_for_each(|plan| store.append_query_plan(plan))?,
                Err(fault) => {
                    notes.pass_over(store, subject, &test.name, "not asked for its query plans", &fault)?;
                    // Who is dead or hangs gives no other answer to the next test.
                    if fault.kind == FaultKind::Timeout || !stand.server.is_running() {
                        break;
                    }
                }
            }
        }
    }
    Ok(())
}

/// How one server runs the statements of one test; one that it does not explain is left out.
fn plans_of(
    plan: &Plan,
    subject: usize,
    stand: &Stand,
    test: &TestInfo,
    statements: Vec<String>,
) -> Result<Vec<QueryPlan>, Fault> {
    let Some(dialect) = stand.server.dialect().filter(|_| !statements.is_empty()) else {
        return Ok(Vec::new());
    };
    // Nothing is run, so that an answer takes no longer than an operation may.
    let mut connection = stand.server.connect(Duration::from_secs_f64(plan.design.timeout_seconds))?;
    let session = connection.sql()?;
    let mut plans = Vec::new();
    for statement in statements {
        let Some(question) = dialect.query_plan(&statement) else { continue };
        if let Ok(rows) = session.query(&question.sql) {
            let lines = rows.iter().map(|row| (question.line)(row)).collect();
            plans.push(QueryPlan { test: test.name.clone(), subject, statement, lines });
        }
    }
    Ok(plans)
}

/// What could not be looked at: said at once, and once in the record, where explanations find it.
struct Notes<'a> {
    lab: &'a Lab,
    plan: &'a Plan,
    told: BTreeSet<(Option<usize>, String)>,
}

impl<'a> Notes<'a> {
    fn new(lab: &'a Lab, plan: &'a Plan, results: &Results) -> Self {
        let told = results.events.iter().map(|event| (event.subject, event.what.clone())).collect();
        Self { lab, plan, told }
    }

    /// What was measured stands; only that the run is to end is passed on. `test`: empty for all of them.
    fn pass_over(
        &mut self,
        store: &mut Store,
        subject: usize,
        test: &str,
        how: &str,
        fault: &Fault,
    ) -> Result<(), Fault> {
        if fault.kind == FaultKind::Interrupted {
            return Err(fault.clone());
        }
        let label = self.plan.subjects.get(subject).map_or("", |subject| subject.label.as_str());
        let what = if test.is_empty() { format!("{how}: {fault}") } else { format!("{test} {how}: {fault}") };
        self.lab.console.update(Update::Note(&format!("{label}: {what}")));
        if !self.told.insert((Some(subject), what.clone())) {
            return Ok(());
        }
        store.append_event(&Event {
            subject: Some(subject),
            test: (!test.is_empty()).then(|| test.to_owned()),
            session: None,
            status: TestStatus::Ok,
            what,
            log_tail: None,
        })
    }
}
