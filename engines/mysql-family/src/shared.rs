//! The common data of both engines. Fields that differ between them are empty here.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use humdrum_engine_kit::{Catalogue, Entry, Folders, Patience, SCHEMA, Sessions, Starting, Version};

use crate::parts;

/// Releases have three numbers.
pub const CATALOGUE: Catalogue =
    Catalogue { releases: || &[], origin: "", debian_suffix: "", series, is_newer, unknown };

/// Builds of both engines have the same layout.
pub const FOLDERS: Folders = Folders {
    program: parts::program,
    lacks,
    hint: "",
    shows_whole_path: true,
    wanted: parts::wanted,
    wanted_of_debian: parts::wanted_of_debian,
    debian_programs: |_| parts::DEBIAN_PROGRAMS.map(str::to_owned).to_vec(),
};

/// A server is one process; a session is a thread of it.
pub const STARTING: Starting = Starting {
    socket: "mysql.sock",
    database: SCHEMA,
    patience: Patience {
        // A start after a crash replays the log first, and reads pages back for that.
        start_within: Duration::from_secs(300),
        // A first answer comes after 0.3 to 3 s.
        ask_every: Duration::from_millis(10),
        // All dirty pages are flushed on the way out.
        stop_within: Duration::from_secs(180),
    },
    // SIGTERM is the clean shutdown: clients are sent away, pages flushed.
    stop_signal: libc::SIGTERM,
    sessions: Sessions::Threads,
};

/// Where a password is looked for.
pub const PASSWORDS: &str =
    "give a password: in MYSQL_PWD, in ~/.my.cnf (a line `password=…` below `[client]`), or in the URL";

/// What is touched on an external server.
pub const TOUCHES: &str = "its schema `humdrum`";

/// What to type so that two subjects that are running servers do not share it.
pub const APART: &str = "give each subject a server of its own: the schema is one of the whole server";

/// `8.0` and `8` of 8.0.33; a name means the newest release that has it.
fn series(version: &str) -> Vec<String> {
    let number = Version::of(version);
    vec![number.series(), number.0.to_string()]
}

/// Three whole numbers, or it is a typing error.
fn is_newer(version: &str, pinned: &str) -> bool {
    let number = Version::of(version);
    number.to_string() == version && number > Version::of(pinned)
}

fn unknown(engine: &str, near: &[&str], all: &[Entry]) -> String {
    let all: Vec<&str> = all.iter().map(|entry| entry.version.as_str()).collect();
    let known = if near.is_empty() { &all } else { near };
    format!(
        "known are {}; or name the folder of a build of your own: {engine}@/opt/{engine}",
        known.join(", ")
    )
}

fn lacks(folder: &Path) -> Option<&'static str> {
    let program = parts::program(folder).and_then(|program| folder.join(program).metadata().ok());
    let runnable = program.is_some_and(|meta| meta.permissions().mode() & 0o111 != 0);
    (!runnable).then_some("bin/mysqld")
}
