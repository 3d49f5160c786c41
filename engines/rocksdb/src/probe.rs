//! What is read at slice edges: the library's own account of flushes, compactions and stalls, what was put into it,
//! and the process's memory. Each quantity is defined here, once, in the words that the record carries.
//!
//! ```text
//!   write amplification = (flush_written_bytes + compaction_written_bytes) / put_bytes
//!   c_mbps              = compaction_written_bytes / compaction_wall_us
//!   c_wsecs, c_csecs    = compaction_wall_us, compaction_cpu_us, in seconds
//!   stall %             = stall_ms / time of the slices
//! ```
//!
//! A flush counts once, and a log (where there is one) not at all: what a device is written beyond this is the log,
//! the file system's, and what was still on its way.

use std::fs;
use std::path::PathBuf;
use std::sync::PoisonError;

use humdrum_contract::{Outcome, Probe};
use humdrum_model::{Better, Metric, MetricKind};

use crate::events::EventLog;
use crate::session::SharedCounts;

/// A reading of the process's memory walks its page counts, and memory moves slowly.
const MEMORY_EVERY: u64 = 64;

pub(crate) struct RocksdbProbe {
    counts: SharedCounts,
    logs: Vec<EventLog>,
    status: PathBuf,
    edges: u64,
    rss_kib: i64,
}

impl RocksdbProbe {
    /// Of the worker `pid`, with the stores' folders.
    pub(crate) fn new(counts: SharedCounts, stores: &[PathBuf], pid: Option<u32>) -> Self {
        let logs = stores.iter().map(|folder| EventLog::new(folder.join("LOG"))).collect();
        let status = PathBuf::from(format!("/proc/{}/status", pid.unwrap_or(0)));
        Self { counts, logs, status, edges: 0, rss_kib: 0 }
    }

    /// The host's own probe would count a process once for each of its threads.
    fn memory(&mut self) -> i64 {
        if self.edges.is_multiple_of(MEMORY_EVERY) {
            let text = fs::read_to_string(&self.status).unwrap_or_default();
            let resident = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let kib = resident.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok());
            self.rss_kib = kib.unwrap_or(self.rss_kib);
        }
        self.edges += 1;
        self.rss_kib
    }
}

fn metric(name: &str, unit: &str, kind: MetricKind, description: &str) -> Metric {
    let better = Better::Less;
    Metric { name: name.into(), unit: unit.into(), better, kind, description: description.into() }
}

impl Probe for RocksdbProbe {
    fn metrics(&self) -> Vec<Metric> {
        let counter = |name, unit, description| metric(name, unit, MetricKind::Counter, description);
        let gauge = |name, unit, description| metric(name, unit, MetricKind::Gauge, description);
        let mut all = vec![
            gauge("rss_kib", "KiB", "resident memory of the worker process, the library's caches included"),
            gauge("block_cache_kib", "KiB", "what is in the block cache"),
            counter("put_bytes", "bytes", "keys and values put, before any compression"),
            counter("flush_written_bytes", "bytes", "table files written by flushes of memtables"),
            counter("compaction_read_bytes", "bytes", "table files read by compactions that began"),
            counter("compaction_written_bytes", "bytes", "table files written by compactions that ended"),
            counter("compaction_wall_us", "µs", "time that compactions took, added up over those that ended"),
            counter("compaction_cpu_us", "µs", "CPU time of those compactions"),
            counter("compactions", "count", "compactions that ended"),
            counter("stalls", "count", "times that writes began to be slowed or stopped"),
            counter("stall_ms", "ms", "time for which writes were held back or stopped"),
            counter("writer_writes", "count", "writes of the rate-limited writer beside the test"),
            counter("writer_response_us", "µs", "their response times, each from its intended start"),
            gauge("level0_files", "count", "files of the first level"),
            gauge("levels", "count", "levels that hold files"),
        ];
        all[2].better = Better::Neither;
        all
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        let memory_kib = self.memory();
        let counts = *self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let logs: Vec<_> = self.logs.iter_mut().map(EventLog::read).collect();
        let sum = |field: fn(&crate::events::Events) -> u64| logs.iter().map(field).sum::<u64>();
        // The first store is the one that is measured unless a test fills another.
        let tree = logs.first().copied().unwrap_or_default();
        let values = [
            counts.cache_bytes / 1024,
            counts.put_bytes,
            sum(|events| events.flush_written_bytes),
            sum(|events| events.compaction_read_bytes),
            sum(|events| events.compaction_written_bytes),
            sum(|events| events.compaction_wall_us),
            sum(|events| events.compaction_cpu_us),
            sum(|events| events.compactions),
            sum(|events| events.stalls),
            counts.stall_ms,
            counts.writer_writes,
            counts.writer_response_ns / 1000,
            tree.level0_files,
            tree.levels,
        ];
        readings.push(memory_kib);
        readings.extend(values.map(u64::cast_signed));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_many_as_it_names_and_names_none_twice() {
        let folder = tempfile::tempdir().expect("folder");
        let counts = SharedCounts::default();
        counts.lock().expect("lock").put_bytes = 420;
        let stores = [folder.path().join("main"), folder.path().join("scratch")];
        let mut probe = RocksdbProbe::new(counts, &stores, Some(std::process::id()));
        let names: Vec<String> = probe.metrics().into_iter().map(|metric| metric.name).collect();
        let mut readings = Vec::new();
        probe.read(&mut readings).expect("readings");
        assert_eq!(readings.len(), names.len());
        assert!(readings[0] > 500, "{readings:?} KiB");
        assert_eq!(readings[names.iter().position(|name| name == "put_bytes").expect("named")], 420);
        assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)));
    }
}
