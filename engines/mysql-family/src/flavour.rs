//! The differences between MySQL and MariaDB for this lab.

use std::fmt;

use humdrum_engine_kit::{Line, Profile, Recipe, Version};
use humdrum_mysql_session::TellsRows;

/// One engine of the family.
pub struct Flavour {
    /// Its description for the kit.
    pub profile: Profile,
    /// How it is built from sources.
    pub recipe: &'static Recipe,
    /// Names for files of a workload that are for this engine alone, the most specific one first.
    pub names: &'static [&'static str],
    /// Whether a server or a program that says this of its version is of this engine.
    pub is_of: fn(&str) -> bool,
    /// How a server's data is made.
    pub first_life: fn(Version) -> FirstLife,
    /// Statements that make the lab's account and close the others, one per line; may run twice.
    pub accounts: fn(Version, &str) -> Vec<String>,
    /// How a release tells the actual rows of a plan's steps.
    pub tells_rows: fn(Version) -> TellsRows,
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
        f.debug_struct("Flavour").field("name", &self.profile.name).finish_non_exhaustive()
    }
}
