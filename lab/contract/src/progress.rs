//! How a stage reports its progress, and how it learns that the user wants to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use humdrum_model::{Fault, FaultKind};

/// Something a user may want to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update<'a> {
    /// A new step has begun; stays on the screen.
    Step(&'a str),
    /// Part of a step is done; replaces the last such line.
    Part {
        /// What.
        what: &'a str,
        /// How much is done.
        done: u64,
        /// The total, if it is known.
        total: Option<u64>,
        /// `bytes`, `rows`, …
        unit: &'a str,
    },
    /// A line of its own, beside the steps.
    Note(&'a str),
    /// A line that is shown with `-v`.
    Detail(&'a str),
}

/// Receives updates.
pub trait Progress: Send + Sync {
    /// Takes one update; must be cheap and never fail.
    fn update(&self, update: Update<'_>);
}

/// Ignores all updates.
pub struct Silent;

impl Progress for Silent {
    fn update(&self, _update: Update<'_>) {}
}

/// A flag that Ctrl-C sets. It is checked wherever something may take long.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Not interrupted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag, so that everything that checks it stops.
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
