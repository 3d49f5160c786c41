//! CPU time that the hypervisor gave to other machines while this host wanted it: the eighth number of the first line
//! of `/proc/stat`, in ticks of 10 ms.
//!
//! A tick is as long as a slice, so that steal is read at the edges of windows of a second instead.

use humdrum_contract::{Outcome, Probe};
use humdrum_model::{Better, Metric, MetricKind};

use crate::file::{KernelFile, number};

pub(crate) fn make() -> Option<Box<dyn Probe>> {
    // Only the first line is used, but the kernel formats the whole file (about 50 µs).
    KernelFile::open("/proc/stat", 256).map(|file| Box::new(Steal { file, last: 0 }) as Box<dyn Probe>)
}

struct Steal {
    file: KernelFile,
    last: i64,
}

impl Probe for Steal {
    fn metrics(&self) -> Vec<Metric> {
        vec![Metric {
            name: "host_steal_ticks".into(),
            unit: "ticks of 10 ms".into(),
            better: Better::Less,
            kind: MetricKind::Counter,
            description: "CPU time that the hypervisor gave to others while this host wanted it".into(),
        }]
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        self.last = self.file.text().and_then(|text| number(text, 8)).unwrap_or(self.last);
        readings.push(self.last);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_eighth_number_after_the_label() {
        assert_eq!(number("cpu  1 2 3 4 5 6 7 8 9 10\n", 8), Some(8));
        let mut readings = Vec::new();
        make().expect("a probe").read(&mut readings).expect("a reading");
        assert!(readings[0] >= 0);
    }
}
