//! The parts of a design that a user can fix.

use humdrum_model::Mode;

/// The parts of a design that the user fixed. All else follows from the budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// How subjects take turns.
    pub mode: Mode,
    /// Smallest change that matters, a fraction, for all tests.
    pub delta: Option<f64>,
    /// Length of a slice, milliseconds.
    pub slice_ms: Option<f64>,
    /// Sessions in all.
    pub sessions: Option<u32>,
    /// Restart the servers before every session.
    pub restart: Option<bool>,
    /// Load the data anew before every session.
    pub reload: Option<bool>,
    /// Seconds after which an operation counts as hung.
    pub timeout_seconds: Option<f64>,
}
