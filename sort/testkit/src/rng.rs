//! A small random number generator, so that a seed gives the same keys on every machine.

/// SplitMix64 (Steele, Lea and Flood, 2014): one multiplication-mixed counter.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Rng(seed ^ 0x5eed_5eed_5eed_5eed)
    }

    /// The next 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        self.below_u64(end as u64) as usize
    }

    /// [`Rng::below`], the same numbers on every platform.
    pub fn below_u64(&mut self, end: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(end)) >> 64) as u64
    }

    /// A number from zero up to one.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A rank below `end`, each about half as likely as the one at half its place (Zipf, exponent 1).
    pub fn zipf(&mut self, end: usize) -> usize {
        (((end as f64 + 1.0).powf(self.unit()) - 1.0) as usize).min(end - 1)
    }

    /// One of the items.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    /// So many random bytes.
    pub fn fill(&mut self, key: &mut Vec<u8>, len: usize) {
        for at in 0..len {
            if at % 8 == 0 {
                key.extend_from_slice(&self.word().to_le_bytes()[..8.min(len - at)]);
            }
        }
    }

    /// Fisher and Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
