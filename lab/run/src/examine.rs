//! Examination: after the last session, tests that moved run again in rounds of their own, outside all
//! measured blocks. Every server also gives its query plans for the statements of every test. Statements whose plans
//! differ run once more for their actual rows.
//!
//! ```text
//!   round 0   base: counters ─ operations ─ counters │ operations, its sessions sampled     subject: the same
//!   round 1   subject …                                                                     base …
//! ```
//!
//! The engine's counters are read around other operations than those during which sessions are sampled,
//! because the server counts the sampling queries as well. A subject that cannot be examined is left out,
//! because the measurement is already complete. In an incomplete block design, no more servers are up here than
//! in a session: the subjects are examined group by group. At several numbers of rows, the data sets are examined one by one.

pub(crate) mod counters;
mod examination;
pub(crate) mod kernel;
pub(crate) mod plans;
pub(crate) mod profile;
mod servers;
pub(crate) mod step_profile;
mod waits;
mod which;

use std::collections::BTreeSet;

use humdrum_model::{
    Event, Examination, Fault, FaultKind, Mode, PlanRun, QueryPlan, Results, Scale, TestInfo, TestStatus,
};
use humdrum_record::Store;

use crate::filling::load;
use crate::roster::Roster;
use crate::run::Run;
use examination::Examinee;
use servers::{filled, up_together};

pub use profile::Tools;

/// Rounds of each test, for an interval over rounds.
const ROUNDS: u32 = 6;

/// What is said of a server whose engine counts waits, and which does not.
pub(crate) const NO_WAITS: &str = "does not count what its threads wait for";

/// A test that is to be examined, with the base and the subjects on which it moved.
type Moved<'p> = (&'p TestInfo, Vec<usize>);

/// Examines the tests that moved, or those asked for: pairs of a test's name and a subject. What is on record, because
/// an earlier examination was interrupted, is not done again. Suites of whole steps are not examined after their sessions,
/// because each session is an examination of its steps (`unit/step/examination.rs`); nor are subjects of which only one has the
/// host at a time, because an examination compares servers that are up together.
///
/// # Errors
/// Interrupted, or the record cannot be written; a server that does not answer is left out.
pub(crate) fn examine(
    run: &Run<'_>,
    roster: &mut Roster<'_>,
    store: &mut Store,
    asked: Option<&[(String, usize)]>,
) -> Result<(), Fault> {
    if !can_examine(run) {
        return Ok(());
    }
    let results = store.read()?;
    let told = results.events.iter().map(|event| (event.subject, event.what.clone())).collect();
    let (plans, plan_runs) = (results.query_plans.clone(), results.plan_runs.clone());
    let (up, data) = (Vec::new(), run.plan.scale.clone());
    let mut examiner = Examiner { run, roster, store, results: &results, plans, plan_runs, told, up, data };
    examiner.roster.call_all();
    let mut wanted = match asked {
        Some(asked) => examiner.named(asked),
        None => {
            let summary = humdrum_analyse::summarise(&Results { finished: true, ..results.clone() });
            examiner.moved_most(&summary)
        }
    };
    for up in up_together(run.plan) {
        examiner.up = up;
        // The largest first: sessions usually end with it, and then it need not be loaded again.
        for data in run.plan.data_sets().into_iter().rev() {
            examiner.data = data;
            examiner.examine(&mut wanted)?;
        }
    }
    Ok(())
}

/// Whether this run has servers that are up together, and tests that can be run for a moment.
pub(crate) fn can_examine(run: &Run<'_>) -> bool {
    run.steps().is_none() && run.plan.mode == Mode::Interleaved
}

struct Examiner<'e, 'r> {
    run: &'e Run<'e>,
    roster: &'e mut Roster<'r>,
    store: &'e mut Store,
    /// The record at the start.
    results: &'e Results,
    /// The query plans on record, those of this examination included.
    plans: Vec<QueryPlan>,
    /// The rows of plans on record, likewise.
    plan_runs: Vec<PlanRun>,
    /// The remarks noted already, by subject.
    told: BTreeSet<(Option<usize>, String)>,
    /// The subjects whose servers are up.
    up: Vec<usize>,
    /// The scale of the data that they hold.
    data: Scale,
}

impl<'e> Examiner<'e, '_> {
    /// Examines the subjects whose servers are up in the tests of one data set, and takes these out of `wanted`. So the base is
    /// examined once.
    fn examine(&mut self, wanted: &mut [Moved<'e>]) -> Result<(), Fault> {
        if self.has_questions() {
            self.fill()?;
            self.query_plans()?;
            self.run_statements()?;
        }
        let mut left: Vec<Moved<'_>> = Vec::new();
        let rows = self.data.rows;
        for (test, subjects) in wanted.iter_mut().filter(|(test, _)| test.has_rows(rows)) {
            let (ours, others): (Vec<usize>, Vec<usize>) =
                subjects.iter().partition(|subject| self.up.contains(subject));
            // The base alone tells nothing; it is examined with the first of the others.
            if ours.iter().any(|subject| *subject > 0) {
                *subjects = others;
                left.push((test, ours));
            }
        }
        left.retain(|(test, subjects)| {
            let all = |subject: &usize| (0..ROUNDS).all(|round| self.is_on_record(test, *subject, round));
            !subjects.iter().all(all)
        });
        if left.is_empty() {
            return Ok(());
        }
        self.fill()?;
        self.count_more(&left, true)?;
        left.iter().try_for_each(|(test, subjects)| self.rounds(test, subjects))?;
        self.count_more(&left, false)
    }

    fn is_on_record(&self, test: &TestInfo, subject: usize, round: u32) -> bool {
        let same = |one: &Examination| one.test == test.name && (one.subject, one.round) == (subject, round);
        self.results.examinations.iter().any(same)
    }

    /// The rounds of one test, the subjects in turns.
    fn rounds(&mut self, test: &TestInfo, subjects: &[usize]) -> Result<(), Fault> {
        self.run.say(&format!("examining {}", test.name));
        if self.uses_up_rows(test) {
            self.load_anew(test, subjects)?;
        }
        for round in 0..ROUNDS {
            let mut order = subjects.to_vec();
            if round % 2 == 1 {
                order.reverse();
            }
            for subject in order {
                self.run.check_interrupt()?;
                if !self.is_on_record(test, subject, round) {
                    self.round(test, subject, round)?;
                }
            }
        }
        Ok(())
    }

    /// Whether its operations each need a row that no other one needs: those that sessions have deleted are gone.
    fn uses_up_rows(&self, test: &TestInfo) -> bool {
        self.run.workload.most_operations(test.own_name(), &self.run.plan.scale_of(test)).is_some()
    }

    fn load_anew(&mut self, test: &TestInfo, subjects: &[usize]) -> Result<(), Fault> {
        for subject in subjects {
            self.run.check_interrupt()?;
            let Some(instance) = self.roster.instance(*subject) else { continue };
            instance.examined.clear();
            if let Err(fault) = load(self.run, instance, &self.data) {
                self.leave_out(*subject, &test.name, "not loaded to be examined", &fault)?;
            }
        }
        Ok(())
    }

    fn round(&mut self, test: &TestInfo, subject: usize, round: u32) -> Result<(), Fault> {
        let examinee = Examinee { run: self.run, test, results: self.results, round, subject };
        let Some(instance) = self.roster.instance(subject) else { return Ok(()) };
        match examinee.examine(instance) {
            Ok((examination, no_waits)) => {
                self.store.append_examination(&examination)?;
                match no_waits.filter(|_| round == 0) {
                    Some(why) => self.leave_out(subject, "", NO_WAITS, &Fault::environment(why)),
                    None => Ok(()),
                }
            }
            Err(fault) => self.leave_out(subject, &test.name, "not examined", &fault),
        }
    }

    /// Starts the servers of this group and stops the others. Gives them the data set: they hold that of the last session, or
    /// none where a run is resumed after it.
    fn fill(&mut self) -> Result<(), Fault> {
        let (run, up, data) = (self.run, &self.up, &self.data.clone());
        self.roster.call(|subject| up.contains(&subject));
        for subject in self.subjects() {
            let Some(instance) = self.roster.instance(subject) else { continue };
            run.check_interrupt()?;
            if let Err(fault) = filled(run, instance, data) {
                self.roster.give_up(subject);
                self.leave_out(subject, "", "not loaded to be examined", &fault)?;
            }
        }
        Ok(())
    }

    /// Turns on or off the counters that engines do not count while they are measured. A server that was
    /// restarted for it gets its memory filled again.
    fn count_more(&mut self, tests: &[Moved<'_>], on: bool) -> Result<(), Fault> {
        let run = self.run;
        for subject in self.subjects() {
            if !tests.iter().any(|(_, ours)| ours.contains(&subject)) {
                continue;
            }
            run.check_interrupt()?;
            let Some(instance) = self.roster.instance(subject) else { continue };
            let outcome = instance.server.count_more(on).and_then(|restarted| match restarted {
                true => run.workload.prewarm(&mut *instance.server, &self.data),
                false => Ok(()),
            });
            if let Err(fault) = outcome {
                self.roster.give_up(subject);
                self.leave_out(subject, "", "not started to be examined", &fault)?;
            }
        }
        Ok(())
    }

    /// Subjects whose servers are up.
    fn subjects(&self) -> Vec<usize> {
        self.up.iter().copied().filter(|subject| self.roster.has_instance(*subject)).collect()
    }

    /// Reports what could not be examined: at once, and once in the record, for explanations. Only an
    /// interruption is an error. An empty `test` means all tests.
    fn leave_out(&mut self, subject: usize, test: &str, how: &str, fault: &Fault) -> Result<(), Fault> {
        if fault.kind == FaultKind::Interrupted {
            return Err(fault.clone());
        }
        let what = if test.is_empty() { format!("{how}: {fault}") } else { format!("{test} {how}: {fault}") };
        self.run.note(&format!("{}: {what}", self.run.label(subject)));
        if !self.told.insert((Some(subject), what.clone())) {
            return Ok(());
        }
        self.store.append_event(&Event {
            subject: Some(subject),
            test: (!test.is_empty()).then(|| test.to_owned()),
            session: None,
            status: TestStatus::Ok,
            what,
            log_tail: None,
        })
    }
}
