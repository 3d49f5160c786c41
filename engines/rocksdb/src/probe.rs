//! Quantities read at slice edges: the library's counts of flushes, compactions and stalls, the bytes put,
//! and the process's memory. Each quantity is defined here, once, in the words of the record.
//!
//! Columns computed from them (write amplification, stall % …) are defined in
//! `analyse/src/levels/definitions.rs`.

use std::fs;
use std::path::PathBuf;
use std::sync::PoisonError;

use humdrum_contract::{Outcome, Probe};
use humdrum_model::{Better, Metric, MetricKind};

use crate::events::EventLog;
use crate::session::SharedCounts;

/// A reading of the process's memory walks its page counts, and memory moves slowly.
const MEMORY_EVERY: u64 = 64;

/// Milliseconds of one tick of `/proc/PID/stat`: the kernel has told times there in hundredths of a second since 2.6.
const TICK_MS: u64 = 10;

pub(crate) struct RocksdbProbe {
    counts: SharedCounts,
    logs: Vec<EventLog>,
    status: PathBuf,
    stat: PathBuf,
    edges: u64,
    rss_kib: i64,
    cpu_ms: [u64; 2],
}

impl RocksdbProbe {
    /// Of the worker `pid`, with the stores' folders.
    pub(crate) fn new(counts: SharedCounts, stores: &[PathBuf], pid: Option<u32>) -> Self {
        let logs = stores.iter().map(|folder| EventLog::new(folder.join("LOG"))).collect();
        let [status, stat] =
            ["status", "stat"].map(|name| PathBuf::from(format!("/proc/{}/{name}", pid.unwrap_or(0))));
        Self { counts, logs, status, stat, edges: 0, rss_kib: 0, cpu_ms: [0; 2] }
    }

    /// User and system time of all threads, those that have ended included. In hundredths of a second; over a
    /// run, a process that is frozen between its slices loses nothing by the rounding.
    fn cpu_ms(&mut self) -> [u64; 2] {
        let text = fs::read_to_string(&self.stat).unwrap_or_default();
        self.cpu_ms = parse_cpu_ms(&text).unwrap_or(self.cpu_ms);
        self.cpu_ms
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

/// The 14th and 15th field; the second is a name in parentheses that may hold anything.
fn parse_cpu_ms(stat: &str) -> Option<[u64; 2]> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_ascii_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    Some([fields.next()??, fields.next()??].map(|ticks| ticks * TICK_MS))
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
            counter("got_bytes", "bytes", "keys and values that reads returned"),
            counter("user_cpu_ms", "ms", "CPU time of the worker process in user mode, all its threads"),
            counter("system_cpu_ms", "ms", "the same in the kernel"),
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
            counter("writer_due", "count", "writes that it should have done by then"),
            gauge("level0_files", "count", "files of the first level"),
            gauge("levels", "count", "levels that hold files"),
        ];
        all[2].better = Better::Neither;
        all[3].better = Better::Neither;
        all
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        let memory_kib = self.memory();
        let [user_ms, system_ms] = self.cpu_ms();
        let counts = *self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let logs: Vec<_> = self.logs.iter_mut().map(EventLog::read).collect();
        let sum = |field: fn(&crate::events::Events) -> u64| logs.iter().map(field).sum::<u64>();
        // The first store is the one that is measured unless a test fills another.
        let tree = logs.first().copied().unwrap_or_default();
        let values = [
            counts.cache_bytes / 1024,
            counts.put_bytes,
            counts.got_bytes,
            user_ms,
            system_ms,
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
            counts.writer_due,
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
    fn cpu_times_are_found_behind_any_name() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 94 0 0 0 12 34 0 0 20 0 5 0 11";
        assert_eq!(parse_cpu_ms(stat), Some([120, 340]));
        assert_eq!(parse_cpu_ms("7 (x) S 1"), None);
    }

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
