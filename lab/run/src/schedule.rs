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

    /// Of a session with so many seconds of tests and so many planned outside them, where so many are left.
    fn forecast(&self, tests: f64, planned: f64, left: f64) -> Option<Forecast> {
        let seconds = tests + planned * self.slowness();
        let more = || ((left - seconds).max(0.0) / seconds) as u32;
        (self.planned > 0.0).then(|| Forecast { seconds, more: more() })
    }
}

/// What a session is expected to take, from what earlier ones took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Forecast {
    pub(crate) seconds: f64,
    /// How many more like it the budget has room for.
    pub(crate) more: u32,
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

    /// Of the session that was returned last; none before one of this run has ended.
    pub(crate) fn forecast(&self, session: &SessionInfo, spent_seconds: f64) -> Option<Forecast> {
        let planned = planned_overhead_seconds(self.run.plan, session);
        let left_seconds = self.run.plan.budget_seconds - spent_seconds;
        self.overhead.forecast(self.tests_seconds, planned, left_seconds)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_expected_to_take_what_earlier_ones_took() {
        assert_eq!(Overhead::default().forecast(10.0, 2.0, 100.0), None, "there was none");
        let slow = Overhead { took: 134.0, planned: 2.0 };
        let forecast = |left| slow.forecast(10.0, 2.0, left).map(|of| (of.seconds, of.more));
        assert_eq!(forecast(1400.0), Some((144.0, 8)));
        assert_eq!(forecast(100.0), Some((144.0, 0)), "the last one");
        let fast = Overhead { took: 1.0, planned: 2.0 };
        assert_eq!(fast.forecast(10.0, 2.0, 120.0), Some(Forecast { seconds: 12.0, more: 9 }));
    }
}
