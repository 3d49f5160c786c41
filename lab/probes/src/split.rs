//! CPU time of a server's processes in user mode and in the kernel: `/proc/PID/task/PID/stat`.
//!
//! The file below `task` has the times of one thread, as `schedstat` has; `/proc/PID/stat` adds up all threads of a
//! process. The kernel divides a thread's time by the mode in which its ticks (1 to 10 ms) find the thread, and tells both
//! parts in hundredths of a second. So one slice says little, and a test's sum is a sample. Nothing is lost by the
//! rounding: a session rests between its slices, so that what one slice lacks, a later one has.
//!
//! A reading takes three times as long as one of `schedstat`. Only the processes that serve clients are read at every
//! slice's edges, and the others at those of chunks of seconds.

use humdrum_contract::{Outcome, Probe, ProbeContext, Role};
use humdrum_model::Metric;

use crate::file::{KernelFile, counter};

/// The kernel tells times here in hundredths of a second, whatever its ticks are.
const TICK_NS: i64 = 10_000_000;

/// A line of 52 numbers and a name.
const FILE_BYTES: usize = 512;

/// Name and description of both metrics.
type Names = [[&'static str; 2]; 2];

const SESSIONS: Names = [
    ["server_user_ns", "CPU time in user mode of the server processes that serve the test's connections"],
    ["server_system_ns", "CPU time of those processes in the kernel"],
];
const BACKGROUND: Names = [
    ["background_user_ns", "CPU time in user mode of the server's other processes"],
    ["background_system_ns", "CPU time of those in the kernel"],
];

pub(crate) fn sessions(context: &ProbeContext) -> Option<Box<dyn Probe>> {
    Some(Box::new(Split::of(context, Role::Session, SESSIONS)))
}

pub(crate) fn background(context: &ProbeContext) -> Option<Box<dyn Probe>> {
    Some(Box::new(Split::of(context, Role::Background, BACKGROUND)))
}

struct Split {
    names: Names,
    threads: Vec<Thread>,
}

/// One thread and its last reading: ns in user mode and in the kernel.
struct Thread {
    file: KernelFile,
    last: [i64; 2],
}

impl Split {
    fn of(context: &ProbeContext, role: Role, names: Names) -> Self {
        let processes = context.processes.iter().filter(|process| process.role == role);
        Self { names, threads: processes.filter_map(|process| Thread::open(process.pid)).collect() }
    }
}

impl Thread {
    fn open(id: u32) -> Option<Self> {
        KernelFile::open(format!("/proc/{id}/task/{id}/stat"), FILE_BYTES)
            .map(|file| Self { file, last: [0; 2] })
    }

    /// A thread that has ended keeps its last reading.
    fn read(&mut self) -> [i64; 2] {
        self.last = self.file.text().and_then(parse).unwrap_or(self.last);
        self.last
    }
}

/// The 14th and 15th field; the second is a name in parentheses that may hold anything.
fn parse(stat: &str) -> Option<[i64; 2]> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_ascii_whitespace().skip(11).map(|field| field.parse::<i64>().ok());
    Some([fields.next()??, fields.next()??].map(|ticks| ticks * TICK_NS))
}

impl Probe for Split {
    fn metrics(&self) -> Vec<Metric> {
        self.names.iter().map(|[name, description]| counter(name, "ns", description)).collect()
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        let sums = self.threads.iter_mut().map(Thread::read);
        readings.extend(sums.fold([0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use humdrum_contract::Process;

    use super::*;

    fn own_thread() -> u32 {
        rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
    }

    fn reading(probe: &mut dyn Probe) -> Vec<i64> {
        let mut readings = Vec::new();
        probe.read(&mut readings).expect("a reading");
        readings
    }

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 94 0 0 0 12 34 0 0 20 0 5 0 11";
        assert_eq!(parse(stat), Some([120_000_000, 340_000_000]));
        assert_eq!(parse("7 (x) S 1"), None);
    }

    #[test]
    fn a_thread_that_works_is_told_from_one_that_rests() {
        let (told, number) = std::sync::mpsc::channel();
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let resting = std::thread::spawn(move || {
            told.send(own_thread()).expect("told");
            let _ = wait.recv();
        });
        let of =
            |pid| ProbeContext { processes: vec![Process { pid, role: Role::Session }], data_folder: None };
        let mut rests = sessions(&of(number.recv().expect("its number"))).expect("a probe");
        let mut works = sessions(&of(own_thread())).expect("a probe");
        let before = reading(&mut *works);
        let began = Instant::now();
        let mut sum = 0u64;
        // Ticks find this thread at work soon, on a busy host too.
        while reading(&mut *works)[0] == before[0] && began.elapsed() < Duration::from_secs(60) {
            for number in 0..100_000 {
                sum = std::hint::black_box(sum ^ number);
            }
        }
        assert!(reading(&mut *works)[0] > before[0]);
        assert_eq!(reading(&mut *rests), [0, 0]);
        drop(done);
        resting.join().expect("ends");
    }

    #[test]
    fn each_role_has_metrics_of_its_own_and_a_process_that_is_gone_reads_as_nothing() {
        let gone = Process { pid: u32::MAX, role: Role::Session };
        let context = ProbeContext { processes: vec![gone], data_folder: None };
        for make in [sessions, background] {
            let mut probe = make(&context).expect("a probe");
            assert_eq!((reading(&mut *probe), probe.metrics().len()), (vec![0, 0], 2));
        }
        let names = |probe: Option<Box<dyn Probe>>| probe.expect("a probe").metrics()[1].name.clone();
        assert_eq!(names(sessions(&context)), "server_system_ns");
        assert_eq!(names(background(&context)), "background_system_ns");
    }
}
