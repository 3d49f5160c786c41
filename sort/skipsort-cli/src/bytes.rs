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
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, usize::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push_number(&mut bytes, *number));
        let mut at = 0;
        assert_eq!(numbers.map(|_| read_number(&bytes, &mut at)), numbers);
        assert_eq!(at, bytes.len());
    }
}
