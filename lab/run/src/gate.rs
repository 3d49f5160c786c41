//! The start gate: whether the host is busy before the first session, and what to do if it is.

use std::time::Duration;

use humdrum_contract::HostClock;
use humdrum_model::{Event, Fault, TestStatus};
use humdrum_record::Store;
use humdrum_sample::HostKernel;
use humdrum_sample::gate::{HostCheck, OnBusy, start_gate};

use crate::journal::Journal;
use crate::roster::Roster;
use crate::run::Run;

/// Part of the budget that may be spent on waiting for a quiet host.
const WAIT_SHARE: f64 = 0.1;

/// Waits for a quiet host, if the user wants that. A host that stays busy is a warning in the record. On a
/// virtual clock the host does not matter.
///
/// # Errors
/// Environment, when the host is busy and the run is to be refused; interrupted; the record cannot be written.
pub(crate) fn gate(
    run: &Run<'_>,
    roster: &Roster<'_>,
    journal: &Journal,
    store: &mut Store,
) -> Result<(), Fault> {
    if roster.clock().is_virtual() {
        return Ok(());
    }
    let at_most = Duration::from_secs_f64((run.plan.budget_seconds * WAIT_SHARE).max(0.0));
    let (clock, interrupt) = (HostClock::new(), &run.places.dirs.interrupt);
    // A host without the kernel is judged by its load alone.
    let mut kernel = HostKernel::new().ok();
    let mut told = false;
    let found = start_gate(run.places.on_busy, at_most, &clock, interrupt, || {
        let check = HostCheck::take(kernel.as_mut(), &clock, interrupt)?;
        if run.places.on_busy == OnBusy::Wait && !told && !check.reasons().is_empty() {
            told = true;
            let (reasons, seconds) = (check.reasons().join("; "), at_most.as_secs());
            run.say(&format!("waiting for a quiet host, {seconds} s at most: {reasons}"));
        }
        Ok(check)
    })?;
    match found.warning() {
        Some(warning) if !journal.has_warning(&warning) => {
            run.note(&warning);
            store.append_event(&Event {
                subject: None,
                test: None,
                session: None,
                status: TestStatus::Ok,
                what: warning,
                log_tail: None,
            })
        }
        _ => Ok(()),
    }
}
