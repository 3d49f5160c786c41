//! `permute` of pgbench: each value of 0..size has its own place in 0..size, chosen by a seed.

/// Where a value goes among `size` places (1 or more).
pub(crate) fn permute(value: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let (mut generator, size) = (Generator::new(seed as u64), size as u64);
    let mut place = value as u64 % size;
    // Bits of the largest power of two that is not greater than the size.
    let bits = size.ilog2();
    let mask = (1_u64 << bits) - 1;
    for _ in 0..ROUNDS {
        place = generator.scatter(place, bits, mask);
        // The same for the upper part, which overlaps the lower one.
        place = size - 1 - generator.scatter(size - 1 - place, bits, mask);
        let offset = generator.up_to(size - 1);
        place = ((u128::from(place) + u128::from(offset)) % u128::from(size)) as u64;
    }
    place as i64
}

/// As many as pgbench has; other numbers would be another order.
const ROUNDS: usize = 6;

/// The generator of Postgres (xoroshiro128**, seeded by SplitMix64). Orders would differ with any other.
struct Generator([u64; 2]);

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = humdrum_contract::Random::new(seed);
        Self([random.next(), random.next()])
    }

    fn next(&mut self) -> u64 {
        let [first, second] = self.0;
        let mixed = first ^ second;
        self.0 = [first.rotate_left(24) ^ mixed ^ (mixed << 16), mixed.rotate_left(37)];
        first.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
    }

    /// Uniform in 0..=greatest, by rejection; `greatest` is 1 or more.
    fn up_to(&mut self, greatest: u64) -> u64 {
        loop {
            let value = self.next() >> greatest.leading_zeros();
            if value <= greatest {
                return value;
            }
        }
    }

    /// Multiplies by an odd number, flips bits and rotates, if the place is within the mask.
    fn scatter(&mut self, place: u64, bits: u32, mask: u64) -> u64 {
        let (factor, flips) = ((self.next() & mask) | 1, self.next() & mask);
        if place > mask {
            return place;
        }
        let mixed = (place.wrapping_mul(factor) ^ flips) & mask;
        ((mixed << 1) & mask) | (mixed >> (bits - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `debug(permute(3, 10, 5))` and so on print them with pgbench 15.
    #[test]
    fn places_are_those_of_pgbench() {
        assert_eq!(permute(3, 10, 5), 9);
        assert_eq!(permute(12_345, 100_000, 0), 50_444);
        assert_eq!(permute(-1, 1_000_000_007, 77), 275_007_889);
    }

    #[test]
    fn every_place_is_taken_once() {
        for size in [1, 2, 3, 64, 100] {
            let mut places: Vec<i64> = (0..size).map(|value| permute(value, size, 3)).collect();
            places.sort_unstable();
            assert_eq!(places, (0..size).collect::<Vec<_>>());
        }
        assert!((0..i64::MAX).contains(&permute(i64::MIN, i64::MAX, -1)));
    }
}
