//! How much memory there is: the machine's, and what control groups leave of it.

use std::fs;
use std::path::{Path, PathBuf};

/// Less than this cannot hold the buffers.
pub(crate) const LEAST: usize = 1 << 20;

/// The default: half of what is free, so that two sorts at once do not starve each other.
pub(crate) fn fair_share() -> u64 {
    let free = meminfo("MemAvailable:").unwrap_or(1 << 30);
    let group = group_free(meminfo("MemTotal:").unwrap_or(u64::MAX));
    (group.map_or(free, |group| group.min(free)) / 2).min(address_space_share())
}

/// What `ulimit -v` and `-d` leave for `-S`, of which a sort takes twice the address space, when threads have
/// theirs.
fn address_space_share() -> u64 {
    use rustix::process::{Resource, getrlimit};
    const BESIDE: u64 = 256 << 20;
    let limit = [Resource::As, Resource::Data].into_iter().filter_map(|which| getrlimit(which).current).min();
    limit.map_or(u64::MAX, |limit| (limit.saturating_sub(BESIDE) / 3).max(LEAST as u64))
}

/// The machine's memory, or the control group's limit if that is less.
pub(crate) fn physical() -> u64 {
    let total = meminfo("MemTotal:").unwrap_or(1 << 30);
    groups().iter().filter_map(|folder| limit(folder)).fold(total, u64::min)
}

fn meminfo(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// What the tightest control group above this process leaves. A limit beyond all there is leaves all, whatever is in use:
/// how much that is takes the system long to tell.
fn group_free(total: u64) -> Option<u64> {
    let free = |folder: &PathBuf| {
        let limit = limit(folder).filter(|limit| *limit / 2 < total)?;
        Some(limit.saturating_sub(used(folder)))
    };
    groups().iter().filter_map(free).min()
}

/// Folders of this process's memory groups up to the root, of version 2 or 1.
fn groups() -> Vec<PathBuf> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut folders = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let root = match controllers {
            "" => Path::new("/sys/fs/cgroup"),
            list if list.split(',').any(|name| name == "memory") => Path::new("/sys/fs/cgroup/memory"),
            _ => continue,
        };
        let folder = root.join(group.trim_start_matches('/'));
        folders.extend(folder.ancestors().take_while(|above| above.starts_with(root)).map(Path::to_owned));
    }
    folders
}

fn limit(folder: &Path) -> Option<u64> {
    number(folder, &["memory.max", "memory.limit_in_bytes"])
}

/// In use and not to be had back: the page cache counts as used, but gives way.
fn used(folder: &Path) -> u64 {
    let used = number(folder, &["memory.current", "memory.usage_in_bytes"]).unwrap_or(0);
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
    used.saturating_sub(cached.and_then(|number| number.parse().ok()).unwrap_or(0))
}

/// The number in the first of these files that has one; "max" is none.
fn number(folder: &Path, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_part_of_the_whole() {
        assert!(fair_share() > 0 && fair_share() <= physical());
    }
}
