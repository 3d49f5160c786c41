//! Latency histograms: HDR, from 1 ns up, three significant digits.

use hdrhistogram::Histogram;

/// Latencies that are noted before they are counted into buckets. The servers' work since the last operation has
/// evicted the buckets from the caches; a list that is appended to stays cached. Notes of a slice of 10 ms fit, and
/// are counted after the slice.
const NOTED_MOST: usize = 4096;

/// Latencies of one subject within one test and session.
pub(crate) struct Latencies {
    counted: Histogram<u64>,
    noted: Vec<u64>,
}

impl Latencies {
    pub(crate) fn new() -> Self {
        // It resizes itself: the part in use stays small, and no latency is too long.
        let counted = Histogram::new(3).expect("three digits are within the crate's range of 0 to 5");
        Self { counted, noted: Vec::with_capacity(NOTED_MOST) }
    }

    #[inline]
    pub(crate) fn record(&mut self, latency_ns: u64) {
        if self.noted.len() == NOTED_MOST {
            self.count();
        }
        self.noted.push(latency_ns);
    }

    /// Counts what was noted. Called between slices.
    pub(crate) fn count(&mut self) {
        for latency_ns in self.noted.drain(..) {
            // This fails only beyond the histogram's limit, which is centuries.
            let _ = self.counted.record(latency_ns);
        }
    }

    /// Adds latencies that were counted elsewhere.
    pub(crate) fn record_many(&mut self, latency_ns: u64, count: u64) {
        let _ = self.counted.record_n(latency_ns, count);
    }

    pub(crate) fn clear(&mut self) {
        self.counted.reset();
        self.noted.clear();
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.noted.extend(&other.noted);
        self.count();
        self.counted.add(&other.counted).expect("an auto-resizing histogram takes any other");
    }

    /// Non-empty buckets as (highest value in ns, count), ascending.
    pub(crate) fn buckets(&self) -> Vec<(u64, u64)> {
        let mut all = Self { counted: self.counted.clone(), noted: self.noted.clone() };
        all.count();
        all.counted.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_three_digits() {
        let mut latencies = Latencies::new();
        latencies.record(31_234);
        latencies.record(31_234);
        latencies.record(7_000_000_000);
        (0..NOTED_MOST).for_each(|_| latencies.record(50));
        let buckets = latencies.buckets();
        assert_eq!((buckets.len(), buckets[0]), (3, (50, NOTED_MOST as u64)));
        assert!(buckets[1].0.abs_diff(31_234) <= 32 && buckets[1].1 == 2);
        assert!(buckets[2].0.abs_diff(7_000_000_000) <= 8_000_000);
    }
}
