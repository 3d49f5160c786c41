//! One subject at a time, for data of which the host's memory or disk holds only one subject's. Its server is started, gets
//! fresh data, is measured in all units and stopped before the next one is started.
//!
//! ```text
//!   cell         base: test 1 ▓▓▓▓ test 2 ▓▓▓▓ …    subject: test 1 ▓▓▓▓ …     slices of one subject after another
//!   step         base: step 1 ▓▓▓▓ step 2 ▓▓▓▓ …    subject: step 1 ▓▓▓▓ …     each step is a slice
//! ```
//!
//! Slices of equal work are put together to blocks when the session is over, so that the record is that of any run. The session
//! is the unit of evidence: what the host does to one subject's time and not to the other's is in its ratio.

use std::collections::BTreeMap;

use humdrum_model::{Block, Fault, LoadFacts, SessionInfo, Slice};
use humdrum_plan::turns;
use humdrum_record::Store;
use humdrum_sample::Discard;

use crate::alike::Alike;
use crate::events::ends_the_run;
use crate::filling::fill;
use crate::journal::Journal;
use crate::roster::Roster;
use crate::run::Run;
use crate::session::Session;
use crate::unit::{Exit, Sink};

/// Measures one subject in all units, then the next; who comes first changes from session to session. Records
/// of an interrupted attempt at the session are removed first, because its blocks are not complete, and its
/// facts do not belong to the blocks of the new attempt.
///
/// # Errors
/// Interrupted, or the record cannot be written.
pub(crate) fn session(
    run: &Run<'_>,
    info: &SessionInfo,
    roster: &mut Roster<'_>,
    store: &mut Store,
) -> Result<(), Fault> {
    store.forget_session(info.number)?;
    let (alike, mut blocks) = (Alike::default(), Blocks::of(info));
    for subject in turns(run.plan.seed, info.number, run.plan.subjects.len()) {
        run.check_interrupt()?;
        if [0, subject].iter().any(|one| roster.ends_at(*one, info.number) == Some(0)) {
            continue;
        }
        run.say(&format!("session {}: {}", info.number + 1, run.label(subject)));
        // Read anew, because subjects before this one may have found the pace of a test, or failed in it.
        let journal = Journal::read(store)?;
        let session = Session::new(run, info, &journal, &alike).of(subject);
        let outcome = one(&session, subject, roster, store, &mut blocks);
        roster.rest(subject);
        let Err(fault) = outcome else { continue };
        let fault = run.mistake(subject, &fault).unwrap_or(fault);
        if ends_the_run(&fault) {
            return Err(fault);
        }
        // Before its first unit: none of them can be done.
        match run.steps() {
            Some(_) => session.leave(Exit { subject, fault }, 0, roster, store)?,
            None => roster.mark_failed(subject, info.number, fault, store)?,
        }
    }
    // Of tests, what a subject did after it had other data than the base does not count; of steps, an event says so.
    let behind = |subject| roster.ends_at(subject, info.number).filter(|_| run.steps().is_none());
    blocks.append(store, |slice, position| behind(slice.subject).is_none_or(|end| position < end))
}

fn one(
    session: &Session<'_>,
    subject: usize,
    roster: &mut Roster<'_>,
    store: &mut Store,
    blocks: &mut Blocks<'_>,
) -> Result<(), Fault> {
    let (run, number) = (session.run, session.info.number);
    let data = run.plan.scale_of_session(session.info);
    for (data_rows, facts) in fill(run, roster.make(subject)?, &data)? {
        store.append_load(&LoadFacts { subject, ..facts.clone() })?;
        for Exit { subject, fault } in session.alike.load(data_rows, subject, &facts) {
            roster.mark_failed(subject, number, fault, store)?;
        }
    }
    session.each_unit(roster, store, blocks, |roster| roster.ends_at(subject, number).is_none())
}

/// Blocks by position of their test in the session and by index, each with the slices of the subjects so far.
struct Blocks<'s> {
    tests: &'s [String],
    all: BTreeMap<(usize, u32), Block>,
}

impl<'s> Blocks<'s> {
    fn of(session: &'s SessionInfo) -> Self {
        Self { tests: &session.tests, all: BTreeMap::new() }
    }

    fn position(&self, test: &str) -> usize {
        self.tests.iter().position(|one| one == test).unwrap_or(usize::MAX)
    }

    /// Appends the blocks with the slices that count, by position of their test. Slices come in the order in which they ran.
    fn append(self, store: &mut Store, counts: impl Fn(&Slice, usize) -> bool) -> Result<(), Fault> {
        for ((position, _), mut block) in self.all {
            block.slices.retain(|slice| counts(slice, position));
            block.slices.sort_by_key(|slice| slice.start_ns);
            if !block.slices.is_empty() {
                store.append_block(&block)?;
            }
        }
        Ok(())
    }
}

impl Sink for Blocks<'_> {
    fn block(&mut self, _: &mut Store, mut block: Block) -> Result<(), Fault> {
        let key = (self.position(&block.test), block.index);
        let empty = Block { slices: Vec::new(), ..block.clone() };
        self.all.entry(key).or_insert(empty).slices.append(&mut block.slices);
        Ok(())
    }

    /// Discards whole blocks, so that discarding cannot favour a subject.
    fn discard(&mut self, _: &mut Store, test: &str, _: u32, discard: &Discard) -> Result<(), Fault> {
        let position = self.position(test);
        for (_, block) in self.all.range_mut((position, discard.first)..=(position, discard.last)) {
            block.discarded.get_or_insert_with(|| discard.reason.clone());
        }
        Ok(())
    }
}
