//! The cgroups of servers whose memory is limited.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::processes::descendants;

/// The cgroup of a process, if humdrum made it.
pub fn cgroup(pid: u32) -> Option<PathBuf> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let ours = text.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let path = ours.map(|path| path.trim_start_matches('/')).find(|path| path.contains("/humdrum-"))?;
    let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory"];
    mounts.iter().map(|mount| Path::new(mount).join(path)).find(|folder| folder.is_dir())
}

/// The cgroups of a run's servers now, with the processes in each.
pub fn of_run(run: u32) -> BTreeMap<PathBuf, Vec<u32>> {
    let mut found: BTreeMap<PathBuf, Vec<u32>> = BTreeMap::new();
    for pid in descendants(run) {
        if let Some(folder) = cgroup(pid) {
            found.entry(folder).or_default().push(pid);
        }
    }
    found
}

/// Bytes that its processes may use; `None` once it is gone.
pub fn limit(folder: &Path) -> Option<u64> {
    number(folder, ["memory.max", "memory.limit_in_bytes"])
}

/// Bytes that they use, page cache included; `None` once it is gone.
pub fn used(folder: &Path) -> Option<u64> {
    number(folder, ["memory.current", "memory.usage_in_bytes"])
}

/// The most that they ever used; `None` once it is gone, or where the kernel does not keep it (version 2 before Linux 5.19).
pub fn used_max(folder: &Path) -> Option<u64> {
    number(folder, ["memory.peak", "memory.max_usage_in_bytes"])
}

/// The number in the first of these files that there is: one name for each version of the file system.
fn number(folder: &Path, files: [&str; 2]) -> Option<u64> {
    let text = files.into_iter().find_map(|file| std::fs::read_to_string(folder.join(file)).ok())?;
    text.trim().parse().ok()
}
