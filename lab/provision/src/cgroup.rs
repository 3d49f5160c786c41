//! Limits the memory of a server, page cache included, with a control group (cgroup) of the kernel.
//!
//! A cgroup is a folder below `/sys/fs/cgroup`. There are two versions of the file system, and a host has the memory
//! controller in one of them:
//!
//! | | version 2 | version 1 |
//! |---|---|---|
//! | limit | `memory.max` | `memory.limit_in_bytes` |
//! | no swap | `memory.swap.max` | `memory.memsw.limit_in_bytes`, `memory.swappiness` |
//! | processes killed inside the limit | `oom_kill` in `memory.events` | `oom_kill` in `memory.oom_control` |
//!
//! Each server gets a cgroup of its own at every start. The guardian puts the server into it before the server's first
//! instruction, and removes it after the last process has ended. The name of a cgroup holds the process that made it, so
//! that what a killed guardian leaves is recognised at the next start.

mod cache;
mod hierarchy;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use humdrum_contract::Outcome;
use humdrum_model::{Fault, memory_text};

pub(crate) use cache::forget_cached;
use hierarchy::{Hierarchy, Version};

use crate::signal;

/// Where the kernel's cgroup file systems are mounted.
const ROOT: &str = "/sys/fs/cgroup";
/// Begins the names of our cgroups.
const PREFIX: &str = "humdrum-";
/// In a server's folder: the path of the file with the counter of its cgroup.
const LIVE: &str = "memory-cgroup";
/// In a server's folder: what that file said when the server had ended. The guardian writes it.
const ENDED: &str = "memory-events";

/// The memory that a server may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Bytes, page cache included.
    pub bytes: u64,
    /// The server's data. What the kernel holds of it in its cache is dropped before a start: it is charged to the
    /// process that read it first, and would not count for the limit.
    pub data: PathBuf,
}

/// A cgroup that was made, with no process in it.
#[derive(Debug)]
pub(crate) struct Cgroup {
    pub(crate) folder: PathBuf,
    version: Version,
}

impl Cgroup {
    /// Takes the process id of one that joins.
    pub(crate) fn procs(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// Holds the counter `oom_kill`.
    pub(crate) fn events(&self) -> PathBuf {
        self.folder.join(self.version.events())
    }

    /// Removes a cgroup that no process has joined.
    pub(crate) fn remove(&self) {
        // An error is ignored: the guardian was faster, or the next start removes it.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Checks that this process can limit the memory of servers, by making a cgroup, moving a process into it and
/// removing it. Cgroups that killed runs have left are removed.
///
/// # Errors
/// Usage, with all that was tried and what to type instead.
pub fn check() -> Outcome<()> {
    let found = host()?;
    found.remove_left();
    Ok(())
}

/// Removes the cgroups that killed runs have left; returns their folders. Where there can be none, does nothing.
pub fn remove_left() -> Vec<PathBuf> {
    let own = own();
    let all = Hierarchy::candidates(Path::new(ROOT), &own);
    all.iter().flat_map(Hierarchy::remove_left).collect()
}

/// Makes a cgroup for the next start of a server whose folder is `home`, and forgets what earlier ones counted.
///
/// # Errors
/// As `check`; environment, when the kernel refuses the limit.
pub(crate) fn make(limit: &Limit, home: &Path) -> Outcome<Cgroup> {
    let hierarchy = host()?;
    let refused = |path: &Path, error: &io::Error| {
        let (path, bytes) = (path.display(), memory_text(limit.bytes));
        Fault::environment(format!("cannot limit a server's memory to {bytes} by {path}: {error}"))
    };
    let cgroup = hierarchy.make(limit.bytes).map_err(|error| refused(&hierarchy.parent, &error))?;
    for note in [LIVE, ENDED].map(|name| home.join(name)) {
        let _ = fs::remove_file(&note);
    }
    let note = home.join(LIVE);
    let new = fs::File::create_new(&note);
    let written = new.and_then(|mut file| file.write_all(cgroup.events().as_os_str().as_encoded_bytes()));
    written.map_err(|error| {
        cgroup.remove();
        refused(&note, &error)
    })?;
    Ok(cgroup)
}

/// Where the guardian of a server with this folder writes what the cgroup counted.
pub(crate) fn ended_note(home: &Path) -> PathBuf {
    home.join(ENDED)
}

/// Why the kernel has killed processes of the server with this folder since its last start; `None` if it has not.
pub fn killed(home: &Path, limit: Option<&Limit>) -> Option<String> {
    let limit = limit?;
    let live = fs::read_to_string(home.join(LIVE)).ok().and_then(|path| fs::read_to_string(path.trim()).ok());
    let text = live.or_else(|| fs::read_to_string(home.join(ENDED)).ok())?;
    (oom_kills(&text) > 0).then(|| format!("killed: out of its memory limit of {}", memory_text(limit.bytes)))
}

/// The counter of processes that were killed because the limit was reached.
fn oom_kills(events: &str) -> u64 {
    let value = |line: &str| line.strip_prefix("oom_kill ").and_then(|number| number.trim().parse().ok());
    events.lines().find_map(value).unwrap_or(0)
}

/// Where cgroups are made on this host; found once.
fn host() -> Outcome<&'static Hierarchy> {
    static FOUND: OnceLock<Outcome<Hierarchy>> = OnceLock::new();
    let found =
        FOUND.get_or_init(|| Hierarchy::usable(Path::new(ROOT), &own()).map_err(|tried| refusal(&tried)));
    found.as_ref().map_err(Clone::clone)
}

/// The cgroups of this process.
fn own() -> String {
    fs::read_to_string("/proc/self/cgroup").unwrap_or_default()
}

fn refusal(tried: &[String]) -> Fault {
    let tried = if tried.is_empty() {
        format!("{ROOT} has no memory controller, neither of version 2 nor of version 1")
    } else {
        tried.join("; ")
    };
    Fault::usage(format!("--memory needs a control group (cgroup), and none can be made here: {tried}")).hint(
        "start humdrum as root, or by `systemd-run --user --scope humdrum ...`; or leave --memory out and see \
         docs/memory.md for settings that pass by the page cache",
    )
}

/// A name that no other process makes.
fn new_name() -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let pid = std::process::id();
    let (started, number) = (signal::started(pid).unwrap_or(0), MADE.fetch_add(1, Ordering::Relaxed));
    format!("{PREFIX}{pid}-{started}-{number}")
}

/// Whether a cgroup of this name was made by a process that has ended.
fn is_left(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let mut parts = rest.split('-').map(|part| part.parse::<u64>().ok());
    let (Some(Some(pid)), Some(Some(started))) = (parts.next(), parts.next()) else { return false };
    u32::try_from(pid).is_ok_and(|pid| signal::started(pid) != Some(started))
}

#[cfg(test)]
mod tests;
