//! Groups of at most [`MOST`] rows: sort by counting ranks, without a branch on the data.
//!
//! ```text
//!   caches   7  3  7  1        rank of i = rows before i that are <=, rows after i that are <
//!   ranks    2  1  3  0        equal rows keep their order: the sort is stable
//! ```
//!
//! All pairs are compared, n(n-1)/2 of them, but each costs one cycle and none is mispredicted; an
//! insertion sort does half as many compares and loses 15 cycles on nearly each row. After a
//! distribution that leaves about eight rows per bucket this is where most rows end.

use crate::entry::Entry;

/// Above this many rows the quadratic count loses to another partition.
pub(crate) const MOST: usize = 24;

/// Stable order of `rows` by cache, written to `into`.
#[inline]
pub(crate) fn sort_into<H: Copy>(rows: &[Entry<H>], into: &mut [Entry<H>]) {
    debug_assert!(rows.len() <= MOST && rows.len() == into.len());
    match rows {
        [] => {}
        [one] => into[0] = *one,
        [a, b] => {
            let swap = b.cache < a.cache;
            into[0] = if swap { *b } else { *a };
            into[1] = if swap { *a } else { *b };
        }
        _ => by_rank(rows, into),
    }
}

/// Stable order of `rows` by cache, in place.
#[inline]
pub(crate) fn sort<H: Copy>(rows: &mut [Entry<H>]) {
    let len = rows.len();
    if len < 2 {
        return;
    }
    let mut copy = [rows[0]; MOST];
    copy[..len].copy_from_slice(rows);
    sort_into(&copy[..len], rows);
}

fn by_rank<H: Copy>(rows: &[Entry<H>], into: &mut [Entry<H>]) {
    let mut ranks = [0u32; MOST];
    let ranks = &mut ranks[..rows.len()];
    for (i, row) in rows.iter().enumerate() {
        let mut rank = 0;
        for (before, other) in ranks[..i].iter_mut().zip(rows) {
            let stays = u32::from(other.cache <= row.cache);
            rank += stays;
            *before += 1 - stays;
        }
        ranks[i] = rank;
    }
    for (row, &rank) in rows.iter().zip(ranks.iter()) {
        into[rank as usize] = *row;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_short_sequences_of_three_values() {
        for len in 0..=7u32 {
            for code in 0..3u32.pow(len) {
                let cache = |i| u64::from(code / 3u32.pow(i) % 3);
                let mut rows: Vec<_> = (0..len).map(|i| Entry { cache: cache(i), handle: i }).collect();
                let mut expected = rows.clone();
                expected.sort_by_key(|row| row.cache);
                sort(&mut rows);
                let pairs =
                    |rows: &[Entry<u32>]| rows.iter().map(|r| (r.cache, r.handle)).collect::<Vec<_>>();
                assert_eq!(pairs(&rows), pairs(&expected));
            }
        }
    }
}
