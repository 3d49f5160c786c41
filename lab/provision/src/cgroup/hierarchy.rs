//! Finds the folder in which this process can make cgroups.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Cgroup, is_left, new_name};
use crate::program;

/// A limit that no process reaches, for a trial.
const TRIAL_BYTES: u64 = 1 << 30;

/// The version of the kernel's cgroup file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

impl Version {
    /// The file that holds the counter `oom_kill`.
    pub(super) fn events(self) -> &'static str {
        match self {
            Self::One => "memory.oom_control",
            Self::Two => "memory.events",
        }
    }

    fn limit(self) -> &'static str {
        match self {
            Self::One => "memory.limit_in_bytes",
            Self::Two => "memory.max",
        }
    }
}

/// A folder in which cgroups with a limit of memory are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hierarchy {
    pub(super) version: Version,
    pub(super) parent: PathBuf,
}

impl Hierarchy {
    /// The first candidate in which a cgroup can be made and joined.
    ///
    /// # Errors
    /// What was tried, and why each attempt failed.
    pub(super) fn usable(root: &Path, own: &str) -> Result<Self, Vec<String>> {
        let mut tried = Vec::new();
        for candidate in Self::candidates(root, own) {
            match candidate.try_out() {
                Ok(()) => return Ok(candidate),
                Err(error) => tried.push(format!("{}: {error}", candidate.parent.display())),
            }
        }
        Err(tried)
    }

    /// Folders that may do, best first. `own` is the text of `/proc/self/cgroup`.
    pub(super) fn candidates(root: &Path, own: &str) -> Vec<Self> {
        let unified = [root.to_path_buf(), root.join("unified")];
        match unified.iter().find(|mount| lists_memory(&mount.join("cgroup.controllers"))) {
            Some(mount) => Self::of_version_2(mount, own),
            None => Self::of_version_1(&root.join("memory"), own),
        }
    }

    /// Our own cgroup and those above it which give the memory controller to the cgroups in them. A cgroup that has
    /// processes cannot, so that it is one above ours as a rule.
    fn of_version_2(mount: &Path, own: &str) -> Vec<Self> {
        let path = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
        let here = below(mount, path);
        let above = here.ancestors().take_while(|folder| folder.starts_with(mount));
        let able = above.filter(|folder| lists_memory(&folder.join("cgroup.subtree_control")));
        able.map(|folder| Self { version: Version::Two, parent: folder.to_path_buf() }).collect()
    }

    /// Our own cgroup: limits on it hold for those in it too.
    fn of_version_1(mount: &Path, own: &str) -> Vec<Self> {
        let parts = own.lines().map(|line| line.splitn(3, ':').collect::<Vec<_>>());
        let path = parts
            .filter(|parts| parts.len() == 3 && parts[1].split(',').any(|name| name == "memory"))
            .map(|parts| parts[2].to_owned())
            .next();
        let parent = below(mount, path.as_deref().unwrap_or("/"));
        let has = parent.join(Version::One.limit()).exists();
        has.then_some(Self { version: Version::One, parent }).into_iter().collect()
    }

    /// Makes a cgroup with this limit, and without swap: a server that swaps would have more memory than its limit.
    ///
    /// # Errors
    /// The kernel's, when the folder or its limit cannot be written.
    pub(super) fn make(&self, bytes: u64) -> io::Result<Cgroup> {
        let cgroup = Cgroup { folder: self.parent.join(new_name()), version: self.version };
        fs::create_dir(&cgroup.folder)?;
        let limit = fs::write(cgroup.folder.join(self.version.limit()), bytes.to_string());
        if let Err(error) = limit {
            cgroup.remove();
            return Err(error);
        }
        let no_swap = match self.version {
            Version::One => {
                [("memory.memsw.limit_in_bytes", bytes.to_string()), ("memory.swappiness", "0".into())]
            }
            Version::Two => [("memory.swap.max", "0".into()), ("memory.oom.group", "0".into())],
        };
        for (file, value) in no_swap {
            // Errors are ignored: kernels without swap accounting lack these files.
            let _ = fs::write(cgroup.folder.join(file), value);
        }
        Ok(cgroup)
    }

    /// Makes a cgroup, moves a process into it, and removes it.
    fn try_out(&self) -> io::Result<()> {
        let cgroup = self.make(TRIAL_BYTES)?;
        let moved = (|| {
            let mut sleeper = Command::new("sleep");
            sleeper.arg("60").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = program::forking(|| sleeper.spawn())?;
            let moved = fs::write(cgroup.procs(), child.id().to_string());
            child.kill()?;
            child.wait()?;
            moved
        })();
        cgroup.remove();
        moved
    }

    /// Removes the cgroups in this folder whose makers have ended; returns those that are gone. The kernel keeps one that
    /// still has processes.
    pub(super) fn remove_left(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.parent).into_iter().flatten().flatten();
        let left = entries.filter(|entry| is_left(&entry.file_name().to_string_lossy()));
        left.map(|entry| entry.path()).filter(|folder| fs::remove_dir(folder).is_ok()).collect()
    }
}

/// The folder of a cgroup. In a container the kernel may tell a path that is not mounted there: then the mount itself.
fn below(mount: &Path, path: &str) -> PathBuf {
    let folder = mount.join(path.trim_start_matches('/'));
    let inside = !path.split('/').any(|part| part == "..") && folder.is_dir();
    if inside { folder } else { mount.to_path_buf() }
}

fn lists_memory(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.split_whitespace().any(|name| name == "memory"))
}
