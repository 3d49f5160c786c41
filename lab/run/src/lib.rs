//! The measuring engine: turns a checked plan into a record.
//!
//! ```text
//!   measure ─┬─ provision     get the builds, make the servers            roster, provision
//!            ├─ gate          wait for a quiet host
//!            ├─ sessions ─┬─ what was begun and not done, first           journal
//!            │            └─ while something is undecided: ─┬─ prepare    fresh servers, fresh data
//!            │               schedule                       ├─ unit, unit, …
//!            │                                              └─ settle     after units that write
//!            └─ examine       operations of tests that moved, outside all blocks
//! ```
//!
//! A *unit* is one test in one session: a cell of blocks (`unit/cell.rs`) or a step of chunks
//! (`unit/step.rs`). `interleaved.rs` and `sequential.rs` are two ways to order the units of a session over
//! the same roster. This crate names no suite, engine or file format: the `Catalogue` holds the concrete
//! ones.

mod after_load;
mod again;
mod alike;
mod builds;
mod catalogue;
mod confines;
mod data_size;
mod detached;
mod disk;
mod events;
mod examine;
mod filling;
mod gate;
mod history;
mod instance;
mod interleaved;
mod journal;
mod mode;
mod need;
mod prepare;
mod probe;
mod profile;
mod prove;
mod provision;
mod roster;
mod run;
mod sampler;
mod schedule;
mod selftest;
mod sequential;
mod session;
mod settle;
mod timer;
mod try_out;
mod unit;

pub use again::{with_budget, writes};
pub use builds::{builds_told, check_builds, refuse_incomplete};
pub use catalogue::{Catalogue, HostProbes};
pub use confines::check_confines;
pub use detached::{Detached, start_detached, stop_detached};
pub use disk::{check_disk, check_disk_of};
pub use examine::Tools;
pub use history::keep_history;
pub use mode::choose_mode;
pub use need::need;
pub use profile::{PROFILE_LABELS, check_profile, measure_and_profile, profile_request};
pub use prove::{ProofOrder, try_start};
pub use run::{Places, new_record};
pub use selftest::keep_selftest;
pub use try_out::{Test, Trial, Tried};

use humdrum_contract::Progress;
use humdrum_model::{Fault, Mode, Plan, SessionInfo};
use humdrum_record::Store;

use alike::Alike;
use journal::Journal;
use roster::Roster;
use run::Run;
use schedule::{Forecast, Schedule};
use session::{Session, unfinished};
use timer::Timer;

/// Measures the part of the plan that is not on record yet. A failure of one subject becomes a row of the
/// record.
///
/// # Errors
/// Interrupted; a build that is not available; a server that does not start the first time; the record cannot
/// be written.
pub fn measure(
    plan: &Plan,
    catalogue: &Catalogue,
    places: &Places,
    store: &mut Store,
    reporter: &dyn Progress,
) -> Result<(), Fault> {
    let run = Run::new(plan, catalogue, places, reporter)?;
    measure_then(&run, store, |_, _| Ok(()))
}

/// Examines tests of a record that came to its end, on servers that are loaded anew. `asked` are pairs of a test's name and
/// a subject, from 1; what is on record is not done again.
///
/// # Errors
/// Usage: whole steps, or subjects that ran one at a time; the build is another than was measured. Else as `measure`.
pub fn examine_later(
    plan: &Plan,
    catalogue: &Catalogue,
    places: &Places,
    store: &mut Store,
    reporter: &dyn Progress,
    asked: &[(String, usize)],
) -> Result<(), Fault> {
    let run = Run::new(plan, catalogue, places, reporter)?;
    if !examine::can_examine(&run) {
        let what = "only tests of slices are examined, on servers that are up together";
        let hint = "whole steps have their own readings: humdrum explain RESULTS STEP; for others, measure with --mode \
                    interleaved";
        return Err(Fault::usage(what).hint(hint));
    }
    check_confines(plan, catalogue)?;
    let mut roster = Roster::provision(&run, store)?;
    let outcome = examine::examine(&run, &mut roster, store, Some(asked));
    roster.keep_logs();
    roster.stop();
    outcome?;
    store.finish()
}

/// The same, then `last` while the servers still run.
fn measure_then(
    run: &Run<'_>,
    store: &mut Store,
    last: impl FnOnce(&Store, &mut Roster<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    check_confines(run.plan, run.catalogue)?;
    let earlier = Journal::read(store)?;
    let mut roster = Roster::provision(run, store)?;
    // Getting a build may take longer than all measuring: the budget pays for what comes after.
    let timer = Timer::start(roster.clock(), earlier.seconds());
    let outcome = gate::gate(run, &roster, &earlier, store)
        .and_then(|()| sessions(run, &mut roster, store, &earlier, &timer))
        .and_then(|()| examine::examine(run, &mut roster, store, None))
        .and_then(|()| last(store, &mut roster));
    store.note_seconds(timer.total_seconds())?;
    roster.keep_logs();
    roster.stop();
    outcome?;
    store.finish()
}

fn sessions(
    run: &Run<'_>,
    roster: &mut Roster<'_>,
    store: &mut Store,
    earlier: &Journal,
    timer: &Timer,
) -> Result<(), Fault> {
    let mut schedule = Schedule::new(run);
    if let Some(begun) = unfinished(run, earlier) {
        let began_seconds = timer.seconds();
        session(run, begun, earlier, None, roster, store)?;
        schedule.resumed(timer.seconds() - began_seconds);
        store.note_seconds(timer.total_seconds())?;
    }
    loop {
        let journal = Journal::read(store)?;
        let Some(info) = schedule.next(&journal, timer.total_seconds()) else { return Ok(()) };
        store.append_session(&info)?;
        let began_seconds = timer.seconds();
        let forecast = schedule.forecast(&info, timer.total_seconds());
        session(run, &info, &journal, forecast, roster, store)?;
        schedule.took(&info, timer.seconds() - began_seconds);
        // Kept now, so that a run that is killed does not get its whole budget again.
        store.note_seconds(timer.total_seconds())?;
    }
}

fn session(
    run: &Run<'_>,
    info: &SessionInfo,
    journal: &Journal,
    forecast: Option<Forecast>,
    roster: &mut Roster<'_>,
    store: &mut Store,
) -> Result<(), Fault> {
    let alike = Alike::default();
    let session = Session::new(run, info, journal, &alike);
    session.announce(forecast);
    match run.plan.mode {
        Mode::Interleaved => interleaved::session(session, roster, store),
        Mode::Sequential => sequential::session(run, info, roster, store),
    }
}
