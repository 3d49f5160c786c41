//! CPU time, time waiting for a CPU, and turns on a CPU, of a server's processes: `/proc/PID/schedstat`.
//!
//! The kernel keeps these in nanoseconds of the scheduler's clock, without sampling at ticks, so that they are exact for
//! slices of milliseconds. A turn on a CPU (the third field) ends in a context switch, so that turns count all context
//! switches. `switches` counts voluntary and involuntary ones separately. It reads a longer text, and is for
//! examinations.

use humdrum_contract::{Outcome, Probe, ProbeContext, Role};
use humdrum_model::Metric;

use crate::file::{KernelFile, counter, number};

pub(crate) fn make(context: &ProbeContext) -> Option<Box<dyn Probe>> {
    let of = |role| {
        let processes = context.processes.iter().filter(|process| process.role == role);
        processes.filter_map(|process| Schedule::open(process.pid)).collect::<Vec<_>>()
    };
    Some(Box::new(SchedStat { sessions: of(Role::Session), background: of(Role::Background) }))
}

struct SchedStat {
    sessions: Vec<Schedule>,
    background: Vec<Schedule>,
}

/// One process and its last reading: CPU ns, waiting ns, turns.
struct Schedule {
    file: KernelFile,
    last: [i64; 3],
}

impl Schedule {
    fn open(pid: u32) -> Option<Self> {
        // One line of three numbers.
        let mut file = KernelFile::open(format!("/proc/{pid}/schedstat"), 80)?;
        file.text()?;
        Some(Self { file, last: [0; 3] })
    }

    /// A process that has ended keeps its last reading.
    fn read(&mut self) -> [i64; 3] {
        if let Some(text) = self.file.text() {
            let fields = [0, 1, 2].map(|field| number(text, field));
            if let [Some(cpu), Some(wait), Some(turns)] = fields {
                self.last = [cpu, wait, turns];
            }
        }
        self.last
    }
}

fn total(schedules: &mut [Schedule]) -> [i64; 3] {
    schedules
        .iter_mut()
        .map(Schedule::read)
        .fold([0; 3], |sum, one| [0, 1, 2].map(|field| sum[field] + one[field]))
}

impl Probe for SchedStat {
    fn metrics(&self) -> Vec<Metric> {
        vec![
            counter(
                "server_cpu_ns",
                "ns",
                "CPU time of the server processes that serve the test's connections",
            ),
            counter("run_queue_wait_ns", "ns", "time those processes were ready to run and waited for a CPU"),
            counter(
                "server_switches",
                "count",
                "turns of those processes on a CPU, each ended by a context switch",
            ),
            counter("background_cpu_ns", "ns", "CPU time of the server's other processes"),
        ]
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        readings.extend(total(&mut self.sessions));
        readings.push(total(&mut self.background)[0]);
        Ok(())
    }
}

/// Voluntary and involuntary context switches of threads since they began, added up. `None` without threads, or where
/// the host does not show one of them.
pub fn switches(threads: &[u32]) -> Option<[u64; 2]> {
    let one = |thread: &u32| parse_switches(&std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?);
    let all = threads.iter().map(one).collect::<Option<Vec<_>>>()?;
    (!all.is_empty()).then(|| all.iter().fold([0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]))
}

pub(crate) fn parse_switches(status: &str) -> Option<[u64; 2]> {
    let number = |name: &str| {
        let rest = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        rest?.trim().parse().ok()
    };
    Some([number("voluntary_ctxt_switches")?, number("nonvoluntary_ctxt_switches")?])
}

#[cfg(test)]
mod tests {
    use humdrum_contract::Process;

    use super::*;

    #[test]
    fn sees_this_process_work() {
        let own = Process { pid: std::process::id(), role: Role::Session };
        let mut probe = make(&ProbeContext { processes: vec![own], data_folder: None }).expect("a probe");
        let (mut before, mut after) = (Vec::new(), Vec::new());
        probe.read(&mut before).expect("before");
        let mut sum = 0u64;
        for number in 0..20_000_000u64 {
            sum = std::hint::black_box(sum ^ number);
        }
        // The kernel shows the main thread's time under the process. It counts it within a tick.
        std::thread::sleep(std::time::Duration::from_millis(20));
        probe.read(&mut after).expect("after");
        assert_eq!(before.len(), probe.metrics().len());
        assert!(after.iter().zip(&before).all(|(after, before)| after >= before));
    }

    #[test]
    fn kinds_of_switches_are_told_apart() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        assert_eq!(parse_switches(status), Some([150, 545]));
        assert_eq!(parse_switches("Name:\tx\n"), None);
        // Sleeping is a voluntary switch.
        let own = [rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()];
        let before = switches(&own).expect("a reading");
        std::thread::sleep(std::time::Duration::from_millis(1));
        let after = switches(&own).expect("a reading");
        assert!(after[0] > before[0] && after[1] >= before[1], "{before:?} {after:?}");
        assert_eq!((switches(&[]), switches(&[own[0], u32::MAX])), (None, None));
    }

    #[test]
    fn a_process_that_is_gone_reads_as_nothing() {
        let gone = Process { pid: u32::MAX, role: Role::Session };
        let mut probe = make(&ProbeContext { processes: vec![gone], data_folder: None }).expect("a probe");
        let mut readings = Vec::new();
        probe.read(&mut readings).expect("a reading");
        assert_eq!(readings, [0, 0, 0, 0]);
    }
}
