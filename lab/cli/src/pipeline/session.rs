//! One session: fresh servers, then its tests one after another.

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Plan, Results, SessionInfo, Stage, TestInfo};
use humdrum_record::Store;

use super::bench::{Bench, comparable};
use super::cell::{self, Cell};
use super::events::ends_test;
use crate::lab::Lab;

/// Runs a session that was begun, now or before an interruption; blocks that are on record are not recorded again.
///
/// # Errors
/// Interrupted, or the store.
pub fn run(
    lab: &Lab,
    plan: &Plan,
    store: &mut Store,
    bench: &mut Bench<'_>,
    session: &SessionInfo,
    before: &Results,
) -> Result<(), Fault> {
    announce(lab, plan, session);
    bench.begin(session, store)?;
    let tests = tests_of(plan, session);
    // Where an interrupted session goes on, its reads are not repeated, but its writes are, unrecorded, for what
    // comes after them.
    let last = tests.iter().rposition(|test| !is_over(plan, session, test, &tests, before));
    for test in &tests[..last.map_or(0, |last| last + 1)] {
        lab.dirs.interrupt.check()?;
        if !comparable(&bench.stands) {
            return Ok(());
        }
        let out_of_it = subjects_out_of(&test.name, before);
        if !out_of_it.contains(&0) {
            Cell { lab, plan, session, test, tests: &tests, out_of_it: &out_of_it, before }
                .run(bench, store)?;
        }
    }
    Ok(())
}

/// Whether nothing of a session that was begun is left to be measured.
pub fn is_complete(plan: &Plan, session: &SessionInfo, before: &Results) -> bool {
    let tests = tests_of(plan, session);
    tests.iter().all(|test| is_over(plan, session, test, &tests, before))
}

fn tests_of<'a>(plan: &'a Plan, session: &SessionInfo) -> Vec<&'a TestInfo> {
    let of = |name: &String| plan.tests.iter().find(|test| test.name == *name);
    session.tests.iter().filter_map(of).collect()
}

/// Whether nothing of a test is left to be measured in this session: all its blocks are on record and what they left is
/// settled, it has nobody to be measured on, or it only ages the tables for others.
fn is_over(
    plan: &Plan,
    session: &SessionInfo,
    test: &TestInfo,
    tests: &[&TestInfo],
    before: &Results,
) -> bool {
    let out_of_it = subjects_out_of(&test.name, before);
    let left = (0..plan.subjects.len()).filter(|subject| !out_of_it.contains(subject)).count();
    session.unrecorded.contains(&test.name)
        || left < 2
        || out_of_it.contains(&0)
        || (cell::is_complete(session, &test.name, before)
            && (!test.writes || cell::is_settled(session, test, tests, &plan.scale, before)))
}

/// Subjects that failed this test in an earlier session, or answered wrongly: measuring the rest of it again
/// would tell nothing of them.
fn subjects_out_of(test: &str, results: &Results) -> Vec<usize> {
    let events =
        results.events.iter().filter(|event| event.test.as_deref() == Some(test) && ends_test(event.status));
    events.filter_map(|event| event.subject).collect()
}

fn announce(lab: &Lab, plan: &Plan, session: &SessionInfo) {
    let design = &plan.design;
    let (stage, of) = match session.stage {
        Stage::Screening => ("screening", design.screening_sessions + design.confirmation_sessions),
        Stage::Confirmation => ("confirmation", design.screening_sessions + design.confirmation_sessions),
        Stage::SliceCheck => ("slices ten times longer", session.number + 1),
    };
    let number = session.number + 1;
    let tests = session.tests.len();
    let seconds: f64 = tests_of(plan, session).iter().map(|test| design.seconds_of(test)).sum();
    let seconds = seconds * session.stretch;
    let text = format!("session {number} of at most {of} ({stage}): {tests} tests, about {seconds:.0} s");
    lab.console.update(Update::Step(&text));
}
