//! A loop of dependent integer operations. Its speed depends on the processor's clock and not on caches.

use std::hint::black_box;

/// Steps of a batch: some microseconds, so that reading the clock costs little beside it.
pub(super) const STEPS: u32 = 1024;

/// Marsaglia's xorshift: six operations, each of which needs the result of the one before. Unlike multiplications and
/// additions of constants, compilers do not merge several steps into one.
fn next(mut number: u64) -> u64 {
    number ^= number << 13;
    number ^= number >> 7;
    number ^ (number << 17)
}

/// The number a batch after `number`, which is not 0.
pub(super) fn steps(number: u64) -> u64 {
    black_box((0..STEPS).fold(black_box(number), |number, _| next(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_done() {
        let mut number = 1;
        for _ in 0..STEPS {
            number = next(number);
        }
        assert_eq!(steps(1), number);
        assert!(number != 0 && steps(2) != number);
    }
}
