//! Random numbers that are a pure function of a seed, so that every subject gets the same rows and the same
//! operations, on every host and in every release of this program.
//!
//! SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): one
//! multiplication chain per number, no state beyond a counter, passes BigCrush.

/// A stream of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream of one thing (a row, a table) under a seed; streams of different things are unrelated.
    pub fn of(seed: u64, thing: u64) -> Self {
        let mut mixed = Self(seed ^ thing.wrapping_mul(0xd6e8_feb8_6659_fd93));
        Self(mixed.next())
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "an endless stream needs no Option")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0..bound, by multiplication (Lemire 2019); the bias is below bound / 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in 1..=last.
    pub fn id(&mut self, last: u64) -> i32 {
        (self.below(last) + 1) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator is part of the data format: other numbers would be other data.
    #[test]
    fn matches_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn ids_cover_their_range() {
        let mut random = Random::new(7);
        let mut seen = [0u32; 10];
        for _ in 0..10_000 {
            seen[random.id(10) as usize - 1] += 1;
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
    }
}
