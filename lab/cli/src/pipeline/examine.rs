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

mod look;
mod profile;
mod waits;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, FaultKind, Plan, QueryPlan, Results, Summary, TestInfo};
use humdrum_record::Store;

use super::bench::{Bench, Stand};
use crate::lab::Lab;
use look::{Watch, seconds_each};

pub use profile::{Tools, profile};

/// Part of the budget that looking may take beyond it: with the default budget all is done within five minutes.
const BUDGET_SHARE: f64 = 0.08;
/// Rounds of each test; an interval needs some.
const ROUNDS: u32 = 6;

/// Looks at what moved.
///
/// # Errors
/// Interrupted, or the store; a server that does not answer is passed over.
pub fn examine(lab: &Lab, plan: &Plan, store: &mut Store, bench: &mut Bench<'_>) -> Result<(), Fault> {
    let results = store.read()?;
    if results.query_plans.is_empty() {
        query_plans(lab, plan, store, bench)?;
    }
    let summary = humdrum_analyse::summarise(&Results { finished: true, ..results.clone() });
    for (test, subjects) in wanted(plan, &summary, &results, bench) {
        lab.console.update(Update::Step(&format!("looking at {}, which moved", test.name)));
        for round in 0..ROUNDS {
            let mut order = subjects.clone();
            if round % 2 == 1 {
                order.reverse();
            }
            for subject in order {
                lab.house.interrupt.check()?;
                let Some(stand) = bench.stands[subject].as_mut() else { continue };
                let watch = Watch { plan, test, results: &results, round, subject };
                match watch.look(bench.workload, stand) {
                    Ok(look) => store.append_look(&look)?,
                    Err(fault) => pass_over(lab, plan, subject, test, fault)?,
                }
            }
        }
    }
    Ok(())
}

/// Tests that moved and were not looked at yet, with the base and the subjects that moved: those that moved most, as
/// many as the time allows, in the plan's order.
fn wanted<'p>(
    plan: &'p Plan,
    summary: &Summary,
    results: &Results,
    bench: &Bench<'_>,
) -> Vec<(&'p TestInfo, Vec<usize>)> {
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
    let new = |test: &&TestInfo| !results.looks.iter().any(|look| look.test == test.name);
    let mut found: Vec<(f64, &TestInfo, Vec<usize>)> = plan
        .tests
        .iter()
        .filter(new)
        .filter_map(|test| moved(test).map(|(size, subjects)| (size, test, [vec![0], subjects].concat())))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lag = bench.stands.iter().flatten().map(look::lag).max().unwrap_or_default();
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

fn query_plans(lab: &Lab, plan: &Plan, store: &mut Store, bench: &Bench<'_>) -> Result<(), Fault> {
    for (subject, stand) in bench.stands.iter().enumerate() {
        let Some(stand) = stand else { continue };
        for test in &plan.tests {
            lab.house.interrupt.check()?;
            match plans_of(bench, plan, subject, stand, test) {
                Ok(plans) => plans.iter().try_for_each(|plan| store.append_query_plan(plan))?,
                Err(fault) => {
                    pass_over(lab, plan, subject, test, fault)?;
                    break;
                }
            }
        }
    }
    Ok(())
}

/// How one server runs the statements of one test; one that it does not explain is left out.
fn plans_of(
    bench: &Bench<'_>,
    plan: &Plan,
    subject: usize,
    stand: &Stand,
    test: &TestInfo,
) -> Result<Vec<QueryPlan>, Fault> {
    let statements = bench.workload.sample_statements(&test.name, &plan.scale);
    let Some(dialect) = stand.server.dialect().filter(|_| !statements.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut connection = stand.server.connect(super::aftermath::PATIENCE)?;
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

/// What was measured stands; only that the run is to end is passed on.
fn pass_over(lab: &Lab, plan: &Plan, subject: usize, test: &TestInfo, fault: Fault) -> Result<(), Fault> {
    if fault.kind == FaultKind::Interrupted {
        return Err(fault);
    }
    let label = plan.subjects.get(subject).map_or("", |subject| subject.label.as_str());
    lab.console.update(Update::Note(&format!("{label}: not looked at {}: {fault}", test.name)));
    Ok(())
}
