//! The two ways to measure a round: a comparison by the lab, or a command of the user's. The search knows neither.

use std::path::Path;

use humdrum_bisect::{Kind, Session};
use humdrum_model::{Bisect, BisectRatio, Fault};

use super::round::Comparison;
use super::script::Script;
use crate::lab::Lab;

/// What a round told.
pub struct Measured {
    /// Its sessions: in each, the positions that ran, relative to one of them.
    pub sessions: Vec<Session>,
    /// Bad end / good end, where the way has an interval that is better than one from the sessions alone.
    pub ends: Option<BisectRatio>,
    /// Seconds of measuring.
    pub seconds: f64,
    /// Positions that gave no result, and why.
    pub unmeasured: Vec<(usize, String)>,
}

/// How rounds are measured.
pub enum Way {
    /// A test of a suite, by the lab.
    Comparison(Box<Comparison>),
    /// A command that prints a number.
    Script(Box<Script>),
}

impl Way {
    /// Measures a round in a folder of its own, or goes on with it.
    ///
    /// # Errors
    /// What ended it; a fault that names a position's subject is the position's.
    pub fn measure(
        &self,
        lab: &Lab,
        bisect: &Bisect,
        (kind, positions): (Kind, &[usize]),
        folder: &Path,
    ) -> Result<Measured, Fault> {
        match self {
            Self::Comparison(one) => one.measure(lab, bisect, (kind, positions), folder),
            Self::Script(one) => one.measure(lab, bisect, (kind, positions), folder),
        }
    }

    /// What a round on record told.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, bisect: &Bisect, positions: &[usize], folder: &Path) -> Result<Measured, Fault> {
        match self {
            Self::Comparison(_) => Comparison::read(bisect, positions, folder),
            Self::Script(_) => Script::read(folder),
        }
    }
}
