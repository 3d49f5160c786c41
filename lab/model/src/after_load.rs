//! Statements that one subject runs after each of its loads: `+after_load=FILE`. With them a subject differs from another in
//! its indexes or statistics, and in nothing else.

use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::subject::{Setting, Subject};

/// The setting whose value is the file with the statements.
pub const AFTER_LOAD: &str = "after_load";

/// A statement and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedStatement {
    /// `FILE:LINE:COLUMN`.
    pub place: String,
    /// Its text, without the semicolon.
    pub text: String,
}

/// What one subject runs after its loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AfterLoad {
    /// The subject's label.
    pub subject: String,
    /// In order.
    pub statements: Vec<PlacedStatement>,
}

impl Subject {
    /// The file with the statements that it runs after its loads.
    pub fn after_load(&self) -> Option<&str> {
        self.settings.iter().rev().find_map(|setting| match setting {
            Setting::Value { key, value } if key == AFTER_LOAD => Some(value.as_str()),
            _ => None,
        })
    }
}

impl Plan {
    /// The statements that a subject runs after its loads; none for most.
    pub fn after_load_of(&self, subject: usize) -> &[PlacedStatement] {
        let label = self.subjects.get(subject).map(|subject| &subject.label);
        let own = self.after_load.iter().find(|one| Some(&one.subject) == label);
        own.map_or(&[], |one| &one.statements)
    }
}
