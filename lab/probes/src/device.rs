//! Reads, writes, waits and flushes of the block device under a subject's data: `/sys/dev/block/MAJOR:MINOR/stat`.
//!
//! All subjects and the host share the device. Because subjects take turns, reads and writes during a
//! subject's slices are its own, except for writes that are left over from others.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use humdrum_contract::{Outcome, Probe, ProbeContext};
use humdrum_model::Metric;

use crate::file::{KernelFile, counter, number};

/// Indices of the file's fields (kernel documentation, `block/stat`), in the order of the metrics: reads, sectors read,
/// writes, sectors written, milliseconds that reads and writes took, milliseconds with any of them in flight, and the
/// sum of all milliseconds in flight.
const FIELDS: [usize; 8] = [0, 2, 4, 6, 3, 7, 9, 10];
/// Flushes, from Linux 5.5 on.
const FLUSHES: usize = 15;

pub(crate) fn make(context: &ProbeContext) -> Option<Box<dyn Probe>> {
    let file = context.data_folder.as_deref().and_then(open)?;
    let flushes = context.data_folder.as_deref().and_then(open_flushes);
    Some(Box::new(Device { file, flushes, last: [0; 8], last_flushes: 0 }))
}

/// What the device under a folder has done since the host began: reads, KiB read, writes, KiB written, flushes (0 where the kernel
/// does not count them). `None` without a block device.
pub fn counts(folder: &Path) -> Option<[u64; 5]> {
    let done = values(open(folder)?.text()?);
    let flushes = open_flushes(folder).and_then(|mut file| number(file.text()?, FLUSHES)).unwrap_or(0);
    Some([done[0], done[1], done[2], done[3], flushes].map(i64::cast_unsigned))
}

/// `None` without a block device. Otherwise zeros of tmpfs, network and overlay file systems would look like no reads.
fn open(folder: &Path) -> Option<KernelFile> {
    statistics(&device_of(folder)?.join("stat"))
}

/// The file that counts flushes: for a partition, that of the whole disk. `None` where the kernel does not count them.
fn open_flushes(folder: &Path) -> Option<KernelFile> {
    let device = device_of(folder)?;
    let whole = if device.join("partition").exists() { device.join("../stat") } else { device.join("stat") };
    let mut file = statistics(&whole)?;
    file.text().and_then(|text| number(text, FLUSHES))?;
    Some(file)
}

fn device_of(folder: &Path) -> Option<PathBuf> {
    let device = std::fs::metadata(folder).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    Some(PathBuf::from(format!("/sys/dev/block/{major}:{minor}")))
}

/// Seventeen numbers on a line.
fn statistics(path: &Path) -> Option<KernelFile> {
    KernelFile::open(path, 512)
}

struct Device {
    file: KernelFile,
    flushes: Option<KernelFile>,
    last: [i64; 8],
    last_flushes: i64,
}

/// The values of the metrics, from the text of the file.
fn values(text: &str) -> [i64; 8] {
    let mut values = FIELDS.map(|field| number(text, field).unwrap_or(0));
    // A sector of this file is 512 bytes, whatever the device's sectors are.
    values[1] /= 2;
    values[3] /= 2;
    values
}

impl Probe for Device {
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = vec![
            counter("device_reads", "count", "reads completed by the device that holds the data"),
            counter("device_read_kib", "KiB", "read from that device"),
            counter("device_writes", "count", "writes completed by that device"),
            counter("device_write_kib", "KiB", "written to that device"),
            counter(
                "device_read_wait_ms",
                "ms",
                "from the issue of each read of that device to its end, added up",
            ),
            counter("device_write_wait_ms", "ms", "the same of its writes"),
            counter("device_busy_ms", "ms", "time in which that device had any request in flight"),
            counter("device_queue_ms", "ms", "time of all requests in flight, added up"),
        ];
        if self.flushes.is_some() {
            metrics.push(counter("device_flushes", "count", "flushes completed by that device"));
        }
        metrics
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        if let Some(text) = self.file.text() {
            self.last = values(text);
        }
        readings.extend(self.last);
        if let Some(file) = &mut self.flushes {
            self.last_flushes =
                file.text().and_then(|text| number(text, FLUSHES)).unwrap_or(self.last_flushes);
            readings.push(self.last_flushes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_its_field() {
        let text = "  308066 24942 37001410 382331 543850 197863 156918168 471162 3 90584 870077 94237 114 60744360 11182 137132 5401\n";
        assert_eq!(
            values(text),
            [308_066, 18_500_705, 543_850, 78_459_084, 382_331, 471_162, 90_584, 870_077]
        );
        assert_eq!(number(text, FLUSHES), Some(137_132));
        // Before Linux 5.5 there are no flushes, and before 4.18 no discards.
        assert_eq!(number("1 2 3 4 5 6 7 8 9 10 11", FLUSHES), None);
    }

    #[test]
    fn a_reading_has_a_value_for_every_metric() {
        let folder = std::env::current_dir().expect("a folder");
        let Some(mut probe) = make(&ProbeContext { processes: Vec::new(), data_folder: Some(folder) }) else {
            return;
        };
        let mut readings = Vec::new();
        probe.read(&mut readings).expect("read");
        let now = counts(&std::env::current_dir().expect("a folder")).expect("counts");
        assert!(now[0] >= readings[0].cast_unsigned() && now[3] >= readings[3].cast_unsigned(), "{now:?}");
        assert_eq!(readings.len(), probe.metrics().len());
        assert!(readings.len() >= 8 && readings.iter().all(|value| *value >= 0), "{readings:?}");
    }

    #[test]
    fn is_absent_without_a_device() {
        let of = |data_folder| make(&ProbeContext { processes: Vec::new(), data_folder });
        assert!(of(Some("/proc".into())).is_none() && of(None).is_none());
    }
}
