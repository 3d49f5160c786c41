//! FNV-1a (Fowler, Noll & Vo): the same number for the same bytes in every release of the program, which the hasher of the standard
//! library does not promise.

/// The hash of no bytes.
pub const FNV1A: u64 = 0xcbf2_9ce4_8422_2325;

/// A hash with more bytes.
#[inline]
#[must_use]
pub fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the test vectors of its authors.
    #[test]
    fn hashes_are_the_published_ones() {
        assert_eq!(fnv1a(FNV1A, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(FNV1A, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(fnv1a(FNV1A, b"foo"), b"bar"), 0x8594_4171_f739_67e8);
    }
}
