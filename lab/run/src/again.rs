//! Requests that repeat a run, or one test of it, in a new run with the same work.

use std::path::PathBuf;

use humdrum_model::{Mode, Plan, Results, Scale, Subject, TestResult, delay_text, memory_text};
use humdrum_plan::Request;

/// A request for one test of `results`, on these subjects, with results in `folder`. The caller sets the
/// budget and the sessions.
pub(crate) fn request(
    results: &Results,
    test: &TestResult,
    subjects: Vec<String>,
    folder: PathBuf,
) -> Request {
    let plan = &results.plan;
    let design = &plan.design;
    let writes = writes(results, test);
    let info = plan.tests.iter().find(|one| one.name == test.test);
    let slice_ms = info.map_or(design.slice_ms, |info| plan.slice_ms_of(info));
    let (rows, clients) = (test.rows.unwrap_or(plan.scale.rows), test.clients.unwrap_or(plan.scale.clients));
    let scale = Scale { rows, clients, ..plan.scale.clone() };
    // Fresh data that the run had for the sake of tests that are not run again is no part of this one's work.
    let has_others = plan.tests.iter().any(|one| one.writes) || plan.data_sets().len() > 1;
    let for_others = design.reload && !writes && has_others;
    Request {
        suite: Some(plan.suite.clone()),
        tests: vec![test.own_name().to_owned()],
        subjects,
        scale: Some(scale.to_string()),
        mode: Some(plan.mode.word().to_owned()),
        // Slices of whole steps follow from the steps.
        slice_ms: results.steps.is_empty().then_some(slice_ms),
        restart: Some(design.restart),
        reload: (!for_others).then_some(design.reload),
        copy: (design.reload && !design.copy).then_some(false),
        timeout: Some(format!("{}s", design.timeout_seconds)),
        seed: Some(plan.seed),
        out: Some(folder),
        compat: plan.compat,
        memory: plan.memory_bytes.map(memory_text),
        fsync_delay: plan.fsync_delay_us.map(delay_text),
        ..Request::default()
    }
}

/// A request for all of a plan with another budget, and so with another design.
pub fn with_budget(plan: &Plan, budget: &str) -> Request {
    let design = &plan.design;
    Request {
        suite: Some(plan.suite.clone()),
        tests: plan.tests_typed(),
        subjects: plan.subjects.iter().map(Subject::typed).collect(),
        scale: Some(plan.scale_typed()),
        budget: Some(budget.to_owned()),
        mode: Some(plan.mode.word().to_owned()),
        copy: (design.reload && !design.copy).then_some(false),
        seed: Some(plan.seed),
        delta: (design.delta == design.delta_writes).then(|| design.delta.to_string()),
        slice_ms: design.slice_ms_typed().filter(|_| plan.mode == Mode::Interleaved),
        timeout: Some(format!("{}s", design.timeout_seconds)),
        judge: plan.judging.quantities.clone(),
        gate: plan.judging.gate,
        strict: plan.strict,
        compat: plan.compat,
        memory: plan.memory_bytes.map(memory_text),
        fsync_delay: plan.fsync_delay_us.map(delay_text),
        ..Request::default()
    }
}

/// Whether a test changes data, by the run's plan.
pub fn writes(results: &Results, test: &TestResult) -> bool {
    results.plan.tests.iter().any(|one| one.name == test.test && one.writes)
}

/// A subject under another label, as a user would type it.
pub(crate) fn labelled(label: &str, subject: &Subject) -> String {
    format!("{label}={subject}")
}
