//! A walk that visits each of `0..length` once in an order that looks random, without a table. It is a small Feistel
//! network over the next power of four, applied again while the result is outside (Black & Rogaway, "Ciphers with
//! arbitrary finite domains", CT-RSA 2002).

use humdrum_contract::Random;

const ROUNDS: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    length: u64,
    /// Bits of one half of a number.
    half: u32,
    keys: [u64; ROUNDS],
}

impl Walk {
    /// The walk over `0..length` for `seed`. It has at least one place.
    pub(crate) fn new(length: u64, seed: u64) -> Self {
        let length = length.max(1);
        let bits = u64::BITS - (length - 1).leading_zeros();
        let mut random = Random::new(seed);
        Self { length, half: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| random.next()) }
    }

    /// Number of places.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The place of step `number`. The walk begins again after `length` steps.
    pub(crate) fn at(&self, number: u64) -> u64 {
        let mut place = number % self.length;
        loop {
            place = self.permute(place);
            if place < self.length {
                return place;
            }
        }
    }

    fn permute(&self, place: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (mut left, mut right) = (place >> self.half, place & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (Random::of(key, right).next() & mask));
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_every_place_once() {
        for length in [1, 2, 3, 5, 64, 100, 1000, 4096, 20_001] {
            let walk = Walk::new(length, 7);
            let mut seen = vec![false; length as usize];
            (0..length).for_each(|number| seen[walk.at(number) as usize] = true);
            assert!(seen.into_iter().all(|seen| seen), "{length}");
            assert_eq!(walk.at(length), walk.at(0));
        }
    }

    #[test]
    fn follows_the_seed_and_no_pattern() {
        let (one, two) = (Walk::new(10_000, 1), Walk::new(10_000, 2));
        assert!((0..100).any(|number| one.at(number) != two.at(number)));
        // Steps between neighbours of a random order are 3,333 long on average, sd of the mean 75 over 1,000.
        let steps: u64 = (0..1_000).map(|number| one.at(number).abs_diff(one.at(number + 1))).sum();
        assert!((2_900..3_800).contains(&(steps / 1_000)), "{steps}");
    }
}
