//! Finds from readings of the calibration kernel when the host was disturbed.
//!
//! The rule is fixed before measuring. A run's first `FIRST` readings give, for each part, the median m and
//! the spread s (the median distance from m, times 1.4826: the standard deviation of normal readings). A
//! reading that is above m + 5 s, and above 1.2 m, is off: the host was slower than usual by more than its
//! usual spread, and by enough to matter. Readings below m are never off, because a faster host disturbs
//! nothing. The first readings are judged by the same limits; medians are reliable while fewer than half of
//! the readings are off.
//!
//! The rule does not use results of servers.

use crate::kernel::KernelReading;

/// Readings that set the limits.
pub const FIRST: usize = 20;

/// Spreads above the median that are still usual.
const SPREADS: f64 = 5.0;

/// Times the median that is still usual, however small the spread: 6 ms of work vary that much on a quiet host.
const FACTOR: f64 = 1.2;

/// The standard deviation of normal readings, in median distances.
const NORMAL: f64 = 1.4826;

/// A part's name, and its number in a reading.
type Part = (&'static str, fn(&KernelReading) -> f64);

const PARTS: [Part; 3] = [
    ("integer loop", |reading| reading.integer_ns),
    ("memory walk", |reading| reading.memory_ns),
    ("system calls", |reading| reading.call_ns),
];

/// What is usual on this host, by part, in nanoseconds per step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    usual: [f64; 3],
    most: [f64; 3],
}

impl Limits {
    /// From a run's first readings; more are left out, and fewer than `FIRST` set no limits.
    pub fn of(readings: &[KernelReading]) -> Option<Self> {
        Self::of_all(readings.get(..FIRST)?)
    }

    /// From these readings, however few; `None` of none.
    pub(crate) fn of_all(readings: &[KernelReading]) -> Option<Self> {
        if readings.is_empty() {
            return None;
        }
        let usual = PARTS.map(|(_, part)| median(readings.iter().map(part).collect()));
        let mut most = [0.0; 3];
        for (index, (_, part)) in PARTS.iter().enumerate() {
            let distances = readings.iter().map(|reading| (part(reading) - usual[index]).abs());
            let spread = NORMAL * median(distances.collect());
            most[index] = (usual[index] + SPREADS * spread).max(usual[index] * FACTOR);
        }
        Some(Self { usual, most })
    }

    /// Which limit a reading breaks, in words; `None` for a usual reading.
    pub fn broken_by(&self, reading: &KernelReading) -> Option<String> {
        let beyond = |index: &usize| PARTS[*index].1(reading) > self.most[*index];
        let excess = |index: &usize| PARTS[*index].1(reading) / self.usual[*index];
        let index = (0..PARTS.len()).filter(beyond).max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
        let (name, part) = PARTS[index];
        Some(format!(
            "calibration kernel, {name}: {:.1} ns a step, usual {:.1}, limit {:.1}",
            part(reading),
            self.usual[index],
            self.most[index]
        ))
    }
}

/// Judges a run's readings in the order in which they were taken: why each is off, `None` for usual ones. A run with fewer
/// than `FIRST` readings has no limits, and none of its readings is off.
pub fn disturbed(readings: &[KernelReading]) -> Vec<Option<String>> {
    let limits = Limits::of(readings);
    readings.iter().map(|reading| limits.as_ref()?.broken_by(reading)).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (below, above) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
    f64::midpoint(below, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reading by how much slower each part is than usual.
    fn reading([integer, memory, call]: [f64; 3]) -> KernelReading {
        KernelReading { integer_ns: 1.5 * integer, memory_ns: 90.0 * memory, call_ns: 4000.0 * call }
    }

    /// Readings that vary by 2 % around the usual.
    fn quiet(count: usize) -> Vec<KernelReading> {
        (0..count).map(|index| reading([1.0 + 0.01 * (index % 5) as f64 - 0.02; 3])).collect()
    }

    #[test]
    fn a_quiet_host_has_no_reading_off() {
        let readings = quiet(200);
        assert!(disturbed(&readings).iter().all(Option::is_none));
        let faster = [quiet(20), vec![reading([0.5; 3])]].concat();
        assert!(disturbed(&faster).iter().all(Option::is_none), "a faster host is not a disturbance");
    }

    #[test]
    fn a_slower_part_is_named() {
        let readings = [quiet(20), vec![reading([1.0, 1.5, 1.3]), reading([1.0, 1.1, 1.0])]].concat();
        let found = disturbed(&readings);
        assert_eq!(
            found[20].as_deref(),
            Some("calibration kernel, memory walk: 135.0 ns a step, usual 90.0, limit 108.0")
        );
        assert!(found[21].is_none(), "a tenth is within the limits");
    }

    #[test]
    fn limits_follow_the_spread_of_the_first_readings_and_not_the_odd_ones_out() {
        let mut readings: Vec<_> =
            (0..20).map(|index| reading([if index % 2 == 0 { 0.9 } else { 1.1 }; 3])).collect();
        readings.push(reading([1.6; 3]));
        assert!(disturbed(&readings)[20].is_none(), "5 spreads of 0.148 above the median");
        readings.push(reading([1.8; 3]));
        assert!(disturbed(&readings)[21].is_some());
        let mut odd = quiet(20);
        odd[..9].fill(reading([3.0; 3]));
        odd.push(reading([1.0; 3]));
        let found = disturbed(&odd);
        assert!(found[20].is_none());
        let mut few = quiet(20);
        few[3] = reading([1.0, 1.0, 2.0]);
        assert!(disturbed(&few)[3].as_ref().is_some_and(|why| why.contains("system calls")));
    }

    #[test]
    fn too_few_readings_judge_nothing() {
        let readings = [quiet(FIRST - 2), vec![reading([9.0; 3])]].concat();
        assert!(disturbed(&readings).iter().all(Option::is_none));
        assert!(disturbed(&[]).is_empty() && Limits::of_all(&[]).is_none());
    }
}
