//! Counts of latencies in buckets that are at most 1.6 % wide: small enough to stay in the processor's cache beside
//! the library's own working set, and cheap enough for every operation.
//!
//! Below 64 ns each value has a bucket; above, each power of two has 64.

const STEPS: u64 = 64;
const STEP_BITS: u32 = STEPS.trailing_zeros();
/// Up to 2^40 ns, eighteen minutes; longer ones count as that.
const BUCKETS: usize = ((40 - STEP_BITS as usize) + 1) * STEPS as usize;

pub(crate) struct Histogram {
    counts: Box<[u32; BUCKETS]>,
}

impl Histogram {
    pub(crate) fn new() -> Self {
        Self { counts: Box::new([0; BUCKETS]) }
    }

    #[inline]
    pub(crate) fn record(&mut self, ns: u64) {
        self.counts[bucket_of(ns)] += 1;
    }

    /// Non-empty buckets, (highest value, count), ascending; empties them.
    pub(crate) fn take(&mut self) -> Vec<(u64, u64)> {
        let mut taken = Vec::new();
        for (bucket, count) in self.counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            taken.push((highest_in(bucket), u64::from(std::mem::take(count))));
        }
        taken
    }
}

#[inline]
fn bucket_of(ns: u64) -> usize {
    let power = (ns | STEPS).ilog2() - STEP_BITS;
    let step = if ns < STEPS { ns } else { (ns >> power) - STEPS };
    let row = if ns < STEPS { 0 } else { u64::from(power) + 1 };
    ((row * STEPS + step) as usize).min(BUCKETS - 1)
}

fn highest_in(bucket: usize) -> u64 {
    let (row, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    if row == 0 { step } else { ((STEPS + step + 1) << (row - 1)) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_at_most_its_buckets_end_and_near_it() {
        for ns in (0..200).chain([1_000, 4_095, 4_096, 31_234, 1_000_000_007, (1 << 40) - 1]) {
            let end = highest_in(bucket_of(ns));
            assert!(end >= ns && end - ns <= ns / 60, "{ns} in a bucket up to {end}");
        }
    }

    #[test]
    fn buckets_follow_each_other() {
        let ends: Vec<u64> = (0..BUCKETS).map(highest_in).collect();
        assert!(ends.is_sorted_by(|a, b| a < b));
        assert!(ends.iter().enumerate().all(|(bucket, end)| bucket_of(*end) == bucket));
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn taking_empties() {
        let mut histogram = Histogram::new();
        [5, 5, 70_000].iter().for_each(|ns| histogram.record(*ns));
        let taken = histogram.take();
        assert_eq!((taken.len(), taken[0]), (2, (5, 2)));
        assert!(histogram.take().is_empty());
    }
}
