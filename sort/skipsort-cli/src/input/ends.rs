//! Where short lines end: many delimiters to a cache line, for which a search that starts anew at each of them is slow.

const BLOCK: usize = 64;
#[cfg(any(test, not(target_arch = "x86_64")))]
const LOW_SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;

#[cfg(not(target_arch = "x86_64"))]
use by_eight as places;

/// Calls `at` with the place of every `end` in `bytes`, in order.
#[inline]
pub(crate) fn each_end(bytes: &[u8], end: u8, mut at: impl FnMut(usize)) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (number, block) in blocks.iter().enumerate() {
        let mut found = places(block, end);
        while found != 0 {
            at(number * BLOCK + found.trailing_zeros() as usize);
            found &= found - 1;
        }
    }
    let behind = blocks.len() * BLOCK;
    rest.iter().enumerate().filter(|(_, byte)| **byte == end).for_each(|(place, _)| at(behind + place));
}

/// A bit for each byte that is `end`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn places(block: &[u8; BLOCK], end: u8) -> u64 {
    // SAFETY: SSE2 is part of every x86-64, and all that the function asks for.
    unsafe { by_sixteen(block, end) }
}

/// The same, sixteen bytes at a time.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn by_sixteen(block: &[u8; BLOCK], end: u8) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

    let pattern = _mm_set1_epi8(end.cast_signed());
    let (quarters, _) = block.as_chunks::<16>();
    quarters.iter().enumerate().fold(0, |found, (number, sixteen)| {
        let sixteen = i128::from_le_bytes(*sixteen);
        let sixteen = _mm_set_epi64x((sixteen >> 64) as i64, sixteen as i64);
        let here = _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, pattern)).cast_unsigned();
        found | u64::from(here) << (16 * number)
    })
}

/// A bit for each byte that is `end`.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn by_eight(block: &[u8; BLOCK], end: u8) -> u64 {
    let pattern = u64::from(end) * 0x0101_0101_0101_0101;
    let (words, _) = block.as_chunks::<8>();
    words.iter().enumerate().fold(0, |found, (number, word)| {
        let differs = u64::from_le_bytes(*word) ^ pattern;
        // The highest bit of each byte that is zero; the addition never carries into the next byte.
        let zero = !(((differs & LOW_SEVEN) + LOW_SEVEN) | differs | LOW_SEVEN);
        // Gathers those eight bits in the highest byte: bit 8i times 2^(56 - 7i) is bit 56 + i.
        let gathered = (zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        found | gathered << (8 * number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_byte_by_byte_search_finds(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(0), Just(0x8a), Just(0x0b), any::<u8>()], 0..300),
            end in prop_oneof![Just(b'\n'), Just(0), any::<u8>()],
        ) {
            let mut found = Vec::new();
            each_end(&bytes, end, |at| found.push(at));
            let naive: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == end).collect();
            prop_assert_eq!(found, naive);
            for block in bytes.as_chunks::<BLOCK>().0 {
                prop_assert_eq!(places(block, end), by_eight(block, end));
            }
        }
    }
}
