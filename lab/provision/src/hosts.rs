//! Facts of the host that is measured on. They are stored with every result, so that old numbers can still be judged.

mod caches;
mod cpuinfo;
mod generation;
mod hypervisor;
mod models;
mod processor;
mod storage;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use humdrum_contract::{Dirs, Outcome};
use humdrum_model::{Fault, HostFacts};

use crate::checksum::sha256_of_bytes;
use crate::doctor::doctor;
use crate::system::{clock_source, huge_pages, page_bytes, read};
use processor::Texts;

pub use crate::system::{cpus, memory_available_bytes, memory_bytes};

/// Writes timed for the fsync latency: enough that 1 in 100 is not the longest alone. A slow disk has fewer of them, which are
/// enough for a median that single outliers do not move.
const FSYNC_ROUNDS: usize = 200;
const FSYNC_ROUNDS_MIN: usize = 50;
const FSYNC_WITHIN: Duration = Duration::from_secs(1);
/// Bytes of each write: a database page.
const FSYNC_BYTES: usize = 8192;

/// All facts of this host, with the findings of `doctor`. Takes about a second.
pub fn host_facts(dirs: &Dirs) -> HostFacts {
    let fsync = fsync_us(&dirs.runs, [0.5, 0.99]).ok();
    HostFacts {
        fsync_us_p50: fsync.map(|us| us[0]),
        fsync_us_p99: fsync.map(|us| us[1]),
        findings: doctor(dirs),
        storage: storage::of(&dirs.runs),
        ..known_facts()
    }
}

/// What `-march=native` stands for on this host: builds for it differ where this differs.
pub fn native_processor() -> String {
    processor::native(&read("/proc/cpuinfo"))
}

/// The facts that need no timing: enough where subjects run on a virtual clock.
pub fn known_facts() -> HostFacts {
    let texts = Texts::of_host();
    let is_virtual = processor::is_virtual(&texts.cpuinfo) || !read("/sys/hypervisor/type").is_empty();
    HostFacts {
        cpus: cpus(),
        memory_bytes: memory_bytes(),
        kernel: kernel(),
        distribution: distribution(&read("/etc/os-release")),
        cpu_model: processor::name(&texts.cpuinfo),
        r#virtual: is_virtual,
        clock_source: clock_source(),
        processor: processor::describe(&texts),
        hypervisor: hypervisor::of_host(is_virtual),
        page_bytes: page_bytes(),
        huge_pages: huge_pages(),
        id: id(&read("/etc/machine-id")),
        ..HostFacts::default()
    }
}

/// Twelve digits of a checksum, so that results tell hosts apart and do not give the machine's id away.
fn id(machine_id: &str) -> Option<String> {
    let machine_id = machine_id.trim();
    let known = machine_id.len() == 32 && machine_id.chars().all(|c| c.is_ascii_hexdigit());
    known.then(|| sha256_of_bytes(format!("humdrum {machine_id}").as_bytes())[..12].to_owned())
}

/// Microseconds of writing 8 KiB and syncing it, in `folder`: those that these parts of all writes took at most.
///
/// # Errors
/// Environment, when the folder cannot be written.
fn fsync_us(folder: &Path, parts: [f64; 2]) -> Outcome<[f64; 2]> {
    let path = folder.join(format!(".fsync-{}", std::process::id()));
    let timed = fsync_times_us(&path);
    let _ = fs::remove_file(&path);
    let mut times_us = timed.map_err(|error| {
        Fault::environment(format!("cannot measure the disk of {}: {error}", folder.display()))
    })?;
    times_us.sort_by(f64::total_cmp);
    Ok(parts.map(|part| times_us[((times_us.len() - 1) as f64 * part).round() as usize]))
}

/// Writes back what is not on the device yet of the file system that holds a folder.
///
/// # Errors
/// Environment, when the folder cannot be opened or its device refuses.
pub fn write_back(folder: &Path) -> Outcome<()> {
    let written = File::open(folder).and_then(|folder| Ok(rustix::fs::syncfs(folder)?));
    written.map_err(|error| Fault::environment(format!("cannot write back {}: {error}", folder.display())))
}

fn fsync_times_us(path: &PathBuf) -> std::io::Result<Vec<f64>> {
    let file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
    let page = [0x5a; FSYNC_BYTES];
    // The file's length is settled first: a log is written over, it does not grow.
    file.write_all_at(&page, 0)?;
    file.sync_all()?;
    let begun = Instant::now();
    let mut times_us = Vec::with_capacity(FSYNC_ROUNDS);
    while times_us.len() < FSYNC_ROUNDS_MIN || times_us.len() < FSYNC_ROUNDS && begun.elapsed() < FSYNC_WITHIN
    {
        let start = Instant::now();
        file.write_all_at(&page, 0)?;
        file.sync_data()?;
        times_us.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(times_us)
}

/// `Debian GNU/Linux 12 (bookworm)` of os-release.
fn distribution(os_release: &str) -> Option<String> {
    let name = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}

fn kernel() -> String {
    format!("{} {}", read("/proc/sys/kernel/ostype"), read("/proc/sys/kernel/osrelease"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_contract::Interrupt;

    #[test]
    fn a_distribution_has_the_name_that_it_gives_itself() {
        let text = "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n";
        assert_eq!(distribution(text).as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(
            (distribution("PRETTY_NAME=Alpine\n").as_deref(), distribution("")),
            (Some("Alpine"), None)
        );
    }

    #[test]
    fn facts_are_all_there() {
        let folder = tempfile::tempdir().expect("folder");
        let dirs = Dirs {
            cache: folder.path().into(),
            runs: folder.path().into(),
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: Interrupt::new(),
        };
        let facts = host_facts(&dirs);
        assert!(facts.cpus > 0 && facts.memory_bytes > 1 << 24);
        assert!(facts.kernel.starts_with("Linux "), "{}", facts.kernel);
        assert!(!facts.cpu_model.is_empty() && !facts.clock_source.is_empty());
        assert!(facts.fsync_us_p50.is_some_and(|us| us > 0.0) && facts.fsync_us_p99 >= facts.fsync_us_p50);
        assert!(!facts.processor.generation.is_empty() && !facts.storage.file_system.is_empty());
        assert!(facts.page_bytes.is_some_and(u64::is_power_of_two));
        assert!(facts.findings.iter().all(|finding| !finding.found.is_empty()));
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 0, "leaves nothing behind");
    }
}
