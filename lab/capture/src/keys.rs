//! Maps whose keys are numbers: half of the time of a look-up by the standard library's hash is that hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by number.
pub(crate) type Map<T> = HashMap<u64, T, BuildHasherDefault<Mixed>>;

/// Hashes a number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0, number);
    }
}

/// A hash with one more number: the halves of a product, of which each bit depends on all bits of both.
pub(crate) fn mix(hash: u64, number: u64) -> u64 {
    // Two odd numbers with as many ones as zeros, in no order. The first keeps a 0 from staying 0.
    let product = u128::from(hash ^ number ^ 0xa076_1d64_78bd_642f) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_in_a_row_and_numbers_that_end_alike_have_hashes_of_their_own() {
        for numbers in [(0..10_000).collect::<Vec<u64>>(), (0..10_000).map(|number| number << 48).collect()] {
            let hashes: HashSet<u64> = numbers.iter().map(|number| mix(0, *number)).collect();
            let low: HashSet<u64> = hashes.iter().map(|hash| hash & 0xffff).collect();
            assert_eq!(hashes.len(), 10_000);
            // 10 000 draws of 65 536 hit 9280 different ones.
            assert!(low.len() > 9000, "{}", low.len());
        }
        assert_ne!(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
    }
}
