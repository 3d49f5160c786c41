//! Compares a device's counts with those of the kernel for the worker's process and with the library's log.

use std::path::PathBuf;

use humdrum_contract::{KvOperation, Probe, ProbeContext, Server};
use humdrum_engine_rocksdb::Rocksdb;
use humdrum_model::{Fault, Metric, Place};

use super::rig::{Rig, against_bar, batch, fill_seen, rate};

/// Bounds of the device's reads relative to those of the process.
const AGREES: [f64; 2] = [0.95, 1.05];

/// Prints reads and writes with O_DIRECT as counted by the device, by the kernel for the process, and by the library's
/// log.
pub(super) fn past_all_caches(rig: &Rig, keys: u64) -> Result<(), Fault> {
    // The smallest possible cache, and bulk data without a log.
    let settings = [
        ("", "iodir"),
        ("compression", "none"),
        ("block_cache_percent", "0"),
        ("block_cache_bytes", "8388608"),
    ];
    let place = Place::Version("10.10.1".into());
    let (mut session, server) = rig.started(&Rocksdb::default(), "direct", place, &settings)?;
    let mut seen = Seen::new(&*server)?;
    let before = seen.now()?;
    fill_seen(&mut *session, keys, || seen.now().map(drop))?;
    let filled = seen.now()?;
    println!("\nO_DIRECT, rocksdb 10.10.1, {keys} keys");
    let tables = filled.tables_written - before.tables_written;
    println!(
        "written while filling, MB: device {:.1}, process {:.1}, flushes and compactions by the library's log {tables:.1}; \
         device / log {:.3}",
        filled.device_written - before.device_written,
        filled.process_written - before.process_written,
        (filled.device_written - before.device_written) / tables
    );
    let count = keys / 10;
    rate(&mut *session, &batch(KvOperation::Get, count / 10, keys, 5))?;
    let before = seen.now()?;
    rate(&mut *session, &batch(KvOperation::Get, count, keys, 77))?;
    let after = seen.now()?;
    let of = |read: f64| read * 1e6 / 1024.0 / count as f64;
    let (device, process) =
        (of(after.device_read - before.device_read), of(after.process_read - before.process_read));
    println!(
        "read by {count} gets, rKB/o: device {device:.3}, process {process:.3}; ratio {:.4}, {}",
        device / process,
        against_bar(device / process, AGREES)
    );
    Ok(())
}

/// Sums so far, MB.
#[derive(Clone, Copy, Debug)]
struct Sums {
    device_read: f64,
    device_written: f64,
    process_read: f64,
    process_written: f64,
    tables_written: f64,
}

struct Seen {
    /// Absent where the data is on no block device.
    device: Option<Box<dyn Probe>>,
    engine: Box<dyn Probe>,
    io: PathBuf,
}

impl Seen {
    fn new(server: &dyn Server) -> Result<Self, Fault> {
        let context = ProbeContext { processes: Vec::new(), data_folder: server.data_folder() };
        let table = humdrum_probes::table();
        let factory = table.iter().find(|factory| factory.name == "device");
        let device = factory.and_then(|factory| (factory.make)(&context));
        let engine =
            server.probes().into_iter().next().ok_or_else(|| Fault::environment("no probe of rocksdb"))?;
        let worker = server.processes().iter().map(|process| process.pid).min().unwrap_or(0);
        Ok(Self { device, engine, io: format!("/proc/{worker}/io").into() })
    }

    fn now(&mut self) -> Result<Sums, Fault> {
        let [read, written] = ["device_read_kib", "device_write_kib"]
            .map(|name| self.device.as_mut().map_or(Ok(f64::NAN), |device| value(&mut **device, name)));
        let flushed = value(&mut *self.engine, "flush_written_bytes")?;
        let compacted = value(&mut *self.engine, "compaction_written_bytes")?;
        let io = std::fs::read_to_string(&self.io).unwrap_or_default();
        let bytes = |name: &str| {
            let line = io.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.and_then(|number| number.parse::<f64>().ok()).unwrap_or(f64::NAN)
        };
        Ok(Sums {
            device_read: read? * 1024.0 / 1e6,
            device_written: written? * 1024.0 / 1e6,
            process_read: bytes("read_bytes") / 1e6,
            process_written: bytes("write_bytes") / 1e6,
            tables_written: (flushed + compacted) / 1e6,
        })
    }
}

fn value(probe: &mut dyn Probe, name: &str) -> Result<f64, Fault> {
    let mut readings = Vec::new();
    probe.read(&mut readings)?;
    let place = Metric::position(&probe.metrics(), name);
    Ok(place.and_then(|place| readings.get(place)).copied().unwrap_or(0) as f64)
}
