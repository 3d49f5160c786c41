//! Readings of the calibration kernel beside the blocks of a run.
//!
//! A reading is taken before the warm-up of each cell and after its last block. Its 6 ms replace the contents of some
//! caches, which the warm-up loads again. The run's first `FIRST` readings set the limits (`disturbed.rs`). The rule: where
//! the reading before a cell and the one after it are both off, the host was disturbed for as long as the cell took,
//! and its blocks are discarded, for all subjects alike. One reading alone discards nothing: what disturbs the host for
//! less than a cell meets all subjects, because they alternate within milliseconds.

use crate::disturbed::{FIRST, Limits};
use crate::kernel::{HostKernel, KernelReading};

/// A reading, and which limit it breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The reading.
    pub reading: KernelReading,
    /// The limit in words; `None` for a usual reading.
    pub off: Option<String>,
}

/// Takes and judges the readings of one run.
#[derive(Debug, Default)]
pub struct KernelWatch {
    kernel: Option<HostKernel>,
    tried: bool,
    first: Vec<KernelReading>,
    limits: Option<Limits>,
}

impl KernelWatch {
    /// Takes a reading. `None` where the host does not let the kernel run.
    pub fn take(&mut self) -> Option<Judged> {
        if !self.tried {
            self.tried = true;
            self.kernel = HostKernel::new().ok();
        }
        // A kernel that fails once is not asked again: the run goes on without it.
        let reading = self.kernel.as_mut()?.measure().ok();
        if reading.is_none() {
            self.kernel = None;
        }
        reading.map(|reading| self.judge(reading))
    }

    fn judge(&mut self, reading: KernelReading) -> Judged {
        if self.limits.is_none() {
            self.first.push(reading);
            self.limits = (self.first.len() >= FIRST).then(|| Limits::of(&self.first)).flatten();
        }
        Judged { reading, off: self.limits.as_ref().and_then(|limits| limits.broken_by(&reading)) }
    }
}

/// Why the blocks between two readings are discarded: both are off.
pub fn disturbed_between(before: Option<&Judged>, after: Option<&Judged>) -> Option<String> {
    let (before, after) = (before?.off.as_ref()?, after?.off.as_ref()?);
    Some(format!("host disturbed before and after: {before}; {after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(times: f64) -> KernelReading {
        KernelReading { integer_ns: 1.5, memory_ns: 90.0 * times, call_ns: 4000.0 }
    }

    /// A watch that has seen a quiet host.
    fn watch() -> KernelWatch {
        let mut watch = KernelWatch::default();
        (0..FIRST).for_each(|index| {
            watch.judge(reading(1.0 + 0.01 * (index % 3) as f64));
        });
        watch
    }

    #[test]
    fn the_first_readings_set_the_limits_of_all_later_ones() {
        let mut watch = watch();
        assert_eq!(watch.judge(reading(1.1)).off, None);
        assert!(watch.judge(reading(1.5)).off.is_some_and(|why| why.contains("memory walk")));
        (0..100).for_each(|_| drop(watch.judge(reading(1.5))));
        assert!(watch.judge(reading(1.5)).off.is_some(), "a host that stays slow does not become usual");
    }

    #[test]
    fn a_cell_is_discarded_where_both_readings_are_off() {
        let mut watch = watch();
        let [usual, off] = [1.0, 2.0].map(|times| watch.judge(reading(times)));
        assert_eq!(disturbed_between(Some(&usual), Some(&off)), None);
        assert_eq!(disturbed_between(Some(&off), None), None);
        let why = disturbed_between(Some(&off), Some(&off)).expect("discarded");
        assert!(why.starts_with("host disturbed before and after: calibration kernel, memory walk"), "{why}");
    }

    #[test]
    fn a_real_host_has_a_reading() {
        let judged = KernelWatch::default().take().expect("a reading");
        assert!(judged.off.is_none() && judged.reading.integer_ns > 0.0);
    }
}
