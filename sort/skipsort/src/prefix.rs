//! Common prefix skipping: bytes that all rows of a group share are compared once and never again.
//!
//! ```text
//!    rows of one group          agree with the first row up to
//!    /usr/share/doc/a/copyright   -
//!    /usr/share/doc/b/copyright   15
//!    /usr/share/man/man1/ls.1     11      minimum 11: the descent continues at byte 11
//!    ~~~~~~~~~~~ skipped
//! ```
//!
//! Callaghan's quicksort learns that minimum from the comparisons with the pivot. In the
//! word-at-a-time form there are three teachers, none of which reads a key for this purpose alone:
//!
//! - a partition or a distribution ORs together `cache ^ first.cache`; leading zeros of the result
//!   are bits shared by all rows of that side ([`Varying`]);
//! - a run of equal caches shares all eight bytes;
//! - when a group's caches are refilled, a *guess* taken from a few rows is verified in the same
//!   visit to the key that reads the new cache (`refine.rs`).
//!
//! The guess is bounded by a galloping limit. Two rows may agree for 64 KiB while a third differs at
//! once; scanning those 64 KiB again at each of 8192 levels would be quadratic. So a scan stops
//! after [`FIRST_LIMIT`] bytes, and the limit doubles only when *all* rows agreed that far: the
//! waste is at most a constant per row and level, or twice the useful work.

/// How far the first scan of a group looks; one cache line, which is in the L1 cache after the
/// visit anyway.
pub(crate) const FIRST_LIMIT: usize = 64;

/// Length of the common prefix of `a` and `b` from `from`, at most `limit` bytes.
#[inline]
pub(crate) fn common(a: &[u8], b: &[u8], from: usize, limit: usize) -> usize {
    let (a, b) = (a.get(from..).unwrap_or(&[]), b.get(from..).unwrap_or(&[]));
    let most = a.len().min(b.len()).min(limit);
    common_of(&a[..most], &b[..most])
}

/// Equal-length slices: 32 bytes at a time, then words, then bytes.
#[inline]
fn common_of(a: &[u8], b: &[u8]) -> usize {
    let mut at = 0;
    while let (Some(x), Some(y)) = (block(a, at), block(b, at)) {
        if x != y {
            break;
        }
        at += 32;
    }
    while let (Some(x), Some(y)) = (word(a, at), word(b, at)) {
        if x != y {
            return at + (x ^ y).trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while at < a.len() && a[at] == b[at] {
        at += 1;
    }
    at
}

/// Thirty-two bytes; compared as an array, which compilers turn into vector compares.
#[inline(always)]
fn block(bytes: &[u8], at: usize) -> Option<&[u8; 32]> {
    bytes.get(at..)?.first_chunk()
}

/// Eight bytes with the first of them in the lowest position, so trailing zeros find it.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight))
}

/// The bits in which the caches of a group differ, learned while they pass by.
#[derive(Clone, Copy, Default)]
pub(crate) struct Varying(pub(crate) u64);

impl Varying {
    /// One pass over caches that are at hand.
    pub(crate) fn of<H>(rows: &[crate::entry::Entry<H>]) -> Self {
        let first = rows.first().map_or(0, |row| row.cache);
        Varying(rows.iter().fold(0, |bits, row| bits | (row.cache ^ first)))
    }
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn finds_the_first_difference_wherever_it_is() {
        for len in [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100] {
            let a = vec![b'x'; len];
            assert_eq!(common(&a, &a, 0, usize::MAX), len);
            for differs in 0..len {
                let mut b = a.clone();
                b[differs] = b'y';
                assert_eq!(common(&a, &b, 0, usize::MAX), differs);
                assert_eq!(common(&a, &b, 0, 5), differs.min(5));
            }
        }
    }
}
