//! The journal: which parts of a run were begun and done, by the record.
//!
//! One rule holds for both kinds of unit and both modes. **A unit is done when all of its blocks are on
//! record, and every subject of the session either has its failure on record or has done the last block and, if
//! the unit writes, is settled.** A unit that is not done runs again; blocks that are on record are not recorded
//! twice. Resuming means replaying the journal. Every append to the record is one transaction, so a kill at
//! any instruction loses at most the unit that was running. In sequential mode it loses at most the session,
//! because blocks are complete only when the last subject has done them.

use humdrum_model::{
    Block, Calibration, Debt, Event, Fault, Moment, Results, SessionInfo, StateFacts, StepFacts,
};
use humdrum_record::Store;

/// The record when the session began.
pub(crate) struct Journal {
    before: Results,
}

/// The record of a unit that is done.
pub(crate) struct Expected<'a> {
    pub(crate) test: &'a str,
    /// The number of its blocks; `None` while it is not known.
    pub(crate) blocks: Option<u32>,
    /// The last state recorded of each subject; `None` if the unit is not settled.
    pub(crate) settled_by: Option<Moment>,
    /// The session that it is part of.
    pub(crate) session: &'a SessionInfo,
    /// Subjects of the session that do not run in it, or no longer run; their failure is on record.
    pub(crate) excluded: Vec<usize>,
    /// Whether it leaves no record, because it writes only for later tests.
    pub(crate) unrecorded: bool,
}

impl Journal {
    /// Reads the record.
    ///
    /// # Errors
    /// The record cannot be read.
    pub(crate) fn read(store: &Store) -> Result<Self, Fault> {
        Ok(Self { before: store.read()? })
    }

    /// The record itself.
    pub(crate) fn results(&self) -> &Results {
        &self.before
    }

    /// Seconds that the run has taken, interruptions left out.
    pub(crate) fn seconds(&self) -> f64 {
        self.before.seconds
    }

    /// The session that was begun last.
    pub(crate) fn last_session(&self) -> Option<&SessionInfo> {
        self.before.sessions.last()
    }

    /// Whether a unit is completely measured.
    pub(crate) fn is_done(&self, unit: &Expected<'_>) -> bool {
        let mut left: Vec<usize> = (0..self.before.plan.subjects.len()).collect();
        left.retain(|subject| unit.session.has(*subject) && !unit.excluded.contains(subject));
        let are_on_record = |blocks| self.blocks(unit.session.number, unit.test) >= blocks;
        unit.unrecorded
            || left.len() < 2
            || left[0] != 0
            || (unit.blocks.is_some_and(are_on_record)
                && left.into_iter().all(|subject| self.is_accounted_for(unit, subject)))
    }

    /// Whether a subject did the last block and is settled, or has its failure on record.
    fn is_accounted_for(&self, unit: &Expected<'_>, subject: usize) -> bool {
        let last = self.blocks_of(unit.session.number, unit.test).max_by_key(|block| block.index);
        let did = last.is_some_and(|block| block.slices.iter().any(|slice| slice.subject == subject));
        if did {
            return unit.settled_by.is_none_or(|moment| self.is_settled(unit, subject, moment));
        }
        self.before.events.iter().any(|event| event.subject == Some(subject) && event.status.is_failure())
    }

    /// Whether a subject's last state is on record and its tables equal the base's. Otherwise its failure is
    /// not yet recorded.
    fn is_settled(&self, unit: &Expected<'_>, subject: usize, moment: Moment) -> bool {
        let state = |subject| self.state(unit.test, unit.session.number, subject, moment);
        let (own, base) = (state(subject), state(0));
        own.is_some_and(|own| base.is_none_or(|base| base.contents == own.contents))
    }

    fn blocks_of<'j>(&'j self, session: u32, test: &'j str) -> impl Iterator<Item = &'j Block> {
        self.before.blocks.iter().filter(move |block| block.session == session && block.test == test)
    }

    /// The number of blocks of a unit that are on record: the first ones, without gaps.
    pub(crate) fn blocks(&self, session: u32, test: &str) -> u32 {
        self.blocks_of(session, test).map(|block| block.index + 1).max().unwrap_or(0)
    }

    /// Whether a warning of the whole run is on record.
    pub(crate) fn has_warning(&self, what: &str) -> bool {
        self.before.warnings().any(|warning| warning == what)
    }

    /// The calibration of a test, if it was done already.
    pub(crate) fn calibration(&self, test: &str) -> Option<Calibration> {
        self.before.calibrations.iter().find(|calibration| calibration.test == test).cloned()
    }

    /// Subjects that failed in a test or gave wrong answers, in `session` or in any.
    pub(crate) fn failed_in(&self, test: &str, session: Option<u32>) -> Vec<usize> {
        let own = |event: &&Event| {
            event.test.as_deref() == Some(test)
                && event.status.is_failure()
                && (session.is_none() || event.session == session)
        };
        self.before.events.iter().filter(own).filter_map(|event| event.subject).collect()
    }

    /// Whether a state is on record.
    pub(crate) fn has_state(&self, test: &str, session: u32, subject: usize, moment: Moment) -> bool {
        self.state(test, session, subject, moment).is_some()
    }

    fn state(&self, test: &str, session: u32, subject: usize, moment: Moment) -> Option<&StateFacts> {
        let own = |one: &&StateFacts| {
            (one.test.as_str(), one.session, one.subject, one.moment) == (test, session, subject, moment)
        };
        self.before.states.iter().find(own)
    }

    /// Whether a debt is on record.
    pub(crate) fn has_debt(&self, test: &str, session: u32, subject: usize) -> bool {
        let own = |debt: &Debt| (debt.test.as_str(), debt.session, debt.subject) == (test, session, subject);
        self.before.debts.iter().any(own)
    }

    /// Whether a step's facts are on record.
    pub(crate) fn has_step(&self, test: &str, session: u32, subject: usize) -> bool {
        let own = |facts: &StepFacts| {
            (facts.test.as_str(), facts.session, facts.subject) == (test, session, subject)
        };
        self.before.steps.iter().any(own)
    }
}

#[cfg(test)]
mod tests;
