//! What a budget buys: how many sessions, how long each test within one, how long a slice. Decided before
//! measuring and never changed after, because a design that follows its own results costs false alarms.

use humdrum_model::{Design, Mode, Phase, Scale, TestInfo, Timings};

use crate::fresh::Fresh;
use crate::overrides::Overrides;

/// Fewest sessions of the interleaved mode: with 6 confirming, t has 5 degrees of freedom and the interval is
/// 1.3 times what infinitely many would give; with fewer it grows fast.
const SESSIONS_MIN: f64 = 8.0;
/// Most sessions: past 60 the interval shrinks by under 1 % a session while each still costs a restart.
const SESSIONS_MAX: f64 = 60.0;
/// What a test wants of a session, seconds. Measured, A/A on a shared VM: with 0.3 s of blocks what a session's mean lacks by
/// their scatter is about what sessions differ by, so that further time is better spent on a session more; with less,
/// connecting and warming up would take half of it.
const CELL_SECONDS_WANTED: f64 = 0.36;
/// How many times that a test that writes wants. Measured on MySQL 8.0.33, update-nonindex: 20 blocks, which is what
/// half a second holds, left a session's mean 8 % of noise from bursts of purging and flushing, several times what
/// sessions differ by.
const WRITE_SHARE: f64 = 5.5;
/// The sequential mode restarts and loads for every step, and the reference says at least 3 confirm.
const SESSIONS_SEQUENTIAL: f64 = 5.0;
/// Share of the budget kept for stopping servers and for steps that take longer than foreseen.
pub(crate) const RESERVE: f64 = 0.03;
/// Preparing statements and setting up a test, seconds.
pub(crate) const TEST_OVERHEAD_SECONDS: f64 = 0.1;
/// Summing up the contents, seconds per row; the subjects do it at the same time.
const CONTENTS_SECONDS_PER_ROW: f64 = 1.5e-6;
/// Up to so many rows of a subject, contents are summed after every test that writes, else after the last of its
/// phase: a wrong answer is then known of the phase rather than of the test.
const CONTENTS_ROWS_MAX: u64 = 1_000_000;
/// Slices of tests that write. Measured on a shared VM, two servers of one build, A/A, the idle one stopped at every
/// slice: 1.001 ± 0.004 at 10 ms and no better at 30 ms.
const SLICE_MS_WRITES: f64 = 10.0;
/// Shortest test within a session, seconds: 0.08 of warm-up and at least 10 blocks of two 10 ms slices.
pub(crate) const CELL_SECONDS_MIN: f64 = 0.3;
/// Shortest warm-up of a test within a session, seconds. Connections and plans are new, data and code are not: 2000 point
/// queries in all, and what is not warm by then is seen and cut (`warmup.rs` of analyse).
const WARMUP_SECONDS_MIN: f64 = 0.08;
/// A session whose fixed costs exceed this share of its time is a bad bargain: fewer, longer ones then.
const OVERHEAD_SHARE_MAX: f64 = 0.75;
/// Most of the budget that the check with ten times longer slices may take.
const SLICE_CHECK_SHARE: f64 = 0.05;
/// Fewest seconds of a slice check: 60 blocks of two 30 ms slices and a warm-up.
const SLICE_CHECK_SECONDS_MIN: f64 = 4.0;
/// Most seconds of a slice check of one test: 0.5 % is seen by then.
const SLICE_CHECK_SECONDS_MAX: f64 = 20.0;
/// How many tests a slice check looks at: one of each kind of read.
pub(crate) const SLICE_CHECK_TESTS_MAX: usize = 3;
/// From this many seconds a test, half a percent is the smallest change that matters: only then can a true
/// change of 1 % be shown to lie wholly beyond it.
const FINE_SECONDS_PER_TEST: f64 = 120.0;

/// Who is measured, as far as a design depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// How many subjects.
    pub subjects: usize,
    /// What they cost together.
    pub timings: Timings,
}

/// The design for a budget of `budget_seconds`.
pub fn design(
    budget_seconds: f64,
    tests: &[TestInfo],
    measured: &Measured,
    scale: &Scale,
    overrides: &Overrides,
) -> Design {
    let Measured { subjects, timings } = *measured;
    let fresh = Fresh::choose(tests, &timings, scale, overrides);
    let overhead = fresh.session_seconds(&timings, scale);
    let count = tests.len().max(1) as f64;
    let shares = shares(tests, WRITE_SHARE).max(1.0);
    let fixed = overhead + count * TEST_OVERHEAD_SECONDS + settle_seconds(tests, &timings, scale);
    let check = slice_check(budget_seconds, tests, overhead, overrides.mode);
    let usable = budget_seconds * (1.0 - RESERVE)
        - check.map_or(0.0, |check| check.total_seconds)
        - fresh.once_seconds(&timings, scale);
    let sessions = sessions(usable, fixed, shares, overrides);
    let screening = screening(sessions, overrides.mode);
    let cell = ((usable / f64::from(sessions) - fixed) / shares).max(CELL_SECONDS_MIN);
    let slice_ms = slice_ms(cell, subjects, scale, overrides);
    let (delta, delta_writes) = deltas(budget_seconds / count, overrides.delta);
    Design {
        screening_sessions: screening,
        confirmation_sessions: sessions - screening,
        seconds_per_test_session: cell,
        write_share: WRITE_SHARE,
        warmup_seconds: (cell / 6.0).clamp(WARMUP_SECONDS_MIN, 0.5).min(cell / 3.0),
        first_warmup_seconds: (cell / 3.0).min(2.0),
        slice_ms,
        slice_ms_writes: overrides.slice_ms.unwrap_or(SLICE_MS_WRITES),
        guard_ms: slice_ms / 10.0,
        min_operations: 5,
        delta,
        delta_writes,
        target_half_width: delta / 2.0,
        alpha: 0.05,
        restart: fresh.restart,
        reload: fresh.reload,
        copy: fresh.copy,
        timings,
        assumed_session_sd: 0.004,
        timeout_seconds: overrides.timeout_seconds.unwrap_or(30.0),
    }
}

/// Seconds before a session's first test: restart, reconnect and fresh data of all subjects.
pub fn session_overhead_seconds(design: &Design, scale: &Scale) -> f64 {
    Fresh::of(design).session_seconds(&design.timings, scale)
}

/// Seconds that are spent once, before the first session: making servers, loading them, copying what was loaded.
pub fn once_seconds(design: &Design, scale: &Scale) -> f64 {
    Fresh::of(design).once_seconds(&design.timings, scale)
}

/// The smallest budget that pays for the fewest sessions of the shortest tests.
pub fn affordable_seconds(design: &Design, tests: &[TestInfo], scale: &Scale) -> f64 {
    let sessions = f64::from(design.screening_sessions + design.confirmation_sessions);
    let cells = shares(tests, design.write_share) * CELL_SECONDS_MIN;
    let cells = cells + tests.len() as f64 * TEST_OVERHEAD_SECONDS;
    let cells = cells + settle_seconds(tests, &design.timings, scale);
    let sessions = sessions * (session_overhead_seconds(design, scale) + cells);
    (once_seconds(design, scale) + sessions) / (1.0 - RESERVE)
}

/// Whether contents are summed after this test, of those that a session runs.
pub fn sums_contents(test: &TestInfo, session: &[&TestInfo], scale: &Scale) -> bool {
    let rows = scale.rows.saturating_mul(u64::from(scale.tables));
    let last = session.iter().rev().find(|other| other.writes && other.phase == test.phase);
    test.writes && (rows <= CONTENTS_ROWS_MAX || last.is_some_and(|last| last.name == test.name))
}

/// Seconds that a session of these tests spends after those that write.
pub(crate) fn settle_seconds<'a>(
    tests: impl IntoIterator<Item = &'a TestInfo>,
    timings: &Timings,
    scale: &Scale,
) -> f64 {
    let rows = scale.rows.saturating_mul(u64::from(scale.tables));
    let writes: Vec<Phase> = tests.into_iter().filter(|test| test.writes).map(|test| test.phase).collect();
    let phases = [Phase::Write, Phase::Resize].iter().filter(|phase| writes.contains(phase)).count();
    let sums = if rows <= CONTENTS_ROWS_MAX { writes.len() } else { phases };
    let paying = paying_seconds(timings, scale);
    writes.len() as f64 * paying + sums as f64 * rows as f64 * CONTENTS_SECONDS_PER_ROW
}

/// Seconds that all subjects take to pay, one after the other, what a test that writes has left them owing.
pub(crate) fn paying_seconds(timings: &Timings, scale: &Scale) -> f64 {
    let rows = scale.rows as f64 * f64::from(scale.tables);
    timings.settle_seconds + timings.settle_seconds_per_row * rows
}

/// Seconds of a session that measures `tests` reading tests for `cell` seconds each.
pub(crate) fn session_seconds(overhead: f64, tests: usize, cell: f64) -> f64 {
    overhead + tests as f64 * (TEST_OVERHEAD_SECONDS + cell)
}

/// Tests by the time that each has, in reading tests.
pub(crate) fn shares<'a>(tests: impl IntoIterator<Item = &'a TestInfo>, write_share: f64) -> f64 {
    tests.into_iter().map(|test| if test.writes { write_share } else { 1.0 }).sum()
}

/// A look at whether the ratio depends on the slice's length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SliceCheck {
    /// How many tests.
    pub tests: usize,
    /// Seconds of each.
    pub seconds_per_test: f64,
    /// Seconds of the whole session.
    pub total_seconds: f64,
}

/// The slice check that the budget pays for, if any. Recomputed from the plan wherever it is needed, so that it
/// cannot disagree with itself.
pub(crate) fn slice_check(budget: f64, tests: &[TestInfo], overhead: f64, mode: Mode) -> Option<SliceCheck> {
    let eligible = tests.iter().filter(|test| slice_check_suits(test)).count();
    if mode == Mode::Sequential || eligible == 0 {
        return None;
    }
    let room = budget * SLICE_CHECK_SHARE - overhead;
    let affordable = (room / (SLICE_CHECK_SECONDS_MIN + TEST_OVERHEAD_SECONDS)).floor().max(0.0) as usize;
    let chosen = affordable.min(SLICE_CHECK_TESTS_MAX).min(eligible);
    if chosen == 0 {
        return None;
    }
    let seconds_per_test = (room / chosen as f64 - TEST_OVERHEAD_SECONDS).min(SLICE_CHECK_SECONDS_MAX);
    let total_seconds = session_seconds(overhead, chosen, seconds_per_test);
    Some(SliceCheck { tests: chosen, seconds_per_test, total_seconds })
}

/// Long tests have one operation a slice whatever its length; writes would age the tables, and what runs before
/// them is what runs after them once more.
pub(crate) fn slice_check_suits(test: &TestInfo) -> bool {
    !test.long && !test.writes && test.phase != Phase::Fresh
}

/// 18 sessions for 22 tests in four and a half minutes, 60 in twenty: the interval comes from the spread between
/// sessions, so time beyond what a test wants goes into more of them, as far as their restarts let it.
fn sessions(usable: f64, fixed: f64, shares: f64, overrides: &Overrides) -> u32 {
    if let Some(sessions) = overrides.sessions {
        return sessions.max(2);
    }
    if overrides.mode == Mode::Sequential {
        return SESSIONS_SEQUENTIAL as u32;
    }
    let wanted = (usable / (fixed + shares * CELL_SECONDS_WANTED)).round();
    let by_overhead = (usable * OVERHEAD_SHARE_MAX / fixed).floor();
    wanted.min(by_overhead).clamp(SESSIONS_MIN, SESSIONS_MAX) as u32
}

/// Interleaved sessions are short and looked at one by one, so whichever test is decided stops at once, and what looking
/// so often costs is accounted for; screening sessions, of whose evidence the verdict makes no use, would end nothing
/// sooner. With the few and long sessions of the sequential mode the first one screens.
fn screening(sessions: u32, mode: Mode) -> u32 {
    match mode {
        Mode::Interleaved => 0,
        Mode::Sequential => 1.min(sessions - 1),
    }
}

/// (reads, writes). Writes carry the noise of checkpoints and of the device: twice as much.
fn deltas(seconds_per_test: f64, fixed: Option<f64>) -> (f64, f64) {
    match fixed {
        Some(delta) => (delta, delta),
        None if seconds_per_test >= FINE_SECONDS_PER_TEST => (0.005, 0.01),
        None => (0.01, 0.02),
    }
}

/// 3 ms alternates faster than the host's disturbances, which come in bursts of tens of milliseconds, and still
/// holds hundreds of point queries. Measured on a shared VM, A/A, per mirrored pair of blocks: spread of 1.7 to
/// 3.0 % at 10 ms and 1.5 to 1.8 % at 3 ms, so shorter slices say more in the same time, until edges and guards
/// eat the gain. The sequential mode has one slice per subject: its whole share.
///
/// Several clients start and end a slice together, which takes some tens of microseconds on either side: 10 ms keeps
/// that under 1 %.
fn slice_ms(cell: f64, subjects: usize, scale: &Scale, overrides: &Overrides) -> f64 {
    match overrides.mode {
        Mode::Interleaved => overrides.slice_ms.unwrap_or(if scale.clients > 1 { 10.0 } else { 3.0 }),
        Mode::Sequential => cell * 1000.0 / subjects.max(1) as f64,
    }
}
