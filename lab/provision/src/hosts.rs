//! Facts of the host that is measured on. They are stored with every result, so that old numbers can still be judged.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use humdrum_contract::{Dirs, Outcome};
use humdrum_model::{Fault, HostFacts};

/// Writes timed for the fsync latency: enough for a median that single outliers do not move.
const FSYNC_ROUNDS: usize = 50;
/// Bytes of each write: a database page.
const FSYNC_BYTES: usize = 8192;

/// All facts of this host, with the findings of `doctor`. Takes about a second.
pub fn host_facts(dirs: &Dirs) -> HostFacts {
    HostFacts {
        fsync_us_p50: fsync_us_p50(&dirs.runs).ok(),
        findings: crate::doctor::doctor(dirs),
        ..known_facts()
    }
}

/// The facts that need no timing: enough where subjects run on a virtual clock.
pub fn known_facts() -> HostFacts {
    HostFacts {
        cpus: cpus(),
        memory_bytes: memory_bytes(),
        kernel: kernel(),
        cpu_model: cpu_model(),
        r#virtual: is_virtual(),
        clock_source: clock_source(),
        fsync_us_p50: None,
        findings: Vec::new(),
    }
}

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

/// Whether the processor reports a hypervisor.
pub(crate) fn is_virtual() -> bool {
    cpu_field("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"))
        || !read("/sys/hypervisor/type").is_empty()
}

/// Median microseconds of writing 8 KiB and syncing it, in `folder`.
///
/// # Errors
/// Environment, when the folder cannot be written.
pub fn fsync_us_p50(folder: &Path) -> Outcome<f64> {
    let path = folder.join(format!(".fsync-{}", std::process::id()));
    let timed = fsync_times_us(&path);
    let _ = fs::remove_file(&path);
    let mut times_us = timed.map_err(|error| {
        Fault::environment(format!("cannot measure the disk of {}: {error}", folder.display()))
    })?;
    times_us.sort_by(f64::total_cmp);
    Ok(times_us[times_us.len() / 2])
}

fn fsync_times_us(path: &PathBuf) -> std::io::Result<Vec<f64>> {
    let file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
    let page = [0x5a; FSYNC_BYTES];
    // The file's length is settled first: a log is written over, it does not grow.
    file.write_all_at(&page, 0)?;
    file.sync_all()?;
    let round = |_| {
        let start = Instant::now();
        file.write_all_at(&page, 0)?;
        file.sync_data()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    (0..FSYNC_ROUNDS).map(round).collect()
}

fn kernel() -> String {
    format!("{} {}", read("/proc/sys/kernel/ostype"), read("/proc/sys/kernel/osrelease"))
}

fn cpu_model() -> String {
    let name = cpu_field("model name").or_else(|| cpu_field("Model")).or_else(|| cpu_field("CPU part"));
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn cpu_field(name: &str) -> Option<String> {
    let text = read("/proc/cpuinfo");
    let field = |line: &str| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    };
    text.lines().find_map(field)
}

/// Limits of our cgroup and all above it, of both versions of cgroups.
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

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_contract::Interrupt;

    #[test]
    fn facts_are_all_there() {
        let folder = tempfile::tempdir().expect("folder");
        let dirs = Dirs {
            cache: folder.path().into(),
            runs: folder.path().into(),
            run_as: None,
            allow_external: false,
            interrupt: Interrupt::new(),
        };
        let facts = host_facts(&dirs);
        assert!(facts.cpus > 0 && facts.memory_bytes > 1 << 24);
        assert!(facts.kernel.starts_with("Linux "), "{}", facts.kernel);
        assert!(!facts.cpu_model.is_empty() && !facts.clock_source.is_empty());
        assert!(facts.fsync_us_p50.is_some_and(|us| us > 0.0));
        assert!(facts.findings.iter().all(|finding| !finding.found.is_empty()));
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 0, "leaves nothing behind");
    }
}
