//! The quantities that the host's probes read from real processes, computed from virtual work. They have the
//! same names, so that later stages treat them alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use humdrum_contract::{Outcome, Probe};
use humdrum_model::{Better, Metric, MetricKind};

use crate::state::State;

/// Name, unit, and what it is.
const METRICS: [(&str, &str, &str); 15] = [
    ("server_cpu_ns", "ns", "CPU time of processes that serve connections"),
    ("background_cpu_ns", "ns", "CPU time of the server's other processes"),
    ("server_switches", "count", "context switches of the server's processes"),
    ("run_queue_wait_ns", "ns", "time that the server's processes waited for a processor"),
    ("device_reads", "count", "reads of the device that holds the data"),
    ("device_read_kib", "KiB", "amount read from that device"),
    ("device_writes", "count", "writes of the device that holds the data"),
    ("device_write_kib", "KiB", "amount written to that device"),
    ("disk_wait_ns", "ns", "time that sessions waited for a disk"),
    ("lock_wait_ns", "ns", "time that sessions waited for each other"),
    ("rss_kib", "KiB", "memory of the server's processes"),
    ("server_user_ns", "ns", "CPU time in user mode of processes that serve connections"),
    ("server_system_ns", "ns", "CPU time of those processes in the kernel"),
    ("background_user_ns", "ns", "CPU time in user mode of the server's other processes"),
    ("background_system_ns", "ns", "CPU time of those in the kernel"),
];

/// What a store's server tells besides.
const WRITER: [(&str, &str, &str); 2] = [
    ("writer_writes", "count", "writes of the rate-limited writer beside the test"),
    ("writer_due", "count", "writes that it should have done by then"),
];

/// A small server's, so that tables show a number.
const RSS_KIB: i64 = 40_960;

pub(crate) struct FakeProbe {
    pub state: Arc<State>,
    /// Tells of the writer beside batches too.
    pub kv: bool,
}

impl FakeProbe {
    /// CPU of sessions in user mode and in the kernel, and the same of the background, which works in user mode alone.
    fn by_mode(&self) -> [i64; 4] {
        let counters = &self.state.counters;
        let read = |counter: &AtomicI64| counter.load(Ordering::Relaxed);
        let system = read(&counters.server_system_ns);
        [read(&counters.server_cpu_ns) - system, system, read(&counters.background_cpu_ns), 0]
    }
}

impl Probe for FakeProbe {
    fn metrics(&self) -> Vec<Metric> {
        let writer = if self.kv { &WRITER[..] } else { &[] };
        METRICS
            .iter()
            .chain(writer)
            .map(|(name, unit, description)| Metric {
                name: (*name).to_owned(),
                unit: (*unit).to_owned(),
                better: Better::Less,
                kind: if *name == "rss_kib" { MetricKind::Gauge } else { MetricKind::Counter },
                description: (*description).to_owned(),
            })
            .collect()
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        let counters = &self.state.counters;
        let now = [
            &counters.server_cpu_ns,
            &counters.background_cpu_ns,
            &counters.server_switches,
            &counters.run_queue_wait_ns,
        ];
        readings.extend(now.map(|counter| counter.load(Ordering::Relaxed)));
        // Everything is in memory: nothing is read from a device.
        readings.extend([0, 0]);
        let writes = [
            &counters.device_writes,
            &counters.device_write_kib,
            &counters.disk_wait_ns,
            &counters.lock_wait_ns,
        ];
        readings.extend(writes.map(|counter| counter.load(Ordering::Relaxed)));
        readings.push(RSS_KIB);
        readings.extend(self.by_mode());
        if self.kv {
            let writer = [&self.state.writer.writes, &self.state.writer.due];
            readings.extend(writer.map(|counter| counter.load(Ordering::Relaxed).cast_signed()));
        }
        Ok(())
    }
}
