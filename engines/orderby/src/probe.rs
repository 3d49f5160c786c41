//! What a worker uses, read at the edges of slices, for all its threads together. The host's own probe reads the threads that it
//! found before a test; an engine may start others for a query (DataFusion's sorts run in such threads, DuckDB has as many as
//! `threads` says), and those that have ended count too.

use std::fs;
use std::path::PathBuf;

use humdrum_contract::{Outcome, Probe};
use humdrum_model::{Better, Metric, MetricKind};

/// The kernel tells times in `/proc/PID/stat` in hundredths of a second.
const TICK_NS: i64 = 10_000_000;
/// A reading of the process's memory walks its page counts, and memory moves slowly.
const MEMORY_EVERY: u64 = 64;

/// Of one worker process.
pub(crate) struct WorkerProbe {
    /// The kernel's clock of the process's CPU time; `None`: it has no process.
    clock: Option<libc::clockid_t>,
    status: PathBuf,
    stat: PathBuf,
    edges: u64,
    /// CPU, of it in user mode, of it in the kernel, memory: the last reading stays when the process has ended.
    last: [i64; 4],
}

impl WorkerProbe {
    pub(crate) fn new(pid: Option<u32>) -> Self {
        let [status, stat] =
            ["status", "stat"].map(|name| PathBuf::from(format!("/proc/{}/{name}", pid.unwrap_or(0))));
        Self { clock: pid.and_then(cpu_clock), status, stat, edges: 0, last: [0; 4] }
    }
}

impl Probe for WorkerProbe {
    fn metrics(&self) -> Vec<Metric> {
        let metric = |name: &str, unit: &str, kind, description: &str| Metric {
            name: name.into(),
            unit: unit.into(),
            better: Better::Less,
            kind,
            description: description.into(),
        };
        let counter = |name, description| metric(name, "ns", MetricKind::Counter, description);
        vec![
            counter("server_cpu_ns", "CPU time of the worker process, all its threads"),
            counter("server_user_ns", "CPU time of it in user mode"),
            counter("server_system_ns", "CPU time of it in the kernel"),
            metric(
                "rss_kib",
                "KiB",
                MetricKind::Gauge,
                "resident memory of the worker process, its table included",
            ),
        ]
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        let text = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
        if let Some(cpu) = self.clock.and_then(cpu_ns) {
            self.last[0] = cpu;
        }
        if let Some([user, system]) = parse_modes(&text(&self.stat)) {
            [self.last[1], self.last[2]] = [user, system];
        }
        if self.edges.is_multiple_of(MEMORY_EVERY) {
            self.last[3] = parse_memory(&text(&self.status)).unwrap_or(self.last[3]);
        }
        self.edges += 1;
        readings.extend(self.last);
        Ok(())
    }
}

/// The 14th and 15th field; the second is a name in parentheses that may hold anything.
fn parse_modes(stat: &str) -> Option<[i64; 2]> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_ascii_whitespace().skip(11).map(|field| field.parse::<i64>().ok());
    Some([fields.next()??, fields.next()??].map(|ticks| ticks * TICK_NS))
}

fn parse_memory(status: &str) -> Option<i64> {
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    resident.split_ascii_whitespace().next()?.parse().ok()
}

fn cpu_clock(pid: u32) -> Option<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: the function writes a clock's number to the place that it is given, which is ours; any process id may be asked for.
    let error = unsafe { libc::clock_getcpuclockid(pid.cast_signed(), &raw mut clock) };
    (error == 0).then_some(clock)
}

/// Nanoseconds of the scheduler's clock, those of threads that have ended included.
fn cpu_ns(clock: libc::clockid_t) -> Option<i64> {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the function writes a time to the place that it is given, which is ours; a clock that is no longer there is an error.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut now) } != 0;
    (!failed).then(|| now.tv_sec * 1_000_000_000 + now.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(probe: &mut WorkerProbe) -> Vec<i64> {
        let mut readings = Vec::new();
        probe.read(&mut readings).expect("readings");
        assert_eq!(readings.len(), probe.metrics().len());
        readings
    }

    fn work() {
        let mut sum = 0u64;
        for number in 0..30_000_000u64 {
            sum = std::hint::black_box(sum ^ number);
        }
    }

    #[test]
    fn threads_that_have_ended_count() {
        let mut probe = WorkerProbe::new(Some(std::process::id()));
        let before = reading(&mut probe);
        std::thread::spawn(work).join().expect("ends");
        let after = reading(&mut probe);
        assert!(after[0] > before[0] + 1_000_000, "{before:?} {after:?}");
        assert!(after[1] >= before[1] && after[3] > 500, "{after:?}");
    }

    #[test]
    fn a_process_that_is_gone_repeats_its_last_reading() {
        let mut probe = WorkerProbe::new(None);
        assert_eq!(reading(&mut probe), [0; 4]);
        let mut ended = std::process::Command::new("/bin/true").spawn().expect("starts");
        let mut probe = WorkerProbe::new(Some(ended.id()));
        ended.wait().expect("ends");
        let last = reading(&mut probe);
        assert_eq!(reading(&mut probe), last);
    }

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 94 0 0 0 12 34 0 0 20 0 5 0 11";
        assert_eq!(parse_modes(stat), Some([120_000_000, 340_000_000]));
        assert_eq!((parse_modes("7 (x) S 1"), parse_memory("Name:\tx\n")), (None, None));
        assert_eq!(parse_memory("Name:\tx\nVmRSS:\t  77 kB\n"), Some(77));
    }
}
