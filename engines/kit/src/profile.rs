//! The fixed description of an engine: data, and functions of plain data.

use std::path::{Path, PathBuf};

use humdrum_contract::Sizing;
use humdrum_model::Timings;

use crate::catalogue::Catalogue;
use crate::life::Patience;
use crate::memory::Reserve;
use crate::roles::Sessions;
use crate::settings::Options;

/// What is known of an engine beforehand.
pub struct Profile {
    /// As in a subject, lower case.
    pub name: &'static str,
    /// As its makers write it.
    pub title: &'static str,
    /// One line for `humdrum versions`.
    pub about: &'static str,
    /// What a server takes beside what is measured, with the command that measured it.
    pub timings: Timings,
    /// Bytes of data that a server of this size holds in its own cache.
    pub cache_bytes: fn(&Sizing) -> u64,
    /// What a server needs of a memory limit beside that cache. The records that it comes from are beside each engine's definition.
    pub reserve: Reserve,
    /// Releases that can be fetched.
    pub catalogue: Catalogue,
    /// Where the parts of a build lie.
    pub folders: Folders,
    /// Settings and named configurations.
    pub options: Options,
    /// How a server is started and ended.
    pub starting: Starting,
    /// Where a password for an external server is looked for, for someone who gave none.
    pub passwords: &'static str,
    /// The parts of an external server that are touched, as in "only … is touched".
    pub touches: &'static str,
    /// What to type so that two subjects that are running servers do not share it.
    pub apart: &'static str,
}

/// Where the parts of a build lie.
pub struct Folders {
    /// The server, as a path below a build's folder; `None`: the folder has none.
    pub program: fn(&Path) -> Option<PathBuf>,
    /// A program that a build of the user's own must hold and does not, or that cannot be run.
    pub lacks: fn(&Path) -> Option<&'static str>,
    /// What to type instead.
    pub hint: &'static str,
    /// Whether the origin of a user's own build has the whole path of the server, or the path below its folder.
    pub shows_whole_path: bool,
    /// Where an entry of an artifact goes; `None`: it is left out.
    pub wanted: fn(&Path) -> Option<PathBuf>,
    /// Whether a file of Debian's packages is taken, besides libraries.
    pub wanted_of_debian: fn(&Path) -> bool,
    /// Programs of Debian's package of a release, those that may be there.
    pub debian_programs: fn(&str) -> Vec<String>,
}

/// How a server is started and ended.
pub struct Starting {
    /// The socket's name.
    pub socket: &'static str,
    /// The database that sessions begin in.
    pub database: &'static str,
    /// How long it may take.
    pub patience: Patience,
    /// The signal that ends it cleanly.
    pub stop_signal: i32,
    /// What of it serves sessions.
    pub sessions: Sessions,
}
