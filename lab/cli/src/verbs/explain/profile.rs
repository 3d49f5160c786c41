//! Profiles of one test: a short run of the base and the subject, whose servers are then sampled while they work. A whole step runs
//! once, and its servers are sampled meanwhile.
//!
//! ```text
//!   RESULTS/profile/TEST/results.sqlite     the short run, for how many operations there are in a second
//!   RESULTS/profile/TEST/profiles.json      its stacks, which later explanations and reports read again
//!   RESULTS/profile/TEST/base.folded        the same for other tools, all rounds together: what ran
//!   RESULTS/profile/TEST/base.waiting.folded        where sessions waited
//!   RESULTS/profile/TEST/base.others.folded         what the other threads of their processes did
//!   RESULTS/profile/TEST/subject…
//! ```

use std::collections::BTreeMap;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Profile, ProfileKind, Results, TestResult};
use humdrum_record::{ResultsFolder, write_whole};
use humdrum_run::{PROFILE_LABELS, Tools};
use humdrum_sample::perf;
use humdrum_sample::stacks::Debugger;

use crate::kept;
use crate::lab::Lab;
use crate::verbs::compare;

/// Folded stacks by kind: what the file's name says of it.
const KINDS: [(ProfileKind, &str); 3] =
    [(ProfileKind::Running, ""), (ProfileKind::Waiting, ".waiting"), (ProfileKind::Others, ".others")];

/// Samples one test on both sides.
///
/// # Errors
/// As a comparison; environment where there is no tool that may sample.
pub fn profile(
    lab: &Lab,
    allow_external: bool,
    out: &ResultsFolder,
    results: &Results,
    (number, test): (usize, &TestResult),
) -> Result<Vec<Profile>, Fault> {
    humdrum_run::check_profile(&results.plan, &lab.catalogue)?;
    let tools = tools(lab)?;
    let folder = kept::profile_folder(out, number, &test.test);
    // Sampled anew: an earlier profile may be of another build at the same place.
    let _ = std::fs::remove_dir_all(&folder);
    lab.console.update(Update::Step(&format!("profiling {}", test.test)));
    let request = humdrum_run::profile_request(results, number, test, folder.clone());
    let mut profiles = Vec::new();
    compare::measured(lab, &request, allow_external, |plan, out, store| {
        let places = lab.places(allow_external, out.logs());
        let file = folder.join("perf.data");
        let how = (tools, file.as_path());
        profiles = humdrum_run::measure_and_profile(plan, &lab.catalogue, &places, store, &lab.console, how)?;
        Ok(())
    })?;
    let text = serde_json::to_string(&profiles)
        .map_err(|error| Fault::environment(format!("cannot write profiles down: {error}")))?;
    write_whole(&folder.join(kept::PROFILES), &text)?;
    for (subject, label) in PROFILE_LABELS.iter().enumerate() {
        for (kind, name) in KINDS {
            let text = folded(&profiles, subject, kind);
            if !text.is_empty() {
                write_whole(&folder.join(format!("{label}{name}.folded")), &text)?;
            }
        }
    }
    Ok(profiles)
}

/// The tools that there are; those that are missing are noted.
fn tools(lab: &Lab) -> Result<Tools, Fault> {
    let (perf, debugger) = (perf::available(), Debugger::find());
    match (perf, debugger) {
        (Err(perf), Err(_)) => Err(perf),
        (perf, debugger) => {
            let missing = [perf.as_ref().err(), debugger.as_ref().err()];
            for fault in missing.into_iter().flatten() {
                lab.console.update(Update::Note(&fault.to_string()));
            }
            Ok(Tools { perf: perf.is_ok(), debugger: debugger.ok() })
        }
    }
}

/// All rounds of one side, a line a stack.
fn folded(profiles: &[Profile], subject: usize, kind: ProfileKind) -> String {
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    let own = profiles.iter().filter(|one| one.subject == subject && one.kind == kind);
    for (stack, samples) in own.flat_map(|one| &one.stacks) {
        *all.entry(stack).or_default() += samples;
    }
    all.iter().map(|(stack, samples)| format!("{stack} {samples}\n")).collect()
}
