//! Reads and writes of the block device under a subject's data: `/sys/dev/block/MAJOR:MINOR/stat`.
//!
//! All subjects and the host share the device. Because subjects take turns, reads and writes during a
//! subject's slices are its own, except for writes that are left over from others.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use humdrum_contract::{Outcome, Probe, ProbeContext};
use humdrum_model::Metric;

use crate::file::{KernelFile, counter, number};

/// Indices of the file's fields (kernel documentation, `block/stat`), in the order of the metrics: reads, sectors read,
/// writes, sectors written.
const FIELDS: [usize; 4] = [0, 2, 4, 6];

pub(crate) fn make(context: &ProbeContext) -> Option<Box<dyn Probe>> {
    let file = context.data_folder.as_deref().and_then(open)?;
    Some(Box::new(Device { file, last: [0; 4] }))
}

/// `None` without a block device. Otherwise zeros of tmpfs, network and overlay file systems would look like no reads.
fn open(folder: &Path) -> Option<KernelFile> {
    let device = std::fs::metadata(folder).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    // Seventeen numbers on a line.
    KernelFile::open(format!("/sys/dev/block/{major}:{minor}/stat"), 512)
}

struct Device {
    file: KernelFile,
    last: [i64; 4],
}

impl Probe for Device {
    fn metrics(&self) -> Vec<Metric> {
        vec![
            counter("device_reads", "count", "reads completed by the device that holds the data"),
            counter("device_read_kib", "KiB", "read from that device"),
            counter("device_writes", "count", "writes completed by that device"),
            counter("device_write_kib", "KiB", "written to that device"),
        ]
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        if let Some(text) = self.file.text() {
            let [reads, read_sectors, writes, write_sectors] =
                FIELDS.map(|field| number(text, field).unwrap_or(0));
            // A sector of this file is 512 bytes, whatever the device's sectors are.
            self.last = [reads, read_sectors / 2, writes, write_sectors / 2];
        }
        readings.extend(self.last);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_absent_without_a_device() {
        let of = |data_folder| make(&ProbeContext { processes: Vec::new(), data_folder });
        assert!(of(Some("/proc".into())).is_none() && of(None).is_none());
    }
}
