//! A profile: a short run of the base and a subject in one test, whose servers are then sampled while they work. A whole step
//! runs once, with those before it that it needs, and its servers are sampled during its chunks.

use std::path::{Path, PathBuf};

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Mode, Plan, Profile, Results, TestResult};
use humdrum_plan::Request;
use humdrum_record::Store;

use crate::again::{labelled, request, writes};
use crate::catalogue::Catalogue;
use crate::examine::step_profile::StepProfiler;
use crate::examine::{self, Tools};
use crate::run::{Places, Run};

/// The budget of the short run before the samples, which need not decide the test.
const BUDGET: &str = "20s";
/// The same for tests that write, whose slices are several times as long.
const BUDGET_WRITES: &str = "90s";
/// The labels of the two subjects.
pub const PROFILE_LABELS: [&str; 2] = ["base", "subject"];

/// The short run for a profile of one test: the base, and the subject of comparison `number`, with results in `folder`. A whole
/// step has one session, which takes as long as it takes.
pub fn profile_request(results: &Results, number: usize, test: &TestResult, folder: PathBuf) -> Request {
    let subjects = &results.plan.subjects;
    let pair = [&subjects[0], &subjects[number + 1]];
    let labelled = PROFILE_LABELS.iter().zip(pair).map(|(label, subject)| labelled(label, subject));
    let budget = if writes(results, test) { BUDGET_WRITES } else { BUDGET };
    let is_step = !results.steps.is_empty();
    Request {
        budget: (!is_step).then(|| budget.to_owned()),
        budget_grows: true,
        sessions: is_step.then_some(1),
        ..request(results, test, labelled.collect(), folder)
    }
}

/// Refuses plans that cannot be profiled, before anything is made for them.
///
/// # Errors
/// Usage: servers on a virtual clock, or one at a time.
pub fn check_profile(plan: &Plan, catalogue: &Catalogue) -> Result<(), Fault> {
    for subject in &plan.subjects {
        if catalogue.engine(subject)?.is_virtual() {
            return Err(Fault::usage("only real servers can be profiled"));
        }
    }
    if plan.mode == Mode::Sequential {
        return Err(Fault::usage(
            "a profile compares servers that are up together, and this run has one at a time",
        )
        .hint("measure the test with --mode interleaved, and profile that run"));
    }
    Ok(())
}

/// Measures the plan, and profiles its test on every subject: after the run, or of a whole step during it. `perf` keeps its data
/// in `file`, which is removed afterwards.
///
/// # Errors
/// As `measure` and `check_profile`; no tool that may sample; any fault of a server.
pub fn measure_and_profile(
    plan: &Plan,
    catalogue: &Catalogue,
    places: &Places,
    store: &mut Store,
    reporter: &dyn Progress,
    (tools, file): (Tools, &Path),
) -> Result<Vec<Profile>, Fault> {
    check_profile(plan, catalogue)?;
    // The steps before the last one make the tables that it works on.
    let last = plan.tests.last().map_or("", |test| test.name.as_str());
    let sampler = StepProfiler::new(last, tools, file);
    let mut run = Run::new(plan, catalogue, places, reporter)?;
    if run.steps().is_some() {
        run.sampler = Some(&sampler);
        crate::measure_then(&run, store, |_, _| Ok(()))?;
        drop(run);
        let (profiles, notes) = sampler.end()?;
        notes.iter().for_each(|note| reporter.update(Update::Note(note)));
        return Ok(profiles);
    }
    let mut profiles = Vec::new();
    crate::measure_then(&run, store, |store, roster| {
        profiles = examine::profile::profile(&run, &store.read()?, roster, tools, file)?;
        Ok(())
    })?;
    Ok(profiles)
}
