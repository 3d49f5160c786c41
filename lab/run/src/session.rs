//! One session: its units one after another, and the consequences of failures for the rest of it. The two
//! modes order the units.

use humdrum_model::{Block, Event, Fault, FaultKind, SessionInfo, Stage, TestInfo, TestStatus};
use humdrum_record::Store;
use humdrum_sample::Discard;

use crate::alike::Alike;
use crate::events;
use crate::journal::Journal;
use crate::roster::Roster;
use crate::run::Run;
use crate::schedule::Forecast;
use crate::unit::{Cell, Consequence, Done, Exit, Ran, Sink, Step, Unit};

/// A session that began now or before an interruption.
pub(crate) struct Session<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) info: &'a SessionInfo,
    /// The record when the session began.
    pub(crate) journal: &'a Journal,
    /// What its subjects have shown so far.
    pub(crate) alike: &'a Alike,
    /// The subject that has the host to itself; `None` where all take turns.
    alone: Option<usize>,
}

/// The session that began last, if it is not completely measured.
pub(crate) fn unfinished<'j>(run: &Run<'_>, journal: &'j Journal) -> Option<&'j SessionInfo> {
    let last = journal.last_session()?;
    let (tests, alike) = (tests(run, last), Alike::default());
    let session = Session::new(run, last, journal, &alike);
    let units = session.units(&tests);
    units.iter().any(|unit| !journal.is_done(&unit.expected())).then_some(last)
}

/// The tests of a session, in order.
fn tests<'a>(run: &Run<'a>, session: &SessionInfo) -> Vec<&'a TestInfo> {
    let of = |name: &String| run.plan.tests.iter().find(|test| test.name == *name);
    session.tests.iter().filter_map(of).collect()
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        run: &'a Run<'a>,
        info: &'a SessionInfo,
        journal: &'a Journal,
        alike: &'a Alike,
    ) -> Self {
        Self { run, info, journal, alike, alone: None }
    }

    /// The part of one subject, which has the host to itself.
    pub(crate) fn of(self, subject: usize) -> Self {
        Self { alone: Some(subject), ..self }
    }

    /// The units of the session, in order.
    fn units<'u>(&'u self, tests: &'u [&'u TestInfo]) -> Vec<Box<dyn Unit + 'u>> {
        let Self { run, info: session, journal, alike, alone } = *self;
        let unit = |(position, _): (usize, &&TestInfo)| -> Box<dyn Unit + 'u> {
            match run.steps() {
                Some(steps) => Box::new(Step { run, steps, session, journal, tests, position }),
                None => Box::new(Cell { run, session, journal, alike, alone, tests, position }),
            }
        };
        tests.iter().enumerate().map(unit).collect()
    }

    /// Whether a subject takes part now.
    fn has(&self, subject: usize) -> bool {
        self.info.has(subject) && self.alone.is_none_or(|alone| alone == subject)
    }

    /// The units to run. In a resumed session, units that are done are not repeated, except those that write:
    /// they are repeated unrecorded for the units after them.
    pub(crate) fn each_unit(
        &self,
        roster: &mut Roster<'_>,
        store: &mut Store,
        sink: &mut dyn Sink,
        goes_on: impl Fn(&Roster<'_>) -> bool,
    ) -> Result<(), Fault> {
        let (run, info, journal) = (self.run, self.info, self.journal);
        let tests = tests(run, info);
        let units = self.units(&tests);
        // Who has the host to itself begins with the session, and runs all of it: the base's turn may come last, and shows whether
        // others failed by a mistake in a workload.
        let done = units.iter().map(|unit| self.alone.is_none() && journal.is_done(&unit.expected()));
        let done: Vec<bool> = done.collect();
        let end = done.iter().rposition(|done| !done).map_or(0, |last| last + 1);
        units.iter().for_each(|unit| self.replay_failures(&**unit, roster));
        for (unit, done) in units.iter().zip(done).take(end) {
            run.check_interrupt()?;
            if !goes_on(roster) {
                return Ok(());
            }
            if !done || unit.changes_data() {
                self.unit(&**unit, roster, store, sink)?;
            }
        }
        Ok(())
    }

    /// Removes the subjects that failed in this session before an interruption. Their failure is on record
    /// and must not be recorded twice.
    fn replay_failures(&self, unit: &dyn Unit, roster: &mut Roster<'_>) {
        if matches!(unit.consequence(), Consequence::RestOfSession) {
            let session = self.info.number;
            for subject in self.journal.failed_in(&unit.test().name, Some(session)) {
                roster.mark_behind(subject, session, unit.position());
                roster.kill(subject);
            }
        }
    }

    fn unit(
        &self,
        unit: &dyn Unit,
        roster: &mut Roster<'_>,
        store: &mut Store,
        sink: &mut dyn Sink,
    ) -> Result<(), Fault> {
        let excluded = unit.excluded();
        if excluded.contains(&0) {
            return Ok(());
        }
        let (clock, metrics) = (roster.clock(), roster.metrics().to_vec());
        let mut entrants = roster.entrants(self.info.number, &excluded);
        entrants.retain(|entrant| self.has(entrant.subject));
        let (done, outcome) = unit.run(clock, &metrics, entrants, store, sink);
        if !done.exits.is_empty() {
            self.run.check_ending()?;
        }
        self.conclude(unit, done, &excluded, roster, store)?;
        outcome
    }

    /// Records failures in a unit, and decides their consequences for the rest of the session.
    fn conclude(
        &self,
        unit: &dyn Unit,
        done: Done,
        excluded: &[usize],
        roster: &mut Roster<'_>,
        store: &mut Store,
    ) -> Result<(), Fault> {
        let Done { mut exits, contents, ran } = done;
        let (session, position) = (self.info.number, unit.position());
        let test = (position, unit.test().name.as_str());
        let found =
            contents.into_iter().flat_map(|(subject, found)| self.alike.contents(test, subject, found));
        let counts = |exit: &Exit| roster.ends_at(exit.subject, session).is_none_or(|end| position < end);
        exits.extend(found.filter(counts).collect::<Vec<_>>());
        match unit.consequence() {
            Consequence::NextTest { writes } => {
                let subjects = self.run.plan.subjects.len();
                let well = |subject: &usize| !exits.iter().any(|exit| exit.subject == *subject);
                if ran == Ran::Whole {
                    roster.succeeded((0..subjects).filter(|subject| self.has(*subject)).filter(well));
                }
                if writes && ran != Ran::Not {
                    // Who did not do all the writes has other data than the others, until the next load.
                    let failed = exits.iter().map(|exit| exit.subject);
                    let left_out = excluded.iter().copied().filter(|subject| self.has(*subject));
                    for subject in failed.chain(left_out) {
                        roster.mark_behind(subject, session, position);
                    }
                }
                self.record_and_recover(unit, exits, roster, store)
            }
            Consequence::RestOfSession => {
                for exit in exits {
                    roster.kill(exit.subject);
                    self.leave(exit, position, roster, store)?;
                }
                Ok(())
            }
        }
    }

    /// Records failures in a test, and starts the servers again for the next one.
    fn record_and_recover(
        &self,
        unit: &dyn Unit,
        exits: Vec<Exit>,
        roster: &mut Roster<'_>,
        store: &mut Store,
    ) -> Result<(), Fault> {
        let (name, info) = (&unit.test().name, self.info);
        for Exit { subject, fault } in exits {
            self.run.note(&format!("{}: {name}: {fault}", self.run.label(subject)));
            let needs_restart = fault.kind != FaultKind::WrongAnswer;
            store.append_event(&events::failed(subject, name, info.number, fault))?;
            if needs_restart {
                roster.recover(subject, info, store)?;
            }
        }
        Ok(())
    }

    /// Removes a subject from the rest of the session, from the unit at `position` on. Records the reason for
    /// that unit and for those after it, which the subject does not run or ran on useless data.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(crate) fn leave(
        &self,
        exit: Exit,
        position: usize,
        roster: &mut Roster<'_>,
        store: &mut Store,
    ) -> Result<(), Fault> {
        let (tests, session) = (tests(self.run, self.info), self.info.number);
        let Exit { subject, fault } = exit;
        let end = roster.ends_at(subject, session).unwrap_or(tests.len()).min(tests.len());
        roster.mark_behind(subject, session, position);
        self.run.note(&format!("{}: {fault}", self.run.label(subject)));
        let name = &tests[position].name;
        let failed = events::failed(subject, name, session, fault);
        let later = tests.iter().take(end).skip(position + 1).map(|later| Event {
            test: Some(later.name.clone()),
            what: format!("not compared, because {name} failed"),
            log_tail: None,
            status: TestStatus::Failed,
            ..failed.clone()
        });
        let later: Vec<Event> = later.collect();
        store.append_events(&[vec![failed], later].concat())
    }

    /// Reports which session begins, and how long it will take: by its design, or by what earlier ones took.
    pub(crate) fn announce(&self, forecast: Option<Forecast>) {
        let (number, plan, tests) = (self.info.number + 1, self.run.plan, tests(self.run, self.info));
        let planned = plan.sessions_max();
        if self.run.steps().is_some() {
            let (steps, whose) = (tests.len(), self.of_whom());
            return self.run.say(&format!("session {number} of at most {planned}: {steps} steps{whose}"));
        }
        let (stage, of) = match self.info.stage {
            Stage::Screening => ("screening", planned),
            Stage::Confirmation => ("confirmation", planned),
            Stage::SliceCheck => ("slices ten times longer", number),
        };
        let by_design =
            || tests.iter().map(|test| plan.design.seconds_of(test)).sum::<f64>() * self.info.stretch;
        let seconds = forecast.map_or_else(by_design, |forecast| forecast.seconds);
        // A test whose operations take longer than planned leaves room for fewer sessions.
        let of = forecast.map_or(of, |forecast| of.min(number + forecast.more));
        let tests = tests.len();
        self.run.say(&format!(
            "session {number} of at most {of} ({stage}): {tests} tests, about {seconds:.0} s{}",
            self.of_whom()
        ));
    }

    /// Who takes part, where not all do.
    fn of_whom(&self) -> String {
        let labels: Vec<&str> = self.info.subjects.iter().map(|subject| self.run.label(*subject)).collect();
        if labels.is_empty() { String::new() } else { format!(", {}", labels.join(" with ")) }
    }
}

/// Records every block as it ends.
pub(crate) struct Recorded;

impl Sink for Recorded {
    fn block(&mut self, store: &mut Store, block: Block) -> Result<(), Fault> {
        store.append_block(&block)
    }

    fn discard(
        &mut self,
        store: &mut Store,
        test: &str,
        session: u32,
        discard: &Discard,
    ) -> Result<(), Fault> {
        store.discard_blocks(test, session, discard.first..=discard.last, &discard.reason)
    }
}
