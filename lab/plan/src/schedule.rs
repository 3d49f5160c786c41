//! Carries out the design one session at a time: which stage, which tests in which order, how long each.

use std::collections::BTreeSet;

use humdrum_model::{Design, Phase, Plan, Scale, SessionInfo, Stage, TestInfo};

use crate::design::{
    RESERVE, SliceCheck, once_seconds, session_overhead_seconds, session_seconds, settle_seconds, shares,
    slice_check, slice_check_suits,
};
use crate::neighbours::neighbours;
use crate::order::{cell_seed, shuffle};
use crate::slices::cell_seconds_min;

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
    let suits = |test: &&TestInfo| slice_check_suits(test, plan.scale.rows);
    let suitable: Vec<_> = plan.tests.iter().filter(suits).collect();
    let mut groups = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) =
        suitable.into_iter().partition(|test| groups.insert(test.group.as_str()));
    first.into_iter().chain(others).take(count).map(|test| test.name.clone()).collect()
}

/// Planned seconds of a session beside its tests. The first session takes longer: it makes the copies. So does the first one on
/// each data set: it finds the pace.
pub fn planned_overhead_seconds(plan: &Plan, session: &SessionInfo) -> f64 {
    let (design, sets, data) = (&plan.design, plan.data_sets(), plan.scale_of_session(session));
    let warmup = (design.first_warmup_seconds - design.warmup_seconds).max(0.0) * session.tests.len() as f64;
    let made = once_seconds(design, &sets) - design.timings.create_seconds;
    let made = if session.number == 0 { made } else { 0.0 };
    // Data sets take turns, so that the first sessions are one on each.
    let warmup = if (session.number as usize) < sets.len() { warmup } else { 0.0 };
    let of = |name: &String| plan.tests.iter().find(|test| test.name == *name);
    let settling = settle_seconds(session.tests.iter().filter_map(of), design.session_timings(), &data);
    let overhead = session_overhead_seconds(design, &data) + settling;
    made + warmup + session_seconds(overhead, session.tests.len(), 0.0)
}

/// The subjects of a session, by the number of earlier ones on its data set; empty where all take part.
pub fn session_subjects(plan: &Plan, earlier: u32) -> Vec<usize> {
    plan.design.incomplete.map_or_else(Vec::new, |incomplete| neighbours(plan.seed, &incomplete, earlier))
}

/// It is on the largest data set, whose caches a switch affects most.
pub(crate) fn planned_slice_check(plan: &Plan) -> Option<SliceCheck> {
    let of_check = (plan.scale.rows, session_overhead_seconds(&plan.design, &plan.scale));
    slice_check(plan.budget_seconds, &plan.tests, of_check, plan.mode)
}

/// A data set that has tests and sessions left.
struct Open<'a> {
    data: Scale,
    /// Sessions so far.
    begun: u32,
    /// Sessions that are left.
    left: u32,
    /// Of its next session.
    stage: Stage,
    /// Of its next session, those included that run unrecorded.
    tests: Vec<&'a TestInfo>,
    unrecorded: Vec<&'a TestInfo>,
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
        let once = if done.is_empty() { once_seconds(&plan.design, &plan.data_sets()) } else { 0.0 };
        let left_seconds = plan.budget_seconds * (1.0 - RESERVE) - spent.seconds - once;
        Self { plan, done, slowness: spent.slowness, left_seconds }
    }

    fn design(&self) -> &Design {
        &self.plan.design
    }

    /// Sessions of a stage that were begun on data of so many rows.
    fn begun(&self, stage: Stage, rows: u64) -> u32 {
        let all = self.done.iter().filter(|session| session.stage == stage);
        all.filter(|session| self.rows_of(session) == rows).count() as u32
    }

    fn rows_of(&self, session: &SessionInfo) -> u64 {
        self.plan.scale_of_session(session).rows
    }

    /// The next session of the data set that had fewest: data sets take turns, so that none lacks sessions where the budget ends.
    fn measuring(&self, undecided: &BTreeSet<String>) -> Option<SessionPlan> {
        let sets = self.plan.data_sets().into_iter();
        let open: Vec<Open<'_>> = sets.filter_map(|data| self.open(data, undecided)).collect();
        let next = open.iter().min_by_key(|one| one.begun)?;
        let cell = self.cell_seconds(&open, next)?;
        Some(self.session(next.stage, next.tests.clone(), &next.unrecorded, cell))
    }

    /// What a data set has left: screening sessions of all its tests, then confirmation sessions of the undecided ones.
    fn open(&self, data: Scale, undecided: &BTreeSet<String>) -> Option<Open<'a>> {
        let design = self.design();
        let begun = [Stage::Screening, Stage::Confirmation].map(|stage| self.begun(stage, data.rows));
        let left = |begun, each| design.sessions_of_run(each).saturating_sub(begun);
        let screening_left = left(begun[0], design.screening_sessions);
        let confirmation_left = left(begun[1], design.confirmation_sessions);
        let stage = if screening_left > 0 { Stage::Screening } else { Stage::Confirmation };
        let wanted = |test: &&TestInfo| {
            let is_open = stage == Stage::Screening || undecided.contains(&test.name);
            is_open && test.has_rows(data.rows)
        };
        let wanted: Vec<&TestInfo> = self.plan.tests.iter().filter(wanted).collect();
        let left = screening_left + confirmation_left;
        if wanted.is_empty() || left == 0 {
            return None;
        }
        let unrecorded = self.unrecorded(&wanted, data.rows);
        let tests = wanted.into_iter().chain(unrecorded.iter().copied()).collect();
        Some(Open { data, begun: begun[0] + begun[1], left, stage, tests, unrecorded })
    }

    /// Decided writes that still run, unrecorded, because undecided tests come after them. Those tests read a used
    /// table, and must not read a fresh one as soon as the writes are decided.
    fn unrecorded(&self, wanted: &[&TestInfo], rows: u64) -> Vec<&'a TestInfo> {
        if !wanted.iter().any(|test| test.phase > Phase::Write) {
            return Vec::new();
        }
        let missing = |test: &&TestInfo| {
            let is_wanted = wanted.iter().any(|other| other.name == test.name);
            test.phase == Phase::Write && test.has_rows(rows) && !is_wanted
        };
        self.plan.tests.iter().filter(missing).collect()
    }

    /// An equal share of the time left, within bounds around the planned one. `None` when the least would be too much for the
    /// next session. A round has a session on each data set; one that has fewer left than the next one's is in fewer rounds.
    fn cell_seconds(&self, open: &[Open<'_>], next: &Open<'_>) -> Option<f64> {
        let planned = self.design().seconds_per_test_session;
        let shortest = cell_seconds_min(self.design(), &self.plan.tests, &self.plan.scale);
        let least = (planned * SHRINK_MAX).max(shortest.min(planned));
        let reserved = self.planned_check().map_or(0.0, |check| check.total_seconds);
        let left = self.left_seconds - reserved;
        let shares_of = |one: &Open<'_>| shares(one.tests.iter().copied(), self.design().write_share);
        if self.overhead_seconds(next) + shares_of(next) * least > left {
            return None;
        }
        let rounds = f64::from(next.left);
        let part = |one: &Open<'_>| f64::from(one.left) / rounds;
        let overhead: f64 = open.iter().map(|one| part(one) * self.overhead_seconds(one)).sum();
        let shares: f64 = open.iter().map(|one| part(one) * shares_of(one)).sum();
        // As many rounds as fit with the shortest tests. The rest of the time is shared among them.
        let fit = (left / (overhead + shares * least)).floor().min(rounds).max(1.0);
        Some(((left / fit - overhead) / shares).clamp(least, planned * GROWTH_MAX))
    }

    /// Seconds of a session beside its tests, corrected by what earlier sessions took.
    fn overhead_seconds(&self, one: &Open<'_>) -> f64 {
        let (design, data, tests) = (self.design(), &one.data, one.tests.iter().copied());
        let overhead =
            session_overhead_seconds(design, data) + settle_seconds(tests, design.session_timings(), data);
        session_seconds(overhead, one.tests.len(), 0.0) * self.slowness
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
        let is_done = self.done.iter().any(|session| session.stage == Stage::SliceCheck);
        planned_slice_check(self.plan).filter(|_| !is_done)
    }

    fn session(
        &self,
        stage: Stage,
        mut tests: Vec<&TestInfo>,
        unrecorded: &[&TestInfo],
        cell: f64,
    ) -> SessionPlan {
        let number = self.done.iter().map(|session| session.number + 1).max().unwrap_or(0);
        let rows = tests.first().map_or(self.plan.scale.rows, |test| self.plan.scale_of(test).rows);
        // Subjects are dealt to the sessions of each data set, so that all are on it equally often.
        let place = self.done.iter().filter(|session| self.rows_of(session) == rows).count() as u32;
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
                subjects: session_subjects(self.plan, place),
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
