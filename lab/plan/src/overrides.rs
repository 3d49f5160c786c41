//! The parts of a design that a user can fix.

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Mode, TestInfo};

/// The parts of a design that the user fixed. All else follows from the budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// How subjects take turns.
    pub mode: Mode,
    /// Smallest change that matters, a fraction, for all tests.
    pub delta: Option<f64>,
    /// Length of a slice, milliseconds.
    pub slice_ms: Option<f64>,
    /// Sessions of each subject.
    pub sessions: Option<u32>,
    /// Restart the servers before every session.
    pub restart: Option<bool>,
    /// Load the data anew before every session.
    pub reload: Option<bool>,
    /// Bring data back from a copy where that is faster than a load.
    pub copy: Option<bool>,
    /// Seconds after which an operation counts as hung.
    pub timeout_seconds: Option<f64>,
}

/// Refuses overrides that would let one session's writes change the tables of the next, or have a session find another one's data.
pub(crate) fn fresh_enough(tests: &[TestInfo], overrides: &Overrides) -> Outcome<()> {
    if overrides.reload == Some(false) && tests.iter().any(|test| test.rows.is_some()) {
        return Err(Fault::usage("several numbers of rows, so that every session makes its own data")
            .hint("leave out `reload = false`, or name one number of rows"));
    }
    match tests.iter().find(|test| test.writes) {
        Some(test) if overrides.reload == Some(false) => {
            Err(Fault::usage(format!("{} changes the data, so that every session needs it fresh", test.name))
                .hint("leave out `reload = false`, or name only tests that read"))
        }
        _ => Ok(()),
    }
}

pub(crate) fn without_contradiction(overrides: &Overrides) -> Outcome<()> {
    if overrides.mode == Mode::Sequential && overrides.restart == Some(false) {
        return Err(Fault::usage(
            "one subject at a time, so that servers cannot keep running between sessions",
        )
        .hint("leave out `restart = false`, or take --mode interleaved"));
    }
    let slice_seconds = overrides.slice_ms.unwrap_or(10.0) / 1000.0;
    if let Some(timeout) = overrides.timeout_seconds.filter(|timeout| *timeout < slice_seconds.max(0.1)) {
        return Err(Fault::usage(format!(
            "a timeout of {timeout} s would end operations that are merely slow"
        ))
        .hint("type --timeout 1s or more"));
    }
    Ok(())
}
