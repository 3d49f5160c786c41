//! The measurement, in order: provision, load, then sessions of cells of blocks, each block recorded as it ends.
//!
//! ```text
//!   run ─┬─ session 0 ─┬─ cell (hot-points)  ── block, block, …      a cell is one test in one session:
//!        │  restart    ├─ cell (scan)        ── block, …             fresh connections to fresh servers
//!        │  reload     └─ …
//!        ├─ session 1 ── …                                           after each session: what is undecided?
//!        └─ …
//! ```
//!
//! After the last session, `examine/` looks at the tests that moved, apart from all blocks.
//! Suites of whole steps go their own way: `steps/`.
//!
//! What a cell of a test that writes leaves behind, `aftermath.rs` looks at, has paid and compares.

mod aftermath;
mod begin;
mod bench;
mod cell;
mod events;
mod examine;
mod session;
mod steps;

use std::time::Instant;

use humdrum_analyse::undecided;
use humdrum_contract::{Dirs, Progress, Update};
use humdrum_model::{Fault, FaultKind, Plan, Results};
use humdrum_plan::{SessionPlan, Spent, next_session, planned_overhead_seconds};
use humdrum_record::Store;

use crate::files::Out;
use crate::lab::Lab;
pub use bench::{Bench, sizing};
pub use examine::{Tools, profile};

/// Measures what the plan asks for and the store does not hold yet.
///
/// # Errors
/// Interrupted, or whatever keeps every subject from being measured; what failed for one subject is a row.
pub fn measure(lab: &Lab, dirs: &Dirs, plan: &Plan, store: &mut Store, out: &Out) -> Result<(), Fault> {
    measure_and(lab, dirs, plan, store, out, |_, _| Ok(()))
}

/// The same, and then something more while the servers still stand.
///
/// # Errors
/// As `measure`, or what came after it.
pub fn measure_and(
    lab: &Lab,
    dirs: &Dirs,
    plan: &Plan,
    store: &mut Store,
    out: &Out,
    more: impl FnOnce(&Results, &mut Bench<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let workload = lab.workload(&plan.suite)?;
    if let Some(steps) = workload.steps() {
        return steps::Course { lab, dirs, plan, workload, steps, out }.measure(store);
    }
    let earlier = store.read()?;
    let mut bench = Bench::set_up(lab, dirs, plan, store)?;
    // Getting a build may take longer than all measuring: the budget is for what comes after.
    let began = Instant::now();
    let outcome = sessions(lab, plan, store, &mut bench, &earlier, began)
        .and_then(|()| examine::examine(lab, plan, store, &mut bench))
        .and_then(|()| more(&store.read()?, &mut bench));
    store.note_seconds(earlier.seconds + bench.run_seconds(began))?;
    bench.keep_logs(&out.logs());
    let stopped = bench.stop();
    outcome?;
    if let Err(fault) = stopped {
        // It was killed instead; what was measured before is no worse for it.
        lab.console.update(Update::Note(&format!("at the end: {fault}")));
    }
    store.finish()
}

fn sessions(
    lab: &Lab,
    plan: &Plan,
    store: &mut Store,
    bench: &mut Bench<'_>,
    earlier: &Results,
    began: Instant,
) -> Result<(), Fault> {
    if let Some(begun) = earlier.sessions.last()
        && !session::is_complete(plan, begun, earlier)
    {
        session::run(lab, plan, store, bench, begun, earlier)?;
    }
    let mut costs = Timings::default();
    loop {
        let results = store.read()?;
        let spent = Spent { seconds: earlier.seconds + bench.run_seconds(began), slowness: costs.slowness() };
        let Some(next) = next_session(plan, &results.sessions, &undecided(&results), spent) else {
            return Ok(());
        };
        store.append_session(&next.info)?;
        let session_began = bench.run_seconds(began);
        session::run(lab, plan, store, bench, &next.info, &results)?;
        let tests = measured_seconds(plan, &next);
        costs.took += (bench.run_seconds(began) - session_began - tests).max(0.0);
        costs.planned += planned_overhead_seconds(plan, &next.info);
        // Kept now, so that a run that is killed does not get its whole budget again.
        store.note_seconds(earlier.seconds + bench.run_seconds(began))?;
    }
}

/// Seconds that a session's tests have.
fn measured_seconds(plan: &Plan, session: &SessionPlan) -> f64 {
    let of = |name: &String| plan.tests.iter().find(|test| test.name == *name);
    let shares = session.info.tests.iter().filter_map(of).map(|test| plan.design.share_of(test));
    session.deadline_seconds_per_test * shares.sum::<f64>()
}

/// What this run's sessions took beside their tests, and what they were planned to take; seconds.
#[derive(Default)]
struct Timings {
    took: f64,
    planned: f64,
}

impl Timings {
    fn slowness(&self) -> f64 {
        // Cheaper than planned is no news: what is saved is there to be spent.
        if self.planned > 0.0 { (self.took / self.planned).max(1.0) } else { 1.0 }
    }
}

/// Whether a fault concerns the run rather than one subject.
fn ends_the_run(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Interrupted | FaultKind::Usage)
}
