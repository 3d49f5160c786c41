//! Two byte strings side by side.

use std::cmp::Ordering;

/// How many bytes `a` and `b` share from `from` on. Both share what is before `from`.
#[inline]
pub(crate) fn common(a: &[u8], b: &[u8], from: usize) -> usize {
    let (a, b) = (a.get(from..).unwrap_or(&[]), b.get(from..).unwrap_or(&[]));
    let most = a.len().min(b.len());
    let (a, b) = (&a[..most], &b[..most]);
    let mut at = 0;
    while let (Some(x), Some(y)) = (word(a, at), word(b, at)) {
        if x != y {
            return at + (x ^ y).trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

/// Bytes that [`first_difference`] looks at.
pub(crate) const HEAD: usize = 32;
pub(crate) type Head = [u8; HEAD];

/// The place of the first byte that differs, or their number. What comes before costs no branch.
#[inline(always)]
pub(crate) fn first_difference(a: &Head, b: &Head) -> usize {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of every x86-64.
    let equal = unsafe { equal_by_sixteen(a, b) };
    #[cfg(not(target_arch = "x86_64"))]
    let equal = equal_by_byte(a, b);
    equal.trailing_ones() as usize
}

/// A bit for each byte that is the same in both.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn equal_by_sixteen(a: &Head, b: &Head) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8};

    // SAFETY: 16 bytes are read, which half a head has; the load asks for no alignment.
    let load = |half: &[u8]| -> __m128i { unsafe { _mm_loadu_si128(half[..16].as_ptr().cast()) } };
    let equal = |from: usize| {
        let (a, b) = (load(&a[from..]), load(&b[from..]));
        _mm_movemask_epi8(_mm_cmpeq_epi8(a, b)).cast_unsigned()
    };
    equal(0) | equal(16) << 16
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn equal_by_byte(a: &Head, b: &Head) -> u32 {
    a.iter().zip(b).rev().fold(0, |equal, (a, b)| equal << 1 | u32::from(a == b))
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight))
}

/// The order of `a` and `b`, which share their first `from` bytes, and how many bytes they share.
#[inline]
pub(crate) fn compare(a: &[u8], b: &[u8], from: usize) -> (Ordering, usize) {
    let shared = from + common(a, b, from);
    // `None`, the end, is before every byte.
    (a.get(shared).cmp(&b.get(shared)), shared)
}

/// Eight big-endian bytes of `key` from `at`, zero-padded.
#[inline]
pub(crate) fn eight(key: &[u8], at: usize) -> u64 {
    match key.get(at..) {
        Some([a, b, c, d, e, f, g, h, ..]) => u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
        Some(rest) => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
        None => 0,
    }
}

/// Appends a number, seven bits to a byte, lowest first.
#[inline]
pub(crate) fn push_number(into: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Reads a number that [`push_number`] wrote and moves `at` behind it.
///
/// # Panics
/// If the bytes end within it.
#[inline]
pub(crate) fn read_number(bytes: &[u8], at: &mut usize) -> usize {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_like_slices_and_counts_what_is_shared() {
        let words: [&[u8]; 8] =
            [b"", b"a", b"a\0", b"abcdefgh", b"abcdefghi", b"abcdefghj", b"abcdefg\xff", b"b"];
        for a in words {
            for b in words {
                let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
                assert_eq!(compare(a, b, 0), (a.cmp(b), shared));
                assert_eq!(compare(a, b, shared), (a.cmp(b), shared));
            }
        }
        assert_eq!(eight(b"xab", 1), u64::from_be_bytes(*b"ab\0\0\0\0\0\0"));
    }

    #[test]
    fn the_first_difference_is_found_wherever_it_is() {
        let a: Head = std::array::from_fn(|at| at as u8);
        assert_eq!(first_difference(&a, &a), HEAD);
        for first in 0..HEAD {
            for second in first..HEAD {
                let mut b = a;
                b[first] ^= 0x80;
                b[second] ^= 1;
                assert_eq!(first_difference(&a, &b), first);
                assert_eq!(equal_by_byte(&a, &b).trailing_ones() as usize, first);
            }
        }
    }

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, usize::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push_number(&mut bytes, *number));
        let mut at = 0;
        assert_eq!(numbers.map(|_| read_number(&bytes, &mut at)), numbers);
        assert_eq!(at, bytes.len());
    }
}
