//! The servers that are up during examinations, and their data.

use humdrum_contract::Outcome;
use humdrum_model::{Incomplete, Plan, Scale};

use crate::filling::load;
use crate::instance::Instance;
use crate::run::Run;

/// The groups of subjects whose servers are up at the same time: all, or the base and as many others as a session
/// has.
pub(super) fn up_together(plan: &Plan) -> Vec<Vec<usize>> {
    let subjects: Vec<usize> = (0..plan.subjects.len()).collect();
    match plan.design.incomplete {
        None => vec![subjects],
        Some(Incomplete { subjects: at_once, .. }) => {
            let beside = (at_once.saturating_sub(1) as usize).max(1);
            subjects[1..].chunks(beside).map(|others| [&[0], others].concat()).collect()
        }
    }
}

/// Starts a server that is down, and loads one that does not hold this data set.
pub(super) fn filled(run: &Run<'_>, instance: &mut Instance, data: &Scale) -> Outcome<()> {
    let ran = instance.server.is_running();
    instance.start()?;
    match (instance.loaded && instance.rows == data.rows, ran) {
        (false, _) => load(run, instance, data).map(drop),
        (true, false) => run.workload.prewarm(&mut *instance.server, data),
        (true, true) => Ok(()),
    }
}
