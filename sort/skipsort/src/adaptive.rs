//! The adaptive switch: sort a group of caches by quicksort, by MSD radix, or by rank.
//!
//! ```text
//!   rows in the group   what is known          step
//!   <= 24               -                      rank sort, no branches
//!   small               -                      quicksort: split, learn what both sides share
//!   large               which bits vary        radix on the top bits that vary, then again
//!   splits gone bad     -                      radix: each pass uses up bits, 64 there are
//! ```
//!
//! The patent switches from quicksort to radix when the known prefix has grown. Here "known prefix"
//! is finer than bytes: the split and the distribution both tell which *bits* still vary, and radix
//! is chosen when there are enough rows to pay for the counters of a digit made of those bits.
//!
//! Cost: a group of m rows takes O(m) passes-over-rows: at most 64 radix passes (each uses up one
//! varying bit or more), or 2 log2(RADIX_FROM) quicksort levels for groups under the constant `RADIX_FROM`.
//! So the eight bytes of a cache cost O(m) whatever they contain, and the whole sort O(n + D).

use crate::entry::Entry;
use crate::prefix::Varying;
use crate::{quicksort, radix, smallsort, track};

/// From this many rows on, counters are cheaper than compares.
const RADIX_FROM: usize = 96;

/// Where the sorted rows shall be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where they are now.
    Here,
    /// In the other buffer.
    Other,
}

impl Place {
    fn flip(self) -> Self {
        match self {
            Place::Here => Place::Other,
            Place::Other => Place::Here,
        }
    }
}

/// Stable sort of `rows` by cache; `other` is as long and its content is lost.
pub(crate) fn sort<H: Copy>(rows: &mut [Entry<H>], other: &mut [Entry<H>], place: Place) {
    if rows.len() <= smallsort::MOST {
        return rank(rows, other, place);
    }
    let varying = Varying::of(rows);
    if rows.len() >= RADIX_FROM {
        by_radix(rows, other, place, varying);
    } else {
        by_quicksort(rows, other, varying, 2 * rows.len().ilog2());
        deliver(rows, other, place);
    }
}

fn rank<H: Copy>(rows: &mut [Entry<H>], other: &mut [Entry<H>], place: Place) {
    match place {
        Place::Here => smallsort::sort(rows),
        Place::Other => smallsort::sort_into(rows, other),
    }
}

fn deliver<H: Copy>(rows: &[Entry<H>], other: &mut [Entry<H>], place: Place) {
    if place == Place::Other {
        other.copy_from_slice(rows);
    }
}

/// Counters for small groups are cleared at each pass, so there should be few.
const SMALL_BITS: u32 = 7;

/// One digit, then each bucket on its own, with the buffers changing roles.
fn by_radix<H: Copy>(rows: &mut [Entry<H>], other: &mut [Entry<H>], place: Place, varying: Varying) {
    if varying.0 == 0 {
        return deliver(rows, other, place);
    }
    track::count(track::Event::RadixPass);
    // About six rows per bucket: what the rank sort likes best.
    let bits = (rows.len().ilog2() - 2).min(radix::MOST_BITS);
    let digit = radix::Digit::top(varying, bits);
    if bits <= SMALL_BITS {
        by_digit::<H, { 1 << SMALL_BITS }>(rows, other, place, &digit);
    } else {
        by_digit::<H, { 1 << radix::MOST_BITS }>(rows, other, place, &digit);
    }
}

/// The pass itself. Groups here are at most a chunk, so positions fit into 32 bits.
fn by_digit<H: Copy, const N: usize>(
    rows: &mut [Entry<H>],
    other: &mut [Entry<H>],
    place: Place,
    digit: &radix::Digit,
) {
    debug_assert!(u32::try_from(rows.len()).is_ok());
    let mut ends = [0u32; N];
    radix::distribute(rows, other, digit, &mut ends);
    let mut start = 0;
    for &end in &ends[..digit.buckets()] {
        let end = end as usize;
        if end > start {
            sort(&mut other[start..end], &mut rows[start..end], place.flip());
        }
        start = end;
    }
}

/// Splits until the groups are small, the bits are used up, or `patience` is.
fn by_quicksort<H: Copy>(rows: &mut [Entry<H>], other: &mut [Entry<H>], varying: Varying, patience: u32) {
    if varying.0 == 0 {
        return;
    }
    if rows.len() <= smallsort::MOST {
        return smallsort::sort(rows);
    }
    let Some(patience) = patience.checked_sub(1) else {
        return by_radix(rows, other, Place::Here, varying);
    };
    track::count(track::Event::Split);
    let pivot = quicksort::pivot(rows);
    let split = quicksort::split(rows, other, pivot);
    let (left, right) = rows.split_at_mut(split.left);
    let (other_left, other_right) = other.split_at_mut(split.left);
    if left.is_empty() {
        return skip_equals(right, other_right, pivot, patience);
    }
    by_quicksort(left, other_left, split.left_varying, patience);
    by_quicksort(right, other_right, split.right_varying, patience);
}

/// The pivot was the smallest cache: cut behind its equals, which need no more work.
fn skip_equals<H: Copy>(rows: &mut [Entry<H>], other: &mut [Entry<H>], pivot: u64, patience: u32) {
    let Some(above) = pivot.checked_add(1) else {
        return;
    };
    let split = quicksort::split(rows, other, above);
    by_quicksort(&mut rows[split.left..], &mut other[split.left..], split.right_varying, patience);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_stable_sort() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 11
        };
        for len in [0, 1, 2, 24, 25, 60, 95, 96, 97, 500, if cfg!(miri) { 600 } else { 20_000 }] {
            for mask in [0, 1, 0x0f00_0000_0000_0003, 0x1f1f_1f1f, u64::MAX] {
                for place in [Place::Here, Place::Other] {
                    let mut rows: Vec<_> = (0..len)
                        .map(|handle| Entry { cache: (next() << 11 ^ next()) & mask, handle })
                        .collect();
                    let mut other = rows.clone();
                    let mut expected = rows.clone();
                    expected.sort_by_key(|row| row.cache);
                    let (mut impatient, mut spare) = (rows.clone(), rows.clone());
                    sort(&mut rows, &mut other, place);
                    // What becomes of a group whose splits go bad, at once and later.
                    let patience = if mask == 0 { 0 } else { next() as u32 % 4 };
                    let varying = Varying::of(&impatient);
                    by_quicksort(&mut impatient, &mut spare, varying, patience);
                    assert!(
                        impatient
                            .iter()
                            .zip(&expected)
                            .all(|(a, b)| (a.cache, a.handle) == (b.cache, b.handle))
                    );
                    let got = if place == Place::Here { &rows } else { &other };
                    assert!(
                        got.iter().zip(&expected).all(|(a, b)| (a.cache, a.handle) == (b.cache, b.handle))
                    );
                }
            }
        }
    }
}
