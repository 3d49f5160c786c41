//! How a stage says what it is doing, and how it learns that the user has had enough.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use humdrum_model::{Fault, FaultKind};

/// Something a user may want to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update<'a> {
    /// A new thing has begun; stays on the screen.
    Step(&'a str),
    /// Part of a thing is done; replaces the last such line.
    Part {
        /// What.
        what: &'a str,
        /// How much is done.
        done: u64,
        /// Of how much, where that is known.
        total: Option<u64>,
        /// `bytes`, `rows`, …
        unit: &'a str,
    },
    /// Worth a line of its own, beside the steps.
    Note(&'a str),
    /// Worth a line for those who asked for more (`-v`).
    Detail(&'a str),
}

/// Receives updates.
pub trait Progress: Send + Sync {
    /// Takes one update; must be cheap and never fail.
    fn update(&self, update: Update<'_>);
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn update(&self, _update: Update<'_>) {}
}

/// Set by Ctrl-C, looked at wherever something may take long.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Not interrupted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everything that looks to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// The flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether it was set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An `Interrupted` fault once it was set.
    ///
    /// # Errors
    /// When it was set.
    pub fn check(&self) -> Result<(), Fault> {
        if self.is_set() { Err(Fault::new(FaultKind::Interrupted, "interrupted")) } else { Ok(()) }
    }
}
