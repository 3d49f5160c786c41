//! The journal: what of a run was begun and what was done, as the record has it.
//!
//! One rule serves both kinds of unit and both modes. **A unit is done when all of its blocks are on record and, where it
//! writes, every subject that did its last block is settled.** What is not done is run again; what is on record already
//! is not recorded twice. To resume is to replay the journal: a kill at any instruction loses at most the unit that was
//! running.

use humdrum_model::{
    Block, Calibration, Debt, Event, Fault, Moment, Results, SessionInfo, StateFacts, StepFacts,
};
use humdrum_record::Store;

use crate::events::ends_test;

/// What the record held when the session began.
pub(crate) struct Journal {
    before: Results,
}

/// What a unit leaves on record when it is done.
pub(crate) struct Expected<'a> {
    pub(crate) session: u32,
    pub(crate) test: &'a str,
    /// Its blocks; `None` as long as nobody knows how many there will be.
    pub(crate) blocks: Option<u32>,
    /// The last state recorded of each subject; `None` where nothing is settled.
    pub(crate) settled_by: Option<Moment>,
    /// Subjects that take no part in it.
    pub(crate) excluded: Vec<usize>,
    /// It leaves nothing: it writes only for the sake of later tests.
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

    /// Whether nothing of a unit is left to be measured.
    pub(crate) fn is_done(&self, unit: &Expected<'_>) -> bool {
        let left = (0..self.before.plan.subjects.len()).filter(|subject| !unit.excluded.contains(subject));
        unit.unrecorded
            || unit.excluded.contains(&0)
            || left.count() < 2
            || (unit.blocks.is_some_and(|blocks| self.blocks(unit.session, unit.test) >= blocks)
                && unit.settled_by.is_none_or(|moment| self.is_settled(unit, moment)))
    }

    /// Whether every subject that did the last block has its last state on record, or has failed since.
    fn is_settled(&self, unit: &Expected<'_>, moment: Moment) -> bool {
        let (session, test) = (unit.session, unit.test);
        let Some(last) = self.blocks_of(session, test).max_by_key(|block| block.index) else { return false };
        let failed = |subject: usize| {
            let own = |event: &Event| {
                event.test.as_deref() == Some(test)
                    && event.subject == Some(subject)
                    && ends_test(event.status)
            };
            self.before.events.iter().any(own)
        };
        let mut subjects = last.slices.iter().map(|slice| slice.subject);
        subjects.all(|subject| failed(subject) || self.has_state(test, session, subject, moment))
    }

    fn blocks_of<'j>(&'j self, session: u32, test: &'j str) -> impl Iterator<Item = &'j Block> {
        self.before.blocks.iter().filter(move |block| block.session == session && block.test == test)
    }

    /// How many blocks of a unit are on record: the first ones, without gaps.
    pub(crate) fn blocks(&self, session: u32, test: &str) -> u32 {
        self.blocks_of(session, test).map(|block| block.index + 1).max().unwrap_or(0)
    }

    /// Whether a warning of the whole run is on record.
    pub(crate) fn has_warning(&self, what: &str) -> bool {
        self.before.warnings().any(|warning| warning == what)
    }

    /// How long a test's slices are, where that was found out already.
    pub(crate) fn calibration(&self, test: &str) -> Option<Calibration> {
        self.before.calibrations.iter().find(|calibration| calibration.test == test).cloned()
    }

    /// Subjects that failed in a test or answered it wrongly, in `session` or in any.
    pub(crate) fn failed_in(&self, test: &str, session: Option<u32>) -> Vec<usize> {
        let own = |event: &&Event| {
            event.test.as_deref() == Some(test)
                && ends_test(event.status)
                && (session.is_none() || event.session == session)
        };
        self.before.events.iter().filter(own).filter_map(|event| event.subject).collect()
    }

    /// Whether a state is on record.
    pub(crate) fn has_state(&self, test: &str, session: u32, subject: usize, moment: Moment) -> bool {
        let own = |one: &StateFacts| {
            (one.test.as_str(), one.session, one.subject, one.moment) == (test, session, subject, moment)
        };
        self.before.states.iter().any(own)
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
