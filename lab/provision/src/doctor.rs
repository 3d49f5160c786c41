//! Judges whether this host is fit to measure on. Each function examines one thing, says what it found and, where
//! that widens intervals or may bias results, what to do about it.

mod memory;

use std::time::Duration;

use humdrum_contract::Dirs;
use humdrum_model::{Finding, Level};

use crate::run_folder;
use crate::system::{self, read};
use memory::{balloon, huge_pages, locked_memory, swap};

/// Makes all examinations, those most worth acting on first. Takes about a second.
pub fn doctor(dirs: &Dirs) -> Vec<Finding> {
    let before = Sample::take();
    std::thread::sleep(Duration::from_secs(1));
    let during = Sample::take().since(&before);
    let mut findings = vec![
        load(&during),
        steal(&during),
        run_queue(&during),
        throttling(&during),
        temperature(),
        governor(),
        turbo(),
        smt(),
        clock_source(),
        huge_pages(),
        balloon(),
        swap(),
        open_files(),
        locked_memory(),
        disk(dirs),
    ];
    findings.extend(["cpu", "io", "memory"].map(pressure));
    findings
}

/// Counters of the whole host at one moment, or what they grew by.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// Clock ticks of all processors.
    busy: u64,
    idle: u64,
    steal: u64,
    /// Nanoseconds that runnable threads waited for a processor.
    waited_ns: u64,
    throttled: u64,
}

impl Sample {
    fn take() -> Self {
        let stat = read("/proc/stat");
        let ticks: Vec<u64> = numbers(stat.lines().next().unwrap_or_default());
        let tick = |index: usize| ticks.get(index).copied().unwrap_or(0);
        // user nice system idle iowait irq softirq steal (guest time is part of user time)
        Self {
            busy: tick(0) + tick(1) + tick(2) + tick(5) + tick(6),
            idle: tick(3) + tick(4),
            steal: tick(7),
            waited_ns: run_queue_ns(&read("/proc/schedstat")),
            throttled: throttle_count(),
        }
    }

    fn since(self, before: &Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(before.busy),
            idle: self.idle.saturating_sub(before.idle),
            steal: self.steal.saturating_sub(before.steal),
            waited_ns: self.waited_ns.saturating_sub(before.waited_ns),
            throttled: self.throttled.saturating_sub(before.throttled),
        }
    }

    fn fraction(&self, part: u64) -> f64 {
        part as f64 / (self.busy + self.idle + self.steal).max(1) as f64
    }
}

/// The eighth number of each `cpuN` line: time that threads spent waiting to run.
fn run_queue_ns(schedstat: &str) -> u64 {
    let lines = schedstat.lines().filter(|line| line.starts_with("cpu"));
    lines.filter_map(|line| line.split(' ').nth(8)?.parse::<u64>().ok()).sum()
}

fn throttle_count() -> u64 {
    let folders = std::fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let counts = folders.map(|folder| read(folder.path().join("thermal_throttle/package_throttle_count")));
    counts.filter_map(|count| count.parse::<u64>().ok()).sum()
}

fn load(during: &Sample) -> Finding {
    let busy = during.fraction(during.busy);
    let average = read("/proc/loadavg");
    let average = average.split(' ').next().unwrap_or("?");
    let found = format!("{:.0} % of all processors busy, load average {average}", busy * 100.0);
    let advice = "stop other programs, or wait: blocks that they disturb widen every interval";
    graded("load", found, busy, 0.10, 0.40, advice)
}

fn steal(during: &Sample) -> Finding {
    let steal = during.fraction(during.steal);
    let advice = "the hypervisor gives time to other guests: choose a quieter hour or a dedicated host";
    graded("steal", format!("{:.1} % stolen by the hypervisor", steal * 100.0), steal, 0.01, 0.10, advice)
}

fn run_queue(during: &Sample) -> Finding {
    let waited = during.waited_ns as f64 / 1e9 / f64::from(system::cpus());
    let found = format!("threads waited {:.1} ms per processor and second to run", waited * 1e3);
    graded("run queue", found, waited, 0.05, 0.50, "stop other programs, or use a host with more processors")
}

fn throttling(during: &Sample) -> Finding {
    let found = format!("{} throttled now, {} since boot", during.throttled, throttle_count());
    graded(
        "throttling",
        found,
        during.throttled as f64,
        0.5,
        f64::MAX,
        "let it cool down, improve the airflow, or cap the frequency",
    )
}

fn temperature() -> Finding {
    let zones = std::fs::read_dir("/sys/class/thermal").into_iter().flatten().flatten();
    let degrees = zones.filter_map(|zone| read(zone.path().join("temp")).parse::<f64>().ok());
    match degrees.map(|millidegrees| millidegrees / 1000.0).reduce(f64::max) {
        None => fine("temperature", "no sensor to be seen"),
        Some(hottest) => {
            let advice = "let it cool down: hot processors slow themselves down";
            graded(
                "temperature",
                format!("{hottest:.0} °C at the hottest sensor"),
                hottest,
                80.0,
                95.0,
                advice,
            )
        }
    }
}

fn governor() -> Finding {
    match read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").as_str() {
        "" => fine("governor", "the frequency is not ours to scale"),
        "performance" => fine("governor", "performance"),
        other => warning("governor", other.to_owned(), "`cpupower frequency-set -g performance`"),
    }
}

fn turbo() -> Finding {
    let no_turbo = read("/sys/devices/system/cpu/intel_pstate/no_turbo");
    let boost = read("/sys/devices/system/cpu/cpufreq/boost");
    match (no_turbo.as_str(), boost.as_str()) {
        ("", "") => fine("turbo", "not to be seen from here"),
        ("1", _) | (_, "0") => fine("turbo", "off"),
        _ => {
            let advice = "off, the frequency depends less on the neighbours: write 1 to \
                          /sys/devices/system/cpu/intel_pstate/no_turbo, or 0 to /sys/devices/system/cpu/cpufreq/boost";
            warning("turbo", "on".into(), advice)
        }
    }
}

fn smt() -> Finding {
    match read("/sys/devices/system/cpu/smt/active").as_str() {
        "1" => {
            let advice = "siblings share a core: `echo off > /sys/devices/system/cpu/smt/control` for the steadiest numbers";
            warning("smt", "on".into(), advice)
        }
        "0" => fine("smt", "off"),
        _ => fine("smt", "not to be seen from here"),
    }
}

fn clock_source() -> Finding {
    match system::clock_source() {
        fast if matches!(fast.as_str(), "tsc" | "kvm-clock" | "arch_sys_counter") => {
            fine("clock source", &fast)
        }
        slow => {
            let advice = "reading the clock is slow and disturbs short slices: boot with clocksource=tsc where the \
                          processor allows it";
            warning("clock source", slow, advice)
        }
    }
}

fn open_files() -> Finding {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let found = limit.map_or("no limit".to_owned(), |limit| format!("{limit} a process"));
    let scarce = limit.is_some_and(|limit| limit < 1024);
    if scarce { warning("open files", found, "`ulimit -n 4096`") } else { fine("open files", &found) }
}

fn disk(dirs: &Dirs) -> Finding {
    const GIB: u64 = 1 << 30;
    let Ok(free) = run_folder::free_bytes(&dirs.runs) else {
        return warning("disk", "cannot be asked".into(), "set HUMDRUM_CACHE to a folder on a local disk");
    };
    let found = format!("{} GiB free for {}", free / GIB, dirs.runs.display());
    let level = if free < GIB {
        Level::Bad
    } else if free < 10 * GIB {
        Level::Warning
    } else {
        Level::Fine
    };
    finding("disk", level, found, "`humdrum clean`, or HUMDRUM_CACHE on another disk")
}

/// The share of the last ten seconds in which something waited (pressure stall information).
fn pressure(resource: &str) -> Finding {
    let name = format!("pressure of {resource}");
    let text = read(format!("/proc/pressure/{resource}"));
    let average =
        text.split_ascii_whitespace().find_map(|word| word.strip_prefix("avg10=")?.parse::<f64>().ok());
    match average {
        None => fine(&name, "not in this kernel"),
        Some(percent) => {
            let advice = "something else needs it too: stop other programs, or wait";
            graded(
                &name,
                format!("something waited {percent:.1} % of the last ten seconds"),
                percent,
                10.0,
                60.0,
                advice,
            )
        }
    }
}

fn numbers(line: &str) -> Vec<u64> {
    line.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Graded by how far `value` is above what can be tolerated.
fn graded(name: &str, found: String, value: f64, warn_above: f64, bad_above: f64, advice: &str) -> Finding {
    let level = match value {
        _ if value > bad_above => Level::Bad,
        _ if value > warn_above => Level::Warning,
        _ => Level::Fine,
    };
    finding(name, level, found, advice)
}

fn fine(name: &str, found: &str) -> Finding {
    finding(name, Level::Fine, found.to_owned(), "")
}

fn warning(name: &str, found: String, advice: &str) -> Finding {
    finding(name, Level::Warning, found, advice)
}

fn finding(name: &str, level: Level, found: String, advice: &str) -> Finding {
    let advice = if level == Level::Fine { String::new() } else { advice.to_owned() };
    Finding { name: name.to_owned(), level, found, advice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_host_is_called_busy() {
        let quiet = Sample { busy: 5, idle: 195, ..Sample::default() };
        let busy = Sample { busy: 150, idle: 40, steal: 10, waited_ns: 3_000_000_000, ..Sample::default() };
        assert_eq!((load(&quiet).level, load(&busy).level), (Level::Fine, Level::Bad));
        assert_eq!((steal(&quiet).level, steal(&busy).level), (Level::Fine, Level::Warning));
        assert!(load(&quiet).advice.is_empty() && !load(&busy).advice.is_empty());
        let hot = Sample { throttled: 3, ..Sample::default() };
        assert_eq!((throttling(&quiet).level, throttling(&hot).level), (Level::Fine, Level::Warning));
    }

    /// Lines as kernels of version 15 and 17 of the file write them.
    #[test]
    fn reads_the_time_that_threads_waited() {
        let text =
            "version 15\ntimestamp 4295\ncpu0 0 0 0 0 0 0 77 40 5\ndomain0 3 1 2\ncpu1 0 0 0 0 0 0 77 2 5";
        assert_eq!(run_queue_ns(text), 42);
        assert_eq!(run_queue_ns(""), 0);
    }

    #[test]
    fn every_finding_that_matters_says_what_to_do() {
        for found in
            [governor(), turbo(), smt(), clock_source(), huge_pages(), swap(), open_files(), locked_memory()]
        {
            assert_eq!(found.level == Level::Fine, found.advice.is_empty(), "{found:?}");
        }
    }
}
