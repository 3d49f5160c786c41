//! Reads small files of the kernel about this host: processors and memory that may be used, the clock source.

use std::fs;
use std::path::Path;

/// Processors that this process may use, within its affinity and cgroup quota.
pub fn cpus() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
}

/// Bytes of memory that this process may use: the machine's, or the lowest limit of its cgroups.
pub fn memory_bytes() -> u64 {
    let machine = meminfo("MemTotal").unwrap_or(0);
    cgroup_limits().into_iter().filter(|limit| *limit > 0).fold(machine, u64::min)
}

/// Bytes of memory that can be used now without swapping.
pub fn memory_available_bytes() -> u64 {
    meminfo("MemAvailable").unwrap_or(0).min(memory_bytes())
}

/// The value of a line of /proc/meminfo, in bytes.
pub(crate) fn meminfo(name: &str) -> Option<u64> {
    let text = read("/proc/meminfo");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

/// Kernel's clock source.
pub(crate) fn clock_source() -> String {
    let text = read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if text.is_empty() { "unknown".into() } else { text }
}

/// Bytes of a memory page.
pub(crate) fn page_bytes() -> Option<u64> {
    // SAFETY: a query on an integer.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).ok()
}

/// When the kernel gives transparent huge pages: the word in brackets of `always [madvise] never`.
pub(crate) fn huge_pages() -> Option<String> {
    let text = read("/sys/kernel/mm/transparent_hugepage/enabled");
    text.split(['[', ']']).nth(1).map(str::to_owned)
}

/// Memory limits of our cgroup and of those above it, in both versions of cgroups.
fn cgroup_limits() -> Vec<u64> {
    let own = read("/proc/self/cgroup");
    let below = |base: &str, path: &str, file: &str| -> Vec<u64> {
        let folder = Path::new(path.trim_start_matches('/'));
        let files = folder.ancestors().map(|above| Path::new(base).join(above).join(file));
        files.filter_map(|file| read(file).parse().ok()).collect()
    };
    let of_line = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        match controllers {
            "" => below("/sys/fs/cgroup", path, "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                below("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes")
            }
            _ => Vec::new(),
        }
    };
    own.lines().flat_map(of_line).collect()
}

/// The content of a small file of the kernel, trimmed; empty when it does not exist.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}
