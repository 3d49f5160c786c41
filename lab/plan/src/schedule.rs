//! Carries out the design one session at a time: which stage, which tests in which order, how long each.

use std::collections::BTreeSet;

use humdrum_model::{Design, Phase, Plan, SessionInfo, Stage, TestInfo};

use crate::design::{
    CELL_SECONDS_MIN, RESERVE, SliceCheck, once_seconds, session_overhead_seconds, session_seconds,
    settle_seconds, shares, slice_check, slice_check_suits,
};
use crate::neighbours::neighbours;
use crate::order::{cell_seed, shuffle};

/// A test's time may grow at most this much when others drop out. Beyond that, sessions differ by more than blocks, and
/// only more sessions would help.
const GROWTH_MAX: f64 = 3.0;
/// A test's time may shrink at most this much when sessions took longer than planned. Beyond that, there are fewer
/// sessions instead.
const SHRINK_MAX: f64 = 0.5;

/// How much longer the slices of a slice check are.
pub const SLICE_CHECK_FACTOR: f64 = 10.0;

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionPlan {
    /// Number, stage, what is fresh, and the tests in the order in which to run them.
    pub info: SessionInfo,
    /// Seconds for each test that reads, warm-up included. A test that writes gets `Design::write_share` times that.
    pub deadline_seconds_per_test: f64,
}

/// What a run has used of its budget, and how fast its sessions were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// Seconds.
    pub seconds: f64,
    /// What sessions took beside their tests, as a multiple of the planned time; 1 before the first session. It decides
    /// how many sessions fit and how long they are. It cannot bias a ratio, because it depends on no result.
    pub slowness: f64,
}

impl Spent {
    /// A time spent, with sessions as fast as planned.
    pub fn of(seconds: f64) -> Self {
        Self { seconds, slowness: 1.0 }
    }
}

/// The next session, or `None` when nothing is undecided, when the cap is reached, or when the budget would be exceeded.
/// `done` are the sessions begun so far, `undecided` the tests that more sessions could still decide.
pub fn next_session(
    plan: &Plan,
    done: &[SessionInfo],
    undecided: &BTreeSet<String>,
    spent: Spent,
) -> Option<SessionPlan> {
    let ledger = Ledger::new(plan, done, spent);
    ledger.measuring(undecided).or_else(|| ledger.slice_check())
}

/// The tests whose ratio is measured again with ten times longer slices; none where the budget is too small. They are
/// the first of each group, because groups differ in how a switch affects their caches.
pub fn slice_check_tests(plan: &Plan) -> Vec<String> {
    let count = planned_slice_check(plan).map_or(0, |check| check.tests);
    let suitable: Vec<_> = plan.tests.iter().filter(|test| slice_check_suits(test)).collect();
    let mut groups = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) =
        suitable.into_iter().partition(|test| groups.insert(test.group.as_str()));
    first.into_iter().chain(others).take(count).map(|test| test.name.clone()).collect()
}

/// Planned seconds of a session beside its tests. The first session takes longer: it makes the copy and finds the
/// pace.
pub fn planned_overhead_seconds(plan: &Plan, session: &SessionInfo) -> f64 {
    let design = &plan.design;
    let warmup = (design.first_warmup_seconds - design.warmup_seconds).max(0.0) * session.tests.len() as f64;
    let once = once_seconds(design, &plan.scale) - design.timings.create_seconds + warmup;
    let once = if session.number == 0 { once } else { 0.0 };
    let of = |name: &String| plan.tests.iter().find(|test| test.name == *name);
    let settling = settle_seconds(session.tests.iter().filter_map(of), design.session_timings(), &plan.scale);
    let overhead = session_overhead_seconds(&plan.design, &plan.scale) + settling;
    once + session_seconds(overhead, session.tests.len(), 0.0)
}

/// The subjects of a session; empty where all take part.
pub fn session_subjects(plan: &Plan, number: u32) -> Vec<usize> {
    plan.design.incomplete.map_or_else(Vec::new, |incomplete| neighbours(plan.seed, &incomplete, number))
}

pub(crate) fn planned_slice_check(plan: &Plan) -> Option<SliceCheck> {
    let overhead = session_overhead_seconds(&plan.design, &plan.scale);
    slice_check(plan.budget_seconds, &plan.tests, overhead, plan.mode)
}

/// What has been done and what is left.
struct Ledger<'a> {
    plan: &'a Plan,
    done: &'a [SessionInfo],
    /// As in `Spent`.
    slowness: f64,
    left_seconds: f64,
}

impl<'a> Ledger<'a> {
    fn new(plan: &'a Plan, done: &'a [SessionInfo], spent: Spent) -> Self {
        let once = if done.is_empty() { once_seconds(&plan.design, &plan.scale) } else { 0.0 };
        let left_seconds = plan.budget_seconds * (1.0 - RESERVE) - spent.seconds - once;
        Self { plan, done, slowness: spent.slowness, left_seconds }
    }

    fn design(&self) -> &Design {
        &self.plan.design
    }

    fn begun(&self, stage: Stage) -> u32 {
        self.done.iter().filter(|session| session.stage == stage).count() as u32
    }

    /// A screening session of all tests if one is left, else a confirmation session of the undecided ones.
    fn measuring(&self, undecided: &BTreeSet<String>) -> Option<SessionPlan> {
        let design = self.design();
        let left = |stage, each| design.sessions_of_run(each).saturating_sub(self.begun(stage));
        let screening_left = left(Stage::Screening, design.screening_sessions);
        let confirmation_left = left(Stage::Confirmation, design.confirmation_sessions);
        let stage = if screening_left > 0 { Stage::Screening } else { Stage::Confirmation };
        let wanted = |test: &&TestInfo| stage == Stage::Screening || undecided.contains(&test.name);
        let wanted: Vec<&TestInfo> = self.plan.tests.iter().filter(wanted).collect();
        let sessions_left = screening_left + confirmation_left;
        if wanted.is_empty() || sessions_left == 0 {
            return None;
        }
        let unrecorded = self.unrecorded(&wanted);
        let tests: Vec<&TestInfo> = wanted.into_iter().chain(unrecorded.iter().copied()).collect();
        let cell = self.cell_seconds(&tests, sessions_left)?;
        Some(self.session(stage, tests, &unrecorded, cell))
    }

    /// Decided writes that still run, unrecorded, because undecided tests come after them. Those tests read a used
    /// table, and must not read a fresh one as soon as the writes are decided.
    fn unrecorded(&self, wanted: &[&TestInfo]) -> Vec<&'a TestInfo> {
        if !wanted.iter().any(|test| test.phase > Phase::Write) {
            return Vec::new();
        }
        let missing = |test: &&TestInfo| {
            test.phase == Phase::Write && !wanted.iter().any(|other| other.name == test.name)
        };
        self.plan.tests.iter().filter(missing).collect()
    }

    /// An equal share of the time left, within bounds around the planned one. `None` when the least would be too much.
    fn cell_seconds(&self, tests: &[&TestInfo], sessions_left: u32) -> Option<f64> {
        let planned = self.design().seconds_per_test_session;
        let least = (planned * SHRINK_MAX).max(CELL_SECONDS_MIN.min(planned));
        let reserved = self.planned_check().map_or(0.0, |check| check.total_seconds);
        let left = self.left_seconds - reserved;
        let overhead = self.overhead_seconds(tests);
        let shares = shares(tests.iter().copied(), self.design().write_share);
        if overhead + shares * least > left {
            return None;
        }
        // As many sessions as fit with the shortest tests. The rest of the time is shared among them.
        let fit = (left / (overhead + shares * least)).floor().min(f64::from(sessions_left)).max(1.0);
        Some(((left / fit - overhead) / shares).clamp(least, planned * GROWTH_MAX))
    }

    /// Seconds of a session beside these tests, corrected by what earlier sessions took.
    fn overhead_seconds(&self, tests: &[&TestInfo]) -> f64 {
        let Plan { design, scale, .. } = self.plan;
        let settling = settle_seconds(tests.iter().copied(), design.session_timings(), scale);
        let overhead = session_overhead_seconds(design, scale) + settling;
        session_seconds(overhead, tests.len(), 0.0) * self.slowness
    }

    fn slice_check(&self) -> Option<SessionPlan> {
        let check = self.planned_check()?;
        let tests = check.tests as f64 * check.seconds_per_test;
        // The sessions leave exactly this time for the check, except for rounding.
        if tests + (check.total_seconds - tests) * self.slowness > self.left_seconds + 1e-6 {
            return None;
        }
        let chosen = slice_check_tests(self.plan);
        let of = |name: &String| self.plan.tests.iter().find(|test| test.name == *name);
        let tests = chosen.iter().filter_map(of).collect();
        Some(self.session(Stage::SliceCheck, tests, &[], check.seconds_per_test))
    }

    fn planned_check(&self) -> Option<SliceCheck> {
        planned_slice_check(self.plan).filter(|_| self.begun(Stage::SliceCheck) == 0)
    }

    fn session(
        &self,
        stage: Stage,
        mut tests: Vec<&TestInfo>,
        unrecorded: &[&TestInfo],
        cell: f64,
    ) -> SessionPlan {
        let number = self.done.iter().map(|session| session.number + 1).max().unwrap_or(0);
        // Shuffled, so that no test always runs right after a restart, or always after the same other test. The phases
        // stay in their order.
        shuffle(&mut tests, cell_seed(self.plan.seed, "order of tests", number));
        tests.sort_by_key(|test| test.phase);
        let first = number == 0;
        let names = |tests: &[&TestInfo]| tests.iter().map(|test| test.name.clone()).collect();
        SessionPlan {
            info: SessionInfo {
                number,
                stage,
                restarted: first || self.design().restart,
                reloaded: first || self.design().reload,
                tests: names(&tests),
                stretch: self.stretch(stage, cell),
                unrecorded: names(unrecorded),
                subjects: session_subjects(self.plan, number),
            },
            deadline_seconds_per_test: cell,
        }
    }

    /// Blocks as a multiple of an ordinary cell's. A slice check has ten times fewer blocks in the same time.
    fn stretch(&self, stage: Stage, cell: f64) -> f64 {
        let ordinary = cell / self.design().seconds_per_test_session;
        if stage == Stage::SliceCheck { ordinary / SLICE_CHECK_FACTOR } else { ordinary }
    }
}
