//! Several builds of each subject from the same sources. They differ only in where their code lies, which alone changes an
//! operation's time by a percent or so. Each run of a result has builds of its own, so that its intervals cover that.

use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::subject::{Setting, Subject};

/// The setting of a build that is the seed of its layout.
pub const LAYOUT: &str = "layout";

/// Which of several builds a run measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Builds {
    /// How many of each subject there are to be.
    pub of: u32,
    /// The layout of this run's, from 1.
    pub number: u32,
}

/// Most builds of one subject. Subjects have seeds that far apart, so that two of the same sources are other builds.
pub const BUILDS_MAX: u32 = 64;

impl Builds {
    /// The seed of a subject's layout.
    pub fn layout(&self, subject: usize) -> u32 {
        BUILDS_MAX * subject as u32 + self.number
    }
}

impl Plan {
    /// A subject as its engine gets it in this run.
    pub fn for_engine(&self, subject: usize) -> Subject {
        let mut asked = self.subjects[subject].for_engine();
        if let Some(builds) = self.builds {
            asked
                .settings
                .push(Setting::Value { key: LAYOUT.into(), value: builds.layout(subject).to_string() });
        }
        asked
    }

    /// The plan of a further run of the same results: other work, other orders and, where there are several, other builds.
    #[must_use]
    pub fn again(&self, number: u32) -> Self {
        let builds = self.builds.map(|builds| Builds { number: builds.number + number, ..builds });
        Self { seed: self.seed.wrapping_add(u64::from(number)), builds, ..self.clone() }
    }
}
