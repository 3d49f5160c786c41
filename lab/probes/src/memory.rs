//! Memory of a server's processes: `/proc/PID/status`.
//!
//! Shared memory is counted once: the anonymous and file pages of all processes, plus the largest shared mapping that
//! any of them has touched. A sum of resident sizes would count a buffer pool once for every connection. Threads of one
//! process are counted once.

use std::time::{Duration, Instant};

use humdrum_contract::{Outcome, Probe, ProbeContext};
use humdrum_model::{Better, Metric, MetricKind};

use crate::file::KernelFile;

/// Shortest time between two readings. A reading takes tens of microseconds per process, too long for every edge of a
/// slice, and memory changes slowly. It is a time and not a number of edges, because a chunk of seconds has only two.
const READ_EVERY: Duration = Duration::from_millis(250);

pub(crate) fn make(context: &ProbeContext) -> Option<Box<dyn Probe>> {
    let open = |pid| KernelFile::open(format!("/proc/{pid}/status"), 4096);
    let mut seen = Vec::new();
    let mut files: Vec<KernelFile> =
        context.processes.iter().filter_map(|process| open(process.pid)).collect();
    files.retain_mut(|file| {
        let group = file.text().and_then(thread_group);
        let new = group.is_none_or(|group| !seen.contains(&group));
        seen.extend(group);
        new
    });
    Some(Box::new(Memory { files, read_at: None, last_kib: 0 }))
}

/// The process that a thread belongs to.
fn thread_group(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

struct Memory {
    files: Vec<KernelFile>,
    read_at: Option<Instant>,
    last_kib: i64,
}

impl Memory {
    fn resident_kib(&mut self) -> i64 {
        let (mut own, mut shared) = (0, 0);
        for text in self.files.iter_mut().filter_map(KernelFile::text) {
            own += field_kib(text, "RssAnon:") + field_kib(text, "RssFile:");
            shared = shared.max(field_kib(text, "RssShmem:"));
        }
        own + shared
    }

    /// The memory at an edge, from a reading that is at most `READ_EVERY` old.
    fn at(&mut self, now: Instant) -> i64 {
        let fresh = self.read_at.is_some_and(|read_at| now.duration_since(read_at) < READ_EVERY);
        if !fresh {
            self.last_kib = self.resident_kib();
            self.read_at = Some(now);
        }
        self.last_kib
    }
}

fn field_kib(text: &str, name: &str) -> i64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0)
}

impl Probe for Memory {
    fn metrics(&self) -> Vec<Metric> {
        vec![Metric {
            name: "rss_kib".into(),
            unit: "KiB".into(),
            better: Better::Less,
            kind: MetricKind::Gauge,
            description: "memory of the server's processes, shared memory counted once".into(),
        }]
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        readings.push(self.at(Instant::now()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use humdrum_contract::{Process, Role};

    use super::*;

    #[test]
    fn sees_this_process() {
        let own = Process { pid: std::process::id(), role: Role::Background };
        let mut probe = make(&ProbeContext { processes: vec![own], data_folder: None }).expect("a probe");
        let mut readings = Vec::new();
        probe.read(&mut readings).expect("a reading");
        assert!(readings[0] > 500, "{readings:?} KiB");
    }

    #[test]
    fn both_edges_of_a_chunk_of_seconds_are_read_and_few_of_short_slices() {
        let own = KernelFile::open("/proc/self/status", 4096).expect("a file");
        let mut memory = Memory { files: vec![own], read_at: None, last_kib: 0 };
        let began = Instant::now();
        let mut is_read = |after_ms| {
            memory.last_kib = -1;
            memory.at(began + Duration::from_millis(after_ms)) > 0
        };
        assert!(is_read(0), "the first edge");
        assert!(!is_read(3) && !is_read(249), "slices of milliseconds");
        assert!(is_read(2249), "the end of a chunk");
        assert!(!is_read(2252) && is_read(2499));
    }

    #[test]
    fn threads_of_one_process_are_counted_once() {
        let processes = |pids: &[u32]| -> Vec<Process> {
            pids.iter().map(|pid| Process { pid: *pid, role: Role::Background }).collect()
        };
        let (ready, told) = std::sync::mpsc::channel();
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            ready.send(rustix::thread::gettid().as_raw_pid().cast_unsigned()).expect("told");
            let _ = wait.recv();
        });
        let (own, other) = (std::process::id(), told.recv().expect("its number"));
        let level = |pids: &[u32]| {
            let context = ProbeContext { processes: processes(pids), data_folder: None };
            let mut readings = Vec::new();
            make(&context).expect("a probe").read(&mut readings).expect("a reading");
            readings[0]
        };
        let (one, both) = (level(&[own]), level(&[own, other, own]));
        assert!(both < one * 3 / 2, "{one} KiB alone, {both} KiB together");
        drop(done);
        thread.join().expect("ends");
    }

    #[test]
    fn reads_a_field() {
        assert_eq!(field_kib("VmPeak:  9 kB\nRssAnon:\t    1234 kB\n", "RssAnon:"), 1234);
    }
}
