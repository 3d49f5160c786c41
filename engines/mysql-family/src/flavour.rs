//! In what MySQL and MariaDB differ, for this lab.

use std::fmt;

use humdrum_contract::Sizing;
use humdrum_model::Timings;

use crate::catalogue::Entry;
use crate::settings::{Line, Named};
use crate::version::Version;

/// One engine of the family.
pub struct Flavour {
    /// As in a subject.
    pub name: &'static str,
    /// As its makers write it.
    pub title: &'static str,
    /// One line for `humdrum versions`.
    pub about: &'static str,
    /// The catalogue, oldest first.
    pub releases: fn() -> &'static [Entry],
    /// Whether a server or a program that says this of its version is of this engine.
    pub is_of: fn(&str) -> bool,
    /// How a server's data is made.
    pub first_life: fn(Version) -> FirstLife,
    /// Statements that make the lab's account and close the others, one per line; may run twice.
    pub accounts: fn(Version, &str) -> Vec<String>,
    /// Named configurations, alphabetical.
    pub named: &'static [Named],
    /// The one that a release gets when none is named.
    pub default_configuration: fn(Version) -> &'static str,
    /// Settings common to all named configurations.
    pub common: fn(&Sizing) -> Vec<Line>,
    /// What a server costs beside what is measured.
    pub timings: Timings,
    /// Settings without which a server would be reached otherwise than over its socket.
    pub closed: &'static [Line],
}

/// How a server's data is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstLife {
    /// The server does it itself when asked to.
    Initialise,
    /// The server is fed statements that make its system tables.
    Bootstrap {
        /// Files of the build's `share`, in order; several names where they were renamed, none where it may lack
        /// them (`?` in front).
        files: &'static [&'static str],
        /// Statements before those.
        before: &'static str,
        /// Statements after those.
        after: &'static str,
    },
}

impl fmt::Debug for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flavour").field("name", &self.name).finish_non_exhaustive()
    }
}
