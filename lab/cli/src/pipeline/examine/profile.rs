//! Where the server's processors are during one test: rounds of operations under `perf`, the subjects by turns, while the
//! servers of a run still stand.

use std::path::Path;

use humdrum_contract::{Outcome, Progress, Update, Workload};
use humdrum_drive::BlockOutcome;
use humdrum_model::{Fault, Plan, Profile, Results};
use humdrum_sample::perf::{HERTZ, Recording};

use super::super::bench::{Bench, Stand};
use super::look::Watch;

/// How long the operations of one round last: some two thousand samples.
const PROFILE_MS: f64 = 1_000.0;
/// An interval needs some.
const ROUNDS: u32 = 4;

/// Profiles every test of the plan on every subject; `file` is where `perf` may keep what it sees, and is gone afterwards.
///
/// # Errors
/// Interrupted; no `perf`, or one that may not look; whatever a server says.
pub fn profile(
    plan: &Plan,
    results: &Results,
    bench: &mut Bench<'_>,
    file: &Path,
) -> Result<Vec<Profile>, Fault> {
    let lab = bench.lab;
    if bench.clock().is_virtual() {
        return Err(Fault::usage("only real servers can be profiled"));
    }
    let mut profiles = Vec::new();
    for test in &plan.tests {
        for round in 0..ROUNDS {
            let text = format!("profiling {}, round {} of {ROUNDS}", test.name, round + 1);
            lab.console.update(Update::Step(&text));
            let mut order: Vec<usize> = (0..plan.subjects.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for subject in order {
                lab.house.interrupt.check()?;
                let workload = bench.workload;
                let Some(stand) = bench.stands[subject].as_mut() else { continue };
                let watch = Watch { plan, test, results, round, subject };
                let found = sampled(&watch, workload, stand, file);
                let _ = std::fs::remove_file(file);
                let (operations, stacks) = found?;
                let test = test.name.clone();
                profiles.push(Profile { test, round, subject, operations, hertz: HERTZ, stacks });
            }
        }
    }
    Ok(profiles)
}

/// Operations done, and the stacks of everything that the server did meanwhile.
fn sampled(
    watch: &Watch<'_>,
    workload: &dyn Workload,
    stand: &mut Stand,
    file: &Path,
) -> Outcome<(u64, Vec<(String, u64)>)> {
    let background: Vec<u32> = stand.server.processes().into_iter().map(|process| process.pid).collect();
    let mut stacks = Ok(Vec::new());
    let (operations, _) = watch.work(workload, stand, PROFILE_MS, |crew, turn, serving| {
        let mut threads = [serving, &background].concat();
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
    Ok((operations, stacks?))
}
