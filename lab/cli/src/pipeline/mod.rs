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
//! Suites of whole steps go their own way: `steps/`.
//!
//! What a cell of a test that writes leaves behind, `aftermath.rs` looks at, has paid and compares.

mod aftermath;
mod bench;
mod cell;
mod events;
mod session;
mod steps;

use std::time::Instant;

use humdrum_analyse::undecided;
use humdrum_contract::{House, Progress, Update};
use humdrum_model::{Fault, FaultKind, Plan, Results};
use humdrum_plan::next_session;
use humdrum_record::Store;

use crate::files::Out;
use crate::lab::Lab;
use bench::Bench;
pub use bench::sizing;

/// Measures what the plan asks for and the store does not hold yet.
///
/// # Errors
/// Interrupted, or whatever keeps every subject from being measured; what failed for one subject is a row.
pub fn measure(lab: &Lab, house: &House, plan: &Plan, store: &mut Store, out: &Out) -> Result<(), Fault> {
    let workload = lab.workload(&plan.suite)?;
    if let Some(steps) = workload.steps() {
        return steps::Course { lab, house, plan, workload, steps, out }.measure(store);
    }
    let began = Instant::now();
    let earlier = store.read()?;
    let mut bench = Bench::set_up(lab, house, plan, store)?;
    let outcome = sessions(lab, plan, store, &mut bench, &earlier, began);
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
    loop {
        let results = store.read()?;
        let spent = earlier.seconds + bench.run_seconds(began);
        let Some(next) = next_session(plan, &results.sessions, &undecided(&results), spent) else {
            return Ok(());
        };
        store.append_session(&next.info)?;
        session::run(lab, plan, store, bench, &next.info, &results)?;
        // Kept now, so that a run that is killed does not get its whole budget again.
        store.note_seconds(earlier.seconds + bench.run_seconds(began))?;
    }
}

/// Whether a fault concerns the run rather than one subject.
fn ends_the_run(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Interrupted | FaultKind::Usage)
}
