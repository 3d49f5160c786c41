//! The servers that are up during examinations, their data, and the query plans that they are asked for.

use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Incomplete, Plan, QueryPlan, TestInfo};

use crate::instance::Instance;
use crate::prepare::load;
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

/// Starts a server that is down, and loads one without data.
pub(super) fn filled(run: &Run<'_>, instance: &mut Instance) -> Outcome<()> {
    let ran = instance.server.is_running();
    instance.start()?;
    match (instance.loaded, ran) {
        (false, _) => load(run, instance).map(drop),
        (true, false) => run.workload.prewarm(&mut *instance.server, &run.plan.scale),
        (true, true) => Ok(()),
    }
}

/// One server's query plans for the statements of one test, and the first refusal of a statement that it does not explain.
pub(super) fn plans_of(
    run: &Run<'_>,
    subject: usize,
    instance: &Instance,
    test: &TestInfo,
    statements: Vec<String>,
) -> Result<(Vec<QueryPlan>, Option<Fault>), Fault> {
    let Some(dialect) = instance.server.dialect().filter(|_| !statements.is_empty()) else {
        return Ok((Vec::new(), None));
    };
    // Nothing is run, so that an answer takes no longer than an operation may.
    let timeout = Duration::from_secs_f64(run.plan.design.timeout_seconds);
    let mut connection = instance.server.connect(timeout)?;
    let session = connection.sql()?;
    let (mut plans, mut refused) = (Vec::new(), None);
    for statement in statements {
        let Some(question) = dialect.query_plan(&statement) else { continue };
        match session.query(&question.sql) {
            Ok(rows) => {
                let lines = rows.iter().map(|row| (question.line)(row)).collect();
                plans.push(QueryPlan { test: test.name.clone(), subject, statement, lines });
            }
            Err(fault) => refused = refused.or(Some(fault)),
        }
    }
    Ok((plans, refused))
}
