//! Suites of whole steps: their sessions and budgets, and how a step is cut into chunks.

use std::fmt::Write;
use std::ops::Range;

use humdrum_contract::StepWork;
use humdrum_model::{Design, Mode, Plan, Scale, TestInfo};

use crate::design::{Measured, design};
use crate::dry_run::Outlook;
use crate::overrides::Overrides;

/// Sessions by default: the fewest whose interval depends more on data than on assumptions.
const SESSIONS: u32 = 3;

/// The budget as a multiple of the expected time, and its least. No session begins after the budget is spent.
const BUDGET_FACTOR: f64 = 2.0;
const BUDGET_SECONDS_MIN: f64 = 300.0;

/// A statement of a step may wait for a checkpoint or a purge, which statements of other suites never do.
const TIMEOUT_SECONDS: f64 = 300.0;

/// Chunks of a step. There are at least ten, so that a disturbance of a minute hits all subjects. The number is even,
/// so that each subject goes first in half of them.
const CHUNKS_MIN: u64 = 10;
const CHUNKS_MAX: u64 = 300;

/// Length of a chunk in a long step: seconds if it is paced, statements if not.
const CHUNK_SECONDS: u64 = 6;
const CHUNK_STATEMENTS: u64 = 4_000;

/// The design of a suite of steps: each session runs every step once.
pub(crate) fn design_for_steps(
    tests: &[TestInfo],
    measured: &Measured,
    scale: &Scale,
    overrides: &Overrides,
) -> Design {
    let sessions = overrides.sessions.unwrap_or(SESSIONS);
    let same = Overrides { sessions: Some(sessions), ..overrides.clone() };
    Design {
        screening_sessions: 0,
        confirmation_sessions: sessions,
        restart: true,
        reload: true,
        copy: false,
        timeout_seconds: overrides.timeout_seconds.unwrap_or(TIMEOUT_SECONDS),
        ..design(BUDGET_SECONDS_MIN, tests, measured, scale, &same)
    }
}

/// The budget for a design whose subjects are expected to take `seconds` each in a session.
pub(crate) fn budget_for_steps(seconds: f64, design: &Design, subjects: usize) -> f64 {
    let at_once = design.incomplete.map_or(subjects as f64, |incomplete| f64::from(incomplete.subjects));
    let sessions = f64::from(design.sessions_max());
    (seconds * at_once * sessions * BUDGET_FACTOR).max(BUDGET_SECONDS_MIN)
}

/// How many chunks a step has.
pub fn chunks(work: &StepWork, mode: Mode) -> u64 {
    if mode == Mode::Sequential || !work.chunked {
        return 1;
    }
    let wanted = match work.rows_per_second {
        Some(rate) => work.statements * work.rows_per_statement / rate.max(1) / CHUNK_SECONDS,
        None => work.statements / CHUNK_STATEMENTS,
    };
    let even = wanted.clamp(CHUNKS_MIN, CHUNKS_MAX).min(work.statements) / 2 * 2;
    even.max(1)
}

/// The statements of one chunk.
pub fn chunk(work: &StepWork, chunks: u64, index: u64) -> Range<u64> {
    let edge = |index: u64| (u128::from(work.statements) * u128::from(index) / u128::from(chunks)) as u64;
    edge(index)..edge(index + 1)
}

/// The disk and time that a run of whole steps needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepNeed {
    /// Bytes of data of one subject.
    pub bytes_per_subject: u64,
    /// Seconds of one subject's steps, roughly.
    pub seconds_per_subject: f64,
    /// Why subjects take turns as they do.
    pub why: String,
}

impl StepNeed {
    /// Bytes of disk at most, where so many of the plan's subjects have their data on this host.
    pub fn disk_bytes(&self, plan: &Plan, subjects: u64) -> u64 {
        let held = if plan.mode == Mode::Sequential { subjects.min(1) } else { subjects };
        self.bytes_per_subject.saturating_mul(held)
    }
}

/// The plan in words.
pub fn dry_run_steps(plan: &Plan, need: &StepNeed, outlook: &Outlook) -> String {
    let mut text = crate::dry_run::head(plan);
    let sessions = plan.design.sessions_max();
    let subjects = plan.subjects.len() as u64;
    let at_once = plan.design.incomplete.map_or(subjects, |incomplete| u64::from(incomplete.subjects));
    let names: Vec<&str> = plan.tests.iter().map(|test| test.name.as_str()).collect();
    let more: Vec<String> = plan.scale.more.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mode = match plan.mode {
        Mode::Interleaved => "interleaved in chunks",
        Mode::Sequential => "sequential, one subject at a time",
    };
    let minutes = need.seconds_per_subject * at_once as f64 * f64::from(sessions) / 60.0;
    let disk = need.disk_bytes(plan, subjects).div_ceil(1 << 20);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "sizes                 {}", more.join(", "));
    let _ = writeln!(text, "steps                 {}: {}", names.len(), names.join(", "));
    let _ = writeln!(
        text,
        "schedule              at most {sessions} sessions of every step, {mode}: {}",
        need.why
    );
    if let Some(spread) = crate::dry_run::spread(plan) {
        let _ = writeln!(text, "subjects              {spread}");
    }
    let _ = writeln!(
        text,
        "length                about {minutes:.0} min of a budget of {:.0} min",
        plan.budget_seconds / 60.0
    );
    let _ = writeln!(text, "disk                  {disk} MiB");
    let _ = writeln!(text, "{}", crate::dry_run::interval(plan, outlook));
    text
}

#[cfg(test)]
mod tests {
    use humdrum_contract::Counts;

    use super::*;

    fn work(statements: u64, rows_per_second: Option<u64>) -> StepWork {
        StepWork {
            counts: Counts::Rows,
            statements,
            rows_per_statement: 50,
            rows_per_second,
            chunked: true,
            look_up_every: 1000,
            bursts: false,
        }
    }

    #[test]
    fn chunks_are_even_and_of_seconds() {
        let of = |work: StepWork| chunks(&work, Mode::Interleaved);
        assert_eq!(of(work(30_000, None)), 10);
        assert_eq!(of(work(300_000, None)), 74);
        // An hour at 1000 rows a second.
        assert_eq!(of(work(72_000, Some(1000))), 300);
        assert_eq!((of(work(4, Some(100))), of(work(1, None))), (4, 1));
        assert_eq!(chunks(&work(30_000, None), Mode::Sequential), 1);
    }

    #[test]
    fn chunks_cover_the_step_once() {
        for (statements, count) in [(30_000, 10), (7, 4), (1, 1)] {
            let work = work(statements, None);
            let all: Vec<u64> = (0..count).flat_map(|index| chunk(&work, count, index)).collect();
            assert_eq!(all, (0..statements).collect::<Vec<u64>>());
        }
    }
}
