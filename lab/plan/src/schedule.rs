//! Deals out the design, one session at a time: which stage, which tests in which order, how long each.

use std::collections::BTreeSet;

use humdrum_model::{Design, Plan, SessionInfo, Stage};

use crate::design::{
    CELL_SECONDS_MIN, RESERVE, SliceCheck, TEST_OVERHEAD_SECONDS, session_overhead_seconds, session_seconds,
    slice_check, slice_check_suits,
};
use crate::order::{cell_seed, shuffle};

/// A test's time may grow at most this much when others drop out: beyond, a session's own luck dominates and
/// only more sessions would help.
const GROWTH_MAX: f64 = 3.0;
/// A test's time may shrink at most this much when sessions took longer than foreseen; after that there are
/// fewer sessions instead.
const SHRINK_MAX: f64 = 0.5;

/// How much longer the slices of a slice check are.
pub const SLICE_CHECK_FACTOR: f64 = 10.0;

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionPlan {
    /// Number, stage, and what is fresh.
    pub info: SessionInfo,
    /// Tests in the order in which to run them.
    pub tests: Vec<String>,
    /// Seconds for each test, warm-up included.
    pub deadline_seconds_per_test: f64,
}

/// The next session, or `None` when nothing is undecided, the cap is reached, or the budget would be overrun.
/// `done` are the sessions begun so far, `undecided` the tests that more confirmation could still decide,
/// `spent_seconds` what the run has used of its budget.
pub fn next_session(
    plan: &Plan,
    done: &[SessionInfo],
    undecided: &BTreeSet<String>,
    spent_seconds: f64,
) -> Option<SessionPlan> {
    let ledger = Ledger::new(plan, done, spent_seconds);
    ledger.measuring(undecided).or_else(|| ledger.slice_check())
}

/// The tests whose ratio is measured once more with ten times longer slices; empty where the budget is too
/// small. The first of each group, because groups differ in what a switch leaves cold.
pub fn slice_check_tests(plan: &Plan) -> Vec<String> {
    let count = planned_slice_check(plan).map_or(0, |check| check.tests);
    let suitable: Vec<_> = plan.tests.iter().filter(|test| slice_check_suits(test)).collect();
    let mut groups = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) =
        suitable.into_iter().partition(|test| groups.insert(test.group.as_str()));
    first.into_iter().chain(others).take(count).map(|test| test.name.clone()).collect()
}

pub(crate) fn planned_slice_check(plan: &Plan) -> Option<SliceCheck> {
    let overhead = session_overhead_seconds(&plan.design, plan.subjects.len(), &plan.scale);
    slice_check(plan.budget_seconds, &plan.tests, overhead, plan.mode)
}

/// What has been done and what is left.
struct Ledger<'a> {
    plan: &'a Plan,
    done: &'a [SessionInfo],
    overhead_seconds: f64,
    left_seconds: f64,
}

impl<'a> Ledger<'a> {
    fn new(plan: &'a Plan, done: &'a [SessionInfo], spent_seconds: f64) -> Self {
        let overhead_seconds = session_overhead_seconds(&plan.design, plan.subjects.len(), &plan.scale);
        let left_seconds = plan.budget_seconds * (1.0 - RESERVE) - spent_seconds;
        Self { plan, done, overhead_seconds, left_seconds }
    }

    fn design(&self) -> &Design {
        &self.plan.design
    }

    fn begun(&self, stage: Stage) -> u32 {
        self.done.iter().filter(|session| session.stage == stage).count() as u32
    }

    /// A screening session of all tests, else a confirmation session of the undecided ones.
    fn measuring(&self, undecided: &BTreeSet<String>) -> Option<SessionPlan> {
        let screening_left = self.design().screening_sessions.saturating_sub(self.begun(Stage::Screening));
        let confirmation_left =
            self.design().confirmation_sessions.saturating_sub(self.begun(Stage::Confirmation));
        let stage = if screening_left > 0 { Stage::Screening } else { Stage::Confirmation };
        let wanted = |name: &String| stage == Stage::Screening || undecided.contains(name);
        let tests: Vec<String> =
            self.plan.tests.iter().map(|test| test.name.clone()).filter(wanted).collect();
        let sessions_left = screening_left + confirmation_left;
        if tests.is_empty() || sessions_left == 0 {
            return None;
        }
        let cell = self.cell_seconds(tests.len(), sessions_left)?;
        Some(self.session(stage, tests, cell))
    }

    /// An even share of what is left, within bounds around the plan; `None` when even the least would overrun.
    fn cell_seconds(&self, tests: usize, sessions_left: u32) -> Option<f64> {
        let planned = self.design().seconds_per_test_session;
        let least = (planned * SHRINK_MAX).max(CELL_SECONDS_MIN.min(planned));
        let reserved = self.planned_check().map_or(0.0, |check| check.total_seconds);
        let left = self.left_seconds - reserved;
        if session_seconds(self.overhead_seconds, tests, least) > left {
            return None;
        }
        let share = left / f64::from(sessions_left) - self.overhead_seconds;
        Some((share / tests as f64 - TEST_OVERHEAD_SECONDS).clamp(least, planned * GROWTH_MAX))
    }

    fn slice_check(&self) -> Option<SessionPlan> {
        let check = self.planned_check()?;
        if check.total_seconds > self.left_seconds {
            return None;
        }
        Some(self.session(Stage::SliceCheck, slice_check_tests(self.plan), check.seconds_per_test))
    }

    fn planned_check(&self) -> Option<SliceCheck> {
        planned_slice_check(self.plan).filter(|_| self.begun(Stage::SliceCheck) == 0)
    }

    fn session(&self, stage: Stage, mut tests: Vec<String>, cell: f64) -> SessionPlan {
        let number = self.done.iter().map(|session| session.number + 1).max().unwrap_or(0);
        // Shuffled, so that no test always runs right after a restart, or always behind the same other test.
        shuffle(&mut tests, cell_seed(self.plan.seed, "order of tests", number));
        let first = number == 0;
        SessionPlan {
            info: SessionInfo {
                number,
                stage,
                restarted: first || self.design().restart,
                reloaded: first || self.design().reload,
                tests: tests.clone(),
                stretch: self.stretch(stage, cell),
            },
            tests,
            deadline_seconds_per_test: cell,
        }
    }

    /// Blocks as a multiple of an ordinary cell's: a slice check has ten times fewer blocks in the same time.
    fn stretch(&self, stage: Stage, cell: f64) -> f64 {
        let ordinary = cell / self.design().seconds_per_test_session;
        if stage == Stage::SliceCheck { ordinary / SLICE_CHECK_FACTOR } else { ordinary }
    }
}
