//! Latency histograms: HDR, from 1 ns up, three significant digits.

use hdrhistogram::Histogram;

/// Latencies of one subject within one test and session.
pub(crate) struct Latencies(Histogram<u64>);

impl Latencies {
    pub(crate) fn new() -> Self {
        // Auto-resizing: the touched part stays small, and no latency is too long to be kept.
        Self(Histogram::new(3).expect("three digits are within the crate's range of 0 to 5"))
    }

    #[inline]
    pub(crate) fn record(&mut self, latency_ns: u64) {
        // Resizes as needed; it fails only beyond the histogram's own limit of centuries.
        let _ = self.0.record(latency_ns);
    }

    /// Latencies that somebody else counted.
    pub(crate) fn record_many(&mut self, latency_ns: u64, count: u64) {
        let _ = self.0.record_n(latency_ns, count);
    }

    pub(crate) fn clear(&mut self) {
        self.0.reset();
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("an auto-resizing histogram takes any other");
    }

    /// Non-empty buckets as (highest value in ns, count), ascending.
    pub(crate) fn buckets(&self) -> Vec<(u64, u64)> {
        self.0.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
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
        let buckets = latencies.buckets();
        assert_eq!(buckets.len(), 2);
        assert!(buckets[0].0.abs_diff(31_234) <= 32 && buckets[0].1 == 2);
        assert!(buckets[1].0.abs_diff(7_000_000_000) <= 8_000_000);
    }
}
