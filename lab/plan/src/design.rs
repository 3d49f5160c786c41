//! What a budget buys: how many sessions, how long each test within one, how long a slice. The design is decided before
//! measuring and never changed after, because a design that follows its own results causes false alarms.

use humdrum_model::{Design, Incomplete, Mode, Phase, Scale, TestInfo, Timings, data_sets};

use crate::fresh::Fresh;
use crate::overrides::Overrides;
use crate::slices::{WARMUP_SECONDS_MIN, cell_seconds_min, slices};

/// Fewest sessions. With 6 confirmation sessions, t has 5 degrees of freedom and the interval is
/// 1.3 times what infinitely many would give. With fewer it grows fast.
const SESSIONS_MIN: f64 = 8.0;
/// Most sessions. Beyond 120 the interval shrinks by under half a percent a session, while each needs a restart.
const SESSIONS_MAX: f64 = 120.0;
/// Seconds that a test should have in a session. Measured, A/A on a shared VM (docs/host-effects.md): the start of a server
/// moves a ratio by 1 to 4 %, a connection by 1 to 2 %, a block by 3 to 9 %. So a minute is best spent on many sessions of
/// several connections. With fewer seconds, connecting and warming up would take more than half of the time.
const CELL_SECONDS_WANTED: f64 = 0.27;
/// Seconds that a connection should have, warm-up included.
const CONNECTION_SECONDS_WANTED: f64 = 0.09;
/// Most connections of a test in a session. More would average what differs between starts of the server no better.
const CONNECTIONS_MAX: f64 = 8.0;
/// A test that writes gets this many times the time of one that reads. Measured on MySQL 8.0.33, update-nonindex: after
/// half a second, which is 20 blocks, a session's mean had 8 % of noise from bursts of purging and flushing, several
/// times the spread between sessions.
const WRITE_SHARE: f64 = 7.0;
/// Share of the budget kept for stopping servers and for steps that take longer than planned.
pub(crate) const RESERVE: f64 = 0.03;
/// Seconds for setting up a test and preparing its statements, on all its connections.
pub(crate) const TEST_OVERHEAD_SECONDS: f64 = 0.07;
/// Seconds per row for summing the contents, which all subjects do at the same time.
const CONTENTS_SECONDS_PER_ROW: f64 = 1.5e-6;
/// Most rows of a subject with which contents are summed after every test that writes. With more, they are summed after
/// the last test of a phase, and a wrong answer is blamed on the phase instead of the test.
const CONTENTS_ROWS_MAX: u64 = 1_000_000;
/// Largest share of a session's time that may pass beside its tests. Otherwise there are fewer and longer sessions.
const OVERHEAD_SHARE_MAX: f64 = 0.75;
/// Most of the budget that the check with ten times longer slices may take.
const SLICE_CHECK_SHARE: f64 = 0.05;
/// Fewest seconds of a slice check of one test: 60 blocks of two 30 ms slices and a warm-up. Of sixteen clients, whose slices are
/// 400 ms then, it is four blocks.
const SLICE_CHECK_SECONDS_MIN: f64 = 4.0;
/// Most seconds of a slice check of one test, enough to see 0.5 %.
const SLICE_CHECK_SECONDS_MAX: f64 = 20.0;
/// Most tests of a slice check: one of each kind of read.
pub(crate) const SLICE_CHECK_TESTS_MAX: usize = 3;
/// From this many seconds per test, the smallest change that matters is half a percent. With less time, a change of 1 %
/// could not be shown to exceed it.
const FINE_SECONDS_PER_TEST: f64 = 120.0;

/// Sd between sessions that a dry run assumes, as a fraction: the median of 22 tests on a shared VM
/// (records/2026-11-24-epyc-zen4-vm-2-cores).
const ASSUMED_SESSION_SD: f64 = 0.015;
/// The same where one subject has the host at a time: three times as much. `cargo xtask bench luck` computes it from
/// interleaved runs, as the spread of one subject's level in a session against the base's in the session before.
const ASSUMED_SESSION_SD_SEQUENTIAL: f64 = 0.045;

/// What a design depends on of the subjects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Their timings, added up.
    pub timings: Timings,
    /// How they are spread over sessions.
    pub incomplete: Option<Incomplete>,
}

impl Measured {
    /// Of subjects with these timings.
    pub(crate) fn of(timings: &[Timings], incomplete: Option<Incomplete>) -> Self {
        Self { timings: timings.iter().copied().sum(), incomplete }
    }
}

/// The design for a budget of `budget_seconds`.
pub fn design(
    budget_seconds: f64,
    tests: &[TestInfo],
    measured: &Measured,
    scale: &Scale,
    overrides: &Overrides,
) -> Design {
    let Measured { timings, incomplete } = *measured;
    let session = incomplete.map_or(timings, |incomplete| incomplete.timings);
    let fresh = Fresh::choose(tests, &session, scale, overrides);
    let alone = overrides.mode == Mode::Sequential;
    let made_anew =
        |timings: Timings| if alone && fresh.loads_anew() { timings.made_anew() } else { timings };
    let (timings, session) = (made_anew(timings), made_anew(session));
    // What follows is of a round: one session on each data set.
    let sets = data_sets(tests, scale);
    let overhead: f64 = sets.iter().map(|data| fresh.session_seconds(&session, data)).sum();
    let count = tests.len().max(1) as f64;
    let shares = shares(tests, WRITE_SHARE).max(1.0);
    let fixed = overhead + count * TEST_OVERHEAD_SECONDS + settle_seconds(tests, &session, scale);
    let of_check = (scale.rows, fresh.session_seconds(&session, scale));
    let check = slice_check(budget_seconds, tests, of_check, overrides.mode);
    let usable = budget_seconds * (1.0 - RESERVE)
        - check.map_or(0.0, |check| check.total_seconds)
        - fresh.once_seconds(&timings, &sets);
    // What is left for one session of every subject: several sessions, where each has some of the subjects only.
    let usable = usable / incomplete.map_or(1.0, |incomplete| incomplete.round());
    let slices = slices(scale, overrides);
    let shortest = cell_seconds_min(&slices, tests, scale);
    let sessions = sessions(usable, fixed, (shares, shortest), overrides);
    let cell = ((usable / f64::from(sessions) - fixed) / shares).max(shortest);
    let (delta, delta_writes) = deltas(budget_seconds / count, overrides.delta);
    Design {
        // Sessions are short, and tests are judged after each, so that a decided test stops at once; the analysis corrects for
        // judging often. Screening, whose data verdicts cannot use, would save nothing.
        screening_sessions: 0,
        confirmation_sessions: sessions,
        seconds_per_test_session: cell,
        write_share: WRITE_SHARE,
        warmup_seconds: (cell / 6.0).clamp(WARMUP_SECONDS_MIN, 0.5).min(cell / 3.0),
        connections: connections(cell, tests, scale),
        first_warmup_seconds: (cell / 3.0).min(2.0),
        min_operations: 5,
        delta,
        delta_writes,
        target_half_width: delta / 2.0,
        alpha: 0.05,
        restart: fresh.restart,
        reload: fresh.reload,
        copy: fresh.copy,
        timings,
        incomplete,
        assumed_session_sd: if alone { ASSUMED_SESSION_SD_SEQUENTIAL } else { ASSUMED_SESSION_SD },
        timeout_seconds: overrides.timeout_seconds.unwrap_or(30.0),
        ..slices
    }
}

/// Seconds before the first test of a session on data of this scale: its subjects are restarted, connected and given fresh data.
pub fn session_overhead_seconds(design: &Design, scale: &Scale) -> f64 {
    Fresh::of(design).session_seconds(design.session_timings(), scale)
}

/// The same of a round, which has a session on each of these data sets.
pub(crate) fn round_overhead_seconds(design: &Design, sets: &[Scale]) -> f64 {
    sets.iter().map(|data| session_overhead_seconds(design, data)).sum()
}

/// Seconds before the first session: servers are made, loaded with these data sets, and their data copied.
pub fn once_seconds(design: &Design, sets: &[Scale]) -> f64 {
    Fresh::of(design).once_seconds(&design.timings, sets)
}

/// The smallest budget that buys the fewest sessions of the shortest tests.
pub fn affordable_seconds(design: &Design, tests: &[TestInfo], scale: &Scale) -> f64 {
    let (sets, rounds) = (data_sets(tests, scale), f64::from(design.sessions_max()));
    let cells = shares(tests, design.write_share) * cell_seconds_min(design, tests, scale);
    let cells = cells + tests.len() as f64 * TEST_OVERHEAD_SECONDS;
    let cells = cells + settle_seconds(tests, design.session_timings(), scale);
    let sessions = rounds * (round_overhead_seconds(design, &sets) + cells);
    (once_seconds(design, &sets) + sessions) / (1.0 - RESERVE)
}

/// Whether contents are summed after `test`, at its scale, in a session of these tests.
pub fn sums_contents(test: &TestInfo, session: &[&TestInfo], scale: &Scale) -> bool {
    let rows = scale.rows.saturating_mul(u64::from(scale.tables));
    let last = session.iter().rev().find(|other| other.writes && other.phase == test.phase);
    test.writes && (rows <= CONTENTS_ROWS_MAX || last.is_some_and(|last| last.name == test.name))
}

/// Seconds that are spent after tests that write, in one session on each of their data sets.
pub(crate) fn settle_seconds<'a>(
    tests: impl IntoIterator<Item = &'a TestInfo>,
    timings: &Timings,
    scale: &Scale,
) -> f64 {
    let writes: Vec<&TestInfo> = tests.into_iter().filter(|test| test.writes).collect();
    let of_session = |data: &Scale| {
        let rows = data.rows.saturating_mul(u64::from(data.tables));
        let own = writes.iter().filter(|test| test.has_rows(data.rows));
        let own: Vec<Phase> = own.map(|test| test.phase).collect();
        let phases = [Phase::Write, Phase::Resize].iter().filter(|phase| own.contains(phase)).count();
        let sums = if rows <= CONTENTS_ROWS_MAX { own.len() } else { phases };
        let paying = paying_seconds(timings, data);
        own.len() as f64 * paying + sums as f64 * rows as f64 * CONTENTS_SECONDS_PER_ROW
    };
    data_sets(writes.iter().copied(), scale).iter().map(of_session).sum()
}

/// Seconds in which all subjects, one after the other, pay their debts of a test that writes.
pub(crate) fn paying_seconds(timings: &Timings, scale: &Scale) -> f64 {
    let rows = scale.rows as f64 * f64::from(scale.tables);
    timings.settle_seconds + timings.settle_seconds_per_row * rows
}

/// Seconds of a session that measures `tests` reading tests for `cell` seconds each.
pub(crate) fn session_seconds(overhead: f64, tests: usize, cell: f64) -> f64 {
    overhead + tests as f64 * (TEST_OVERHEAD_SECONDS + cell)
}

/// The number of tests, weighted by their time: one that reads counts 1, one that writes `write_share`.
pub(crate) fn shares<'a>(tests: impl IntoIterator<Item = &'a TestInfo>, write_share: f64) -> f64 {
    tests.into_iter().map(|test| if test.writes { write_share } else { 1.0 }).sum()
}

/// A check of whether the ratio depends on the slice's length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SliceCheck {
    /// How many tests.
    pub tests: usize,
    /// Seconds of each.
    pub seconds_per_test: f64,
    /// Seconds of the whole session.
    pub total_seconds: f64,
}

/// The slice check that the budget buys, if any: a session on data of so many rows, which takes so many seconds beside its tests.
/// It is computed from the plan wherever it is needed, so that there is no second copy to disagree with.
pub(crate) fn slice_check(
    budget: f64,
    tests: &[TestInfo],
    (rows, overhead): (u64, f64),
    mode: Mode,
) -> Option<SliceCheck> {
    let eligible = tests.iter().filter(|test| slice_check_suits(test, rows)).count();
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

/// Whether a test can have a slice check on data of so many rows. Long tests have one operation a slice whatever its length.
/// Writes would wear the tables. Reads of fresh data are the same tests as reads of used data.
pub(crate) fn slice_check_suits(test: &TestInfo, rows: u64) -> bool {
    !test.long && !test.writes && test.phase != Phase::Fresh && test.has_rows(rows)
}

/// The number of sessions: 18 for 22 tests in four and a half minutes, 60 in twenty. The interval comes from the spread
/// between sessions, so that further time goes into more sessions, as far as their restarts allow. `shortest` are the seconds of a
/// test that no session may be without.
fn sessions(usable: f64, fixed: f64, (shares, shortest): (f64, f64), overrides: &Overrides) -> u32 {
    if let Some(sessions) = overrides.sessions {
        return sessions.max(2);
    }
    let wanted = (usable / (fixed + shares * CELL_SECONDS_WANTED.max(shortest))).round();
    let by_overhead = (usable * OVERHEAD_SHARE_MAX / fixed).floor();
    // Rounding up must not make sessions too short for the shortest tests.
    let by_shortest = (usable / (fixed + shares * shortest)).floor();
    wanted.min(by_overhead).min(by_shortest).clamp(SESSIONS_MIN, SESSIONS_MAX) as u32
}

/// How many connections a client of a test that reads has in a session, one after the other. Several clients have
/// several at a time.
fn connections(cell: f64, tests: &[TestInfo], scale: &Scale) -> u32 {
    let wanted = (cell / CONNECTION_SECONDS_WANTED).round().clamp(1.0, CONNECTIONS_MAX);
    let own_clients = tests.iter().any(|test| test.clients.is_some());
    let clients = if own_clients { 1 } else { scale.clients.max(1) };
    (wanted as u32).div_ceil(clients)
}

/// δ of reads and of writes. It is twice as large for writes, which have the noise of checkpoints and of the device.
fn deltas(seconds_per_test: f64, fixed: Option<f64>) -> (f64, f64) {
    match fixed {
        Some(delta) => (delta, delta),
        None if seconds_per_test >= FINE_SECONDS_PER_TEST => (0.005, 0.01),
        None => (0.01, 0.02),
    }
}
