//! One session: fresh servers, then its tests one after another.

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Plan, Results, SessionInfo, Stage};
use humdrum_record::Store;

use super::bench::{Bench, comparable};
use super::cell::Cell;
use super::events::ends_test;
use crate::lab::Lab;

/// Runs a session that was begun, now or before an interruption; blocks that are on record are not run again.
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
    for name in &session.tests {
        let Some(test) = plan.tests.iter().find(|test| test.name == *name) else { continue };
        lab.house.interrupt.check()?;
        if !comparable(&bench.stands) {
            return Ok(());
        }
        let out_of_it = subjects_out_of(name, before);
        if !out_of_it.contains(&0) {
            Cell { lab, plan, session, test, out_of_it: &out_of_it, before }.run(bench, store)?;
        }
    }
    Ok(())
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
    let seconds = tests as f64 * design.seconds_per_test_session * session.stretch;
    let text = format!("session {number} of at most {of} ({stage}): {tests} tests, about {seconds:.0} s");
    lab.console.update(Update::Step(&text));
}
