//! Keys and values from numbers: the same bytes in every release of the library and of this program.
//!
//! ```text
//!   key    │ number, 8 bytes big-endian │ 000000000000 │
//!   value  │ number, 8 bytes │ seed, 8 bytes │ a piece of noise that the seed chooses │
//! ```
//!
//! The noise is a megabyte of pieces of 100 bytes, each a random head and the head again until the piece is full: a
//! compressor finds the repeats and is left with the head.

use humdrum_contract::KvData;

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Clone, Copy)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Uniform in 0..bound, by multiplication (Lemire 2019); the bias is below bound / 2^64.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[inline]
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One of this many neighbouring keys is for the background writer. How often that key was written depends on
/// time, so a comparison of stores must treat these keys separately.
const WRITERS_EVERY: u64 = 4;

/// Whether a key is one that the background writer overwrites.
pub(crate) fn is_writers(number: u64) -> bool {
    number % WRITERS_EVERY == WRITERS_EVERY - 1
}

/// A key of the background writer's, among `keys`.
pub(crate) fn writers_key(random: &mut Random, keys: u64) -> u64 {
    let chosen = random.below((keys / WRITERS_EVERY).max(1)) * WRITERS_EVERY + WRITERS_EVERY - 1;
    chosen.min(keys.saturating_sub(1))
}

/// Bytes before the noise: key number and seed.
const HEAD_BYTES: usize = 16;
const PIECE_BYTES: usize = 100;
const POOL_BYTES: usize = 1 << 20;

/// Makes and checks the entries of one store.
pub(crate) struct Entries {
    pub(crate) data: KvData,
    pool: Vec<u8>,
}

impl Entries {
    pub(crate) fn new(data: KvData) -> Self {
        let value_bytes = data.value_bytes as usize;
        let mut random = Random::new(data.seed);
        let head_bytes = (PIECE_BYTES * data.compressed_percent as usize / 100).clamp(1, PIECE_BYTES);
        // One value longer than the places where a value may begin.
        let mut pool = Vec::with_capacity(POOL_BYTES + value_bytes + PIECE_BYTES);
        while pool.len() < POOL_BYTES + value_bytes {
            let start = pool.len();
            pool.extend((0..head_bytes).map(|_| random.next() as u8));
            (head_bytes..PIECE_BYTES).for_each(|place| pool.push(pool[start + place % head_bytes]));
        }
        Self { data, pool }
    }

    /// Bytes of one entry.
    pub(crate) fn entry_bytes(&self) -> u64 {
        u64::from(self.data.key_bytes + self.data.value_bytes)
    }

    /// A buffer for `key`.
    pub(crate) fn key_buffer(&self) -> Vec<u8> {
        vec![b'0'; self.data.key_bytes as usize]
    }

    /// A buffer for `value`.
    pub(crate) fn value_buffer(&self) -> Vec<u8> {
        vec![0; self.data.value_bytes as usize]
    }

    /// Puts a number's key into a buffer of `key_buffer`.
    #[inline]
    pub(crate) fn key(&self, number: u64, buffer: &mut [u8]) {
        buffer[..8].copy_from_slice(&number.to_be_bytes());
    }

    /// Puts the value that `seed` writes under key `number` into a buffer of `value_buffer`.
    #[inline]
    pub(crate) fn value(&self, number: u64, seed: u64, buffer: &mut [u8]) {
        buffer.copy_from_slice(self.noise(seed));
        buffer[..8].copy_from_slice(&number.to_le_bytes());
        buffer[8..HEAD_BYTES].copy_from_slice(&seed.to_le_bytes());
    }

    /// The number of a key and the seed of its value, if both are complete.
    pub(crate) fn read(&self, key: &[u8], value: &[u8]) -> Option<(u64, u64)> {
        let number = number_of(key)?;
        let padded = key[8..].iter().all(|byte| *byte == b'0') && key.len() == self.data.key_bytes as usize;
        if !padded || value.len() != self.data.value_bytes as usize {
            return None;
        }
        let word = |at: usize| value[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let seed = word(8)?;
        let whole = word(0)? == number && value[HEAD_BYTES..] == self.noise(seed)[HEAD_BYTES..];
        whole.then_some((number, seed))
    }

    /// The seed with which a key is first written, when the store is filled.
    pub(crate) fn first_seed(&self, number: u64) -> u64 {
        mix(self.data.seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    #[inline]
    fn noise(&self, seed: u64) -> &[u8] {
        let start = seed as usize % POOL_BYTES;
        &self.pool[start..start + self.data.value_bytes as usize]
    }
}

fn number_of(key: &[u8]) -> Option<u64> {
    key.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Entries {
        Entries::new(KvData { keys: 1000, seed: 7, key_bytes: 20, value_bytes: 400, compressed_percent: 50 })
    }

    /// The generator is part of the data format: other numbers would be other data.
    #[test]
    fn matches_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn an_entry_tells_what_it_is_and_any_changed_byte_shows() {
        let entries = entries();
        let (mut key, mut value) = (entries.key_buffer(), entries.value_buffer());
        entries.key(513, &mut key);
        entries.value(513, u64::MAX - 5, &mut value);
        assert_eq!((key.len(), value.len()), (20, 400));
        assert_eq!(entries.read(&key, &value), Some((513, u64::MAX - 5)));
        for place in [0, 8, 16, 399] {
            let mut broken = value.clone();
            broken[place] ^= 1;
            assert_eq!(entries.read(&key, &broken), None, "byte {place}");
        }
        let mut other = key.clone();
        other[7] ^= 1;
        assert_eq!(entries.read(&other, &value), None);
        assert_eq!(entries.read(&key, &value[1..]), None);
    }

    #[test]
    fn keys_sort_as_their_numbers() {
        let entries = entries();
        let key = |number| {
            let mut buffer = entries.key_buffer();
            entries.key(number, &mut buffer);
            buffer
        };
        assert!(key(255) < key(256) && key(65_535) < key(65_536));
    }

    /// Half of each piece is new: what a compressor is meant to be left with.
    #[test]
    fn half_of_the_noise_repeats() {
        let entries = entries();
        let pieces = entries.pool.chunks_exact(PIECE_BYTES);
        assert!(pieces.clone().all(|piece| piece[..50] == piece[50..]));
        assert!(pieces.map(|piece| &piece[..50]).is_sorted_by(|a, b| a != b));
    }
}
