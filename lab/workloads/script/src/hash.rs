//! The hash functions of pgbench, bit by bit: values of a captured or copied script stay the same.

use humdrum_model::FNV1A;

/// MurmurHash 2 for 64-bit platforms, of one 64-bit integer.
pub(crate) fn murmur2(value: i64, seed: i64) -> i64 {
    const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
    const ROTATION: u32 = 47;
    let mut hash = seed as u64 ^ MULTIPLIER.wrapping_mul(8);
    let mut key = (value as u64).wrapping_mul(MULTIPLIER);
    key ^= key >> ROTATION;
    hash ^= key.wrapping_mul(MULTIPLIER);
    hash = hash.wrapping_mul(MULTIPLIER);
    hash ^= hash >> ROTATION;
    hash = hash.wrapping_mul(MULTIPLIER);
    (hash ^ (hash >> ROTATION)) as i64
}

/// FNV-1a over the eight bytes of an integer, the lowest first.
pub(crate) fn fnv1a(value: i64, seed: i64) -> i64 {
    humdrum_model::fnv1a(FNV1A ^ seed as u64, &value.to_le_bytes()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `debug(hash(5432, 0))` and so on print them with pgbench 15.
    #[test]
    fn hashes_are_those_of_pgbench() {
        assert_eq!(murmur2(5432, 0), 3_045_490_949_354_742_142);
        assert_eq!(murmur2(-1, 99), 908_688_382_840_955_233);
        assert_eq!(fnv1a(5432, 0), 3_133_677_250_901_833_766);
        assert_eq!(fnv1a(-1, 99), -4_920_390_780_053_997_442);
    }
}
