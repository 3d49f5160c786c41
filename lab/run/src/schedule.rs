//! Decides the next session, and whether it fits the budget.

use humdrum_analyse::undecided;
use humdrum_model::{SessionInfo, Stage};
use humdrum_plan::{SessionPlan, Spent, next_session, planned_overhead_seconds, session_subjects};

use crate::journal::Journal;
use crate::run::Run;

/// Returns sessions one by one, and estimates from each how long the next will take.
pub(crate) struct Schedule<'a> {
    run: &'a Run<'a>,
    /// Seconds of the tests of the session that was returned last.
    tests_seconds: f64,
    overhead: Overhead,
    longest_seconds: f64,
}

/// Seconds of this run's sessions outside their tests, measured and planned.
#[derive(Default)]
struct Overhead {
    took: f64,
    planned: f64,
}

impl Overhead {
    /// The slowness: measured as a multiple of planned. At least 1, because time that was saved can be spent.
    fn slowness(&self) -> f64 {
        if self.planned > 0.0 { (self.took / self.planned).max(1.0) } else { 1.0 }
    }
}

impl<'a> Schedule<'a> {
    pub(crate) fn new(run: &'a Run<'a>) -> Self {
        Self { run, tests_seconds: 0.0, overhead: Overhead::default(), longest_seconds: 0.0 }
    }

    /// The next session; `None` if nothing is undecided, or if no other session fits the budget.
    pub(crate) fn next(&mut self, journal: &Journal, spent_seconds: f64) -> Option<SessionInfo> {
        if self.run.steps().is_some() {
            return self.next_of_steps(journal, spent_seconds);
        }
        let results = journal.results();
        let spent = Spent { seconds: spent_seconds, slowness: self.overhead.slowness() };
        let next = next_session(self.run.plan, &results.sessions, &undecided(results), spent)?;
        self.tests_seconds = self.tests_seconds(&next);
        Some(next.info)
    }

    /// Another session of all steps, if it is expected to fit the budget.
    fn next_of_steps(&self, journal: &Journal, spent_seconds: f64) -> Option<SessionInfo> {
        let plan = self.run.plan;
        let number = journal.results().sessions.len() as u32;
        let wanted = number < plan.design.sessions_max();
        let paid = number == 0 || spent_seconds + self.longest_seconds <= plan.budget_seconds;
        (wanted && paid).then(|| SessionInfo {
            number,
            stage: Stage::Confirmation,
            restarted: true,
            reloaded: true,
            tests: plan.tests.iter().map(|test| test.name.clone()).collect(),
            stretch: 1.0,
            unrecorded: Vec::new(),
            subjects: session_subjects(plan, number),
        })
    }

    /// Seconds of a session's tests.
    fn tests_seconds(&self, session: &SessionPlan) -> f64 {
        let plan = self.run.plan;
        let of = |name: &String| plan.tests.iter().find(|test| test.name == *name);
        let shares = session.info.tests.iter().filter_map(of).map(|test| plan.design.share_of(test));
        session.deadline_seconds_per_test * shares.sum::<f64>()
    }

    /// Takes the duration of the rest of an interrupted session.
    pub(crate) fn resumed(&mut self, seconds: f64) {
        self.longest_seconds = self.longest_seconds.max(seconds);
    }

    /// Takes the duration of the session that was returned last.
    pub(crate) fn took(&mut self, session: &SessionInfo, seconds: f64) {
        self.longest_seconds = self.longest_seconds.max(seconds);
        self.overhead.took += (seconds - self.tests_seconds).max(0.0);
        self.overhead.planned += planned_overhead_seconds(self.run.plan, session);
    }
}
