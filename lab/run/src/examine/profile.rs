//! Samples the server's threads during one test, before the servers of a run are stopped. In rounds of
//! operations the subjects take turns, once under `perf` for running threads and once under a debugger for
//! waiting ones.

use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_drive::BlockOutcome;
use humdrum_model::{Fault, FaultKind, Profile, ProfileKind, Results};
use humdrum_sample::perf::{HERTZ, Recording};
use humdrum_sample::stacks::Debugger;

use super::examination::{Examinee, threads_of};
use super::waits;
use crate::instance::Instance;
use crate::roster::Roster;
use crate::run::Run;

/// The length of the operations of one round, for some two thousand samples.
const PROFILE_MS: f64 = 1_000.0;
/// Rounds, for an interval over rounds.
const ROUNDS: u32 = 4;

/// The tools that make profiles.
#[derive(Clone, Copy, Debug)]
pub struct Tools {
    /// Whether `perf` exists.
    pub perf: bool,
    /// The debugger that reads the stacks of waiting threads.
    pub debugger: Option<Debugger>,
}

/// Profiles every test of the plan on every subject; `perf` keeps its data in `file`, which is removed
/// afterwards. A tool without permission to sample is noted and left out, if the other one has permission.
///
/// # Errors
/// Interrupted; no tool that may sample; any fault of a server.
pub(crate) fn profile(
    run: &Run<'_>,
    results: &Results,
    roster: &mut Roster<'_>,
    mut tools: Tools,
    file: &Path,
) -> Result<Vec<Profile>, Fault> {
    let plan = run.plan;
    let mut profiles = Vec::new();
    for test in &plan.tests {
        for round in 0..ROUNDS {
            let text = format!("profiling {}, round {} of {ROUNDS}", test.name, round + 1);
            run.say(&text);
            let mut order: Vec<usize> = (0..plan.subjects.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for subject in order {
                run.check_interrupt()?;
                let Some(instance) = roster.instance(subject) else { continue };
                let examinee = Examinee { run, test, results, round, subject };
                if tools.perf {
                    let found = sampled(&examinee, instance, file);
                    let _ = std::fs::remove_file(file);
                    let found = or_without(found, tools.debugger.is_some(), run)?;
                    tools.perf = found.is_some();
                    profiles.extend(found);
                }
                if let Some(debugger) = tools.debugger {
                    let found = waits::sampled(&examinee, instance, debugger, ROUNDS);
                    let found = or_without(found, tools.perf, run)?;
                    tools.debugger = found.as_ref().map(|_| debugger);
                    profiles.extend(found.into_iter().flatten());
                }
            }
        }
    }
    Ok(profiles)
}

/// The result of a tool, or nothing if it may not sample and there is another tool.
fn or_without<T>(found: Outcome<T>, another: bool, run: &Run<'_>) -> Result<Option<T>, Fault> {
    match found {
        Err(fault) if another && fault.kind == FaultKind::Environment => {
            run.note(&fault.to_string());
            Ok(None)
        }
        found => found.map(Some),
    }
}

/// The stacks of all of the server's threads on a processor.
fn sampled(examinee: &Examinee<'_>, instance: &mut Instance, file: &Path) -> Outcome<Profile> {
    let server = threads_of(instance);
    let mut stacks = Ok(Vec::new());
    let (operations, _) = examinee.work(instance, PROFILE_MS, |crew, turn, serving| {
        let mut threads = [serving, &server].concat();
        threads.sort_unstable();
        threads.dedup();
        match Recording::begin(&threads, file) {
            Ok(recording) => {
                let outcome = crew.block(turn);
                stacks = recording.end();
                outcome
            }
            Err(fault) => {
                stacks = Err(fault);
                BlockOutcome::default()
            }
        }
    })?;
    let sample_us = 1e6 / f64::from(HERTZ) / operations.max(1) as f64;
    Ok(examinee.profile(ProfileKind::Running, sample_us, stacks?))
}
