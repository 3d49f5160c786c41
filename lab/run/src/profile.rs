//! A profile: a short run of the base and a subject in one test, whose servers are then sampled while they work.

use std::path::{Path, PathBuf};

use humdrum_contract::Progress;
use humdrum_model::{Fault, Mode, Plan, Profile, Results, TestResult};
use humdrum_plan::Request;
use humdrum_record::Store;

use crate::again::{labelled, request, writes};
use crate::catalogue::Catalogue;
use crate::examine::{self, Tools};
use crate::run::{Places, Run};

/// The budget of the short run before the samples, which need not decide the test.
const BUDGET: &str = "20s";
/// The same for tests that write, whose slices are several times as long.
const BUDGET_WRITES: &str = "90s";
/// The labels of the two subjects.
pub const PROFILE_LABELS: [&str; 2] = ["base", "subject"];

/// The short run for a profile of one test: the base, and the subject of comparison `number`, with results in `folder`.
pub fn profile_request(results: &Results, number: usize, test: &TestResult, folder: PathBuf) -> Request {
    let subjects = &results.plan.subjects;
    let pair = [&subjects[0], &subjects[number + 1]];
    let labelled = PROFILE_LABELS.iter().zip(pair).map(|(label, subject)| labelled(label, subject));
    let budget = if writes(results, test) { BUDGET_WRITES } else { BUDGET };
    Request {
        budget: Some(budget.to_owned()),
        budget_grows: true,
        ..request(results, test, labelled.collect(), folder)
    }
}

/// Measures the plan, then profiles every test of it on every subject. `perf` keeps its data in `file`, which
/// is removed afterwards.
///
/// # Errors
/// As `measure`; no tool that may sample; any fault of a server.
pub fn measure_and_profile(
    plan: &Plan,
    catalogue: &Catalogue,
    places: &Places,
    store: &mut Store,
    reporter: &dyn Progress,
    (tools, file): (Tools, &Path),
) -> Result<Vec<Profile>, Fault> {
    if plan.mode == Mode::Sequential {
        return Err(Fault::usage(
            "a profile compares servers that are up together, and this run has one at a time",
        )
        .hint("measure the test with --mode interleaved, and profile that run"));
    }
    let run = Run::new(plan, catalogue, places, reporter)?;
    let mut profiles = Vec::new();
    crate::measure_then(&run, store, |store, roster| {
        profiles = examine::profile::profile(&run, &store.read()?, roster, tools, file)?;
        Ok(())
    })?;
    Ok(profiles)
}
