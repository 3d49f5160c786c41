//! Where short lines end: many delimiters to a cache line, for which a search that starts anew at each of them is slow.
//!
//! ```text
//!   64 bytes   [..|.....|........|...]   a bit for each byte, one where a delimiter is
//!   places     12 18 27                  four at a time are noted, whether there are so many or not:
//!                                        how many a block has cannot be foreseen, and a wrong guess costs more
//! ```

/// Bytes for which a mask has a bit each.
const BLOCK: usize = 64;
/// Bytes whose places are noted before they are looked at.
const STRETCH: usize = 64 * BLOCK;
/// Places noted at a time.
const AT_ONCE: usize = 4;
#[cfg(any(test, not(target_arch = "x86_64")))]
const LOW_SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Places in a stretch, and room for some that are none.
type Places = [u16; STRETCH + BLOCK];
const NONE: Places = [0; STRETCH + BLOCK];

/// Calls `take` for every stretch of `bytes`: where it begins, and the places of `end` from there on, in order.
#[inline(always)]
pub(crate) fn each_stretch(bytes: &[u8], end: u8, mut take: impl FnMut(usize, &[u16])) {
    let mut places = NONE;
    for (number, stretch) in bytes.chunks(STRETCH).enumerate() {
        let (blocks, rest) = stretch.as_chunks::<BLOCK>();
        let mut count = find(blocks, end, &mut places);
        for (at, _) in rest.iter().enumerate().filter(|(_, byte)| **byte == end) {
            places[count] = (blocks.len() * BLOCK + at) as u16;
            count += 1;
        }
        take(number * STRETCH, &places[..count]);
    }
}

/// Notes the places of `end` in blocks of one stretch; how many there are.
fn find(blocks: &[[u8; BLOCK]], end: u8, places: &mut Places) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the processor has what the function asks for.
            return unsafe { find_by_sixty_four(blocks, end, places) };
        }
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the processor has what the function asks for.
            return unsafe { find_by_thirty_two(blocks, end, places) };
        }
        // SAFETY: SSE2 is part of every x86-64, and all that `by_sixteen` asks for.
        all(blocks, places, |block| unsafe { by_sixteen(block, end) })
    }
    #[cfg(not(target_arch = "x86_64"))]
    all(blocks, places, |block| by_eight(block, end))
}

/// Notes the places that masks of the blocks tell.
#[inline(always)]
fn all(blocks: &[[u8; BLOCK]], places: &mut Places, mask: impl Fn(&[u8; BLOCK]) -> u64) -> usize {
    let mut count = 0;
    for (number, block) in blocks.iter().enumerate() {
        let base = (number * BLOCK) as u16;
        let mut found = mask(block);
        let here = found.count_ones() as usize;
        let mut noted = 0;
        loop {
            for place in &mut places[count + noted..][..AT_ONCE] {
                *place = base + found.trailing_zeros() as u16;
                found &= found.wrapping_sub(1);
            }
            noted += AT_ONCE;
            if noted >= here {
                break;
            }
        }
        count += here;
    }
    count
}

/// [`find`], 64 bytes at a time; the places of a block are pressed together rather than noted four at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi2,popcnt")]
fn find_by_sixty_four(blocks: &[[u8; BLOCK]], end: u8, places: &mut Places) -> usize {
    use std::arch::x86_64::{
        __m128i, _mm256_add_epi16, _mm256_cvtepu8_epi16, _mm256_set1_epi16, _mm256_storeu_si256,
        _mm512_cmpeq_epi8_mask, _mm512_extracti32x4_epi32, _mm512_loadu_si512, _mm512_maskz_compress_epi8,
        _mm512_set1_epi8,
    };

    const PART: usize = 16;
    static NUMBERS: [u8; BLOCK] = {
        let mut numbers = [0; BLOCK];
        let mut at = 0;
        while at < BLOCK {
            numbers[at] = at as u8;
            at += 1;
        }
        numbers
    };
    // SAFETY: 64 bytes are read, which a block has; the load asks for no alignment.
    let load = |block: &[u8; BLOCK]| unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let (pattern, numbers) = (_mm512_set1_epi8(end.cast_signed()), load(&NUMBERS));
    let mut count = 0;
    for (number, block) in blocks.iter().enumerate() {
        let found = _mm512_cmpeq_epi8_mask(load(block), pattern);
        let pressed = _mm512_maskz_compress_epi8(found, numbers);
        let base = _mm256_set1_epi16((number * BLOCK) as i16);
        let note = |part: __m128i, room: &mut [u16]| {
            let places = _mm256_add_epi16(_mm256_cvtepu8_epi16(part), base);
            // SAFETY: 32 bytes are written, which so many places have; the store asks for no alignment.
            unsafe { _mm256_storeu_si256(room[..PART].as_mut_ptr().cast(), places) };
        };
        let here = found.count_ones() as usize;
        let room = &mut places[count..];
        note(_mm512_extracti32x4_epi32::<0>(pressed), room);
        if here > PART {
            note(_mm512_extracti32x4_epi32::<1>(pressed), &mut room[PART..]);
            note(_mm512_extracti32x4_epi32::<2>(pressed), &mut room[2 * PART..]);
            note(_mm512_extracti32x4_epi32::<3>(pressed), &mut room[3 * PART..]);
        }
        count += here;
    }
    count
}

/// [`find`], 32 bytes at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn find_by_thirty_two(blocks: &[[u8; BLOCK]], end: u8, places: &mut Places) -> usize {
    use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8};

    let pattern = _mm256_set1_epi8(end.cast_signed());
    let half = |half: &[u8]| {
        // SAFETY: 32 bytes are read, which half a block has; the load asks for no alignment.
        let bytes = unsafe { _mm256_loadu_si256(half[..BLOCK / 2].as_ptr().cast()) };
        u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, pattern)).cast_unsigned())
    };
    all(blocks, places, |block| half(&block[..BLOCK / 2]) | half(&block[BLOCK / 2..]) << 32)
}

/// A bit for each byte that is `end`, sixteen bytes at a time.
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

/// The same, eight bytes at a time.
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
            times in prop_oneof![3 => Just(1usize), 1 => 1usize..40],
            end in prop_oneof![Just(b'\n'), Just(0), any::<u8>()],
        ) {
            let bytes = bytes.repeat(times);
            let mut found = Vec::new();
            each_stretch(&bytes, end, |base, places| {
                found.extend(places.iter().map(|place| base + usize::from(*place)));
            });
            let naive: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == end).collect();
            prop_assert_eq!(found, naive);
            let blocks = bytes[..bytes.len().min(STRETCH)].as_chunks::<BLOCK>().0;
            let (mut places, mut portable) = (NONE, NONE);
            let count = find(blocks, end, &mut places);
            prop_assert_eq!(all(blocks, &mut portable, |block| by_eight(block, end)), count);
            prop_assert_eq!(&places[..count], &portable[..count]);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the other features are older than this one.
                prop_assert_eq!(unsafe { find_by_thirty_two(blocks, end, &mut portable) }, count);
                prop_assert_eq!(&places[..count], &portable[..count]);
            }
            #[cfg(target_arch = "x86_64")]
            for block in blocks {
                // SAFETY: SSE2 is part of every x86-64.
                prop_assert_eq!(unsafe { by_sixteen(block, end) }, by_eight(block, end));
            }
        }
    }
}
