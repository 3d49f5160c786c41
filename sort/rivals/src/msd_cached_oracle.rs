//! MSD radix sort with 16-bit digits and a cached oracle.
//!
//! J. Kärkkäinen and T. Rantala, "Engineering Radix Sort for Strings", SPIRE 2008: one pass over the
//! strings writes each digit to an array (the oracle), counting and distributing then read that array
//! instead of the strings. Two bytes per pass while a group is large, one byte below 65536 strings,
//! insertion sort for few.

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "msd_cached_oracle",
    about: "MSD radix, 16-bit digits, cached oracle (Kärkkäinen and Rantala)",
    partial: false,
    prepare: |rows| InPlace::job(rows, sort),
};

/// Digits are bytes plus one; zero is the end of the string.
const WIDE: usize = 257 * 257;

fn sort<'k>(rows: &mut [&'k [u8]]) {
    let mut spare: Vec<&'k [u8]> = rows.to_vec();
    let mut oracle = vec![0u32; rows.len()];
    let mut counts = vec![0usize; WIDE + 1];
    let mut stack = vec![(0, rows.len(), 0)];
    while let Some((start, end, depth)) = stack.pop() {
        let len = end - start;
        if len <= 24 {
            insertion(&mut rows[start..end], depth);
            continue;
        }
        let (buckets, step) = if len >= 65_536 { (WIDE, 2) } else { (257, 1) };
        let (group, oracle) = (&mut rows[start..end], &mut oracle[..len]);
        for (digit, row) in oracle.iter_mut().zip(&*group) {
            *digit = if step == 2 { byte(row, depth) * 257 + byte(row, depth + 1) } else { byte(row, depth) };
        }
        distribute(group, &mut spare[..len], oracle, &mut counts[..=buckets]);
        for bucket in 0..buckets {
            let (from, to) = (counts[bucket], counts[bucket + 1]);
            if to - from > 1 && bucket % 257 != 0 {
                stack.push((start + from, start + to, depth + step));
            }
        }
    }
}

/// Counting sort by the oracle; afterwards bucket `b` is `counts[b]..counts[b + 1]`.
fn distribute<'k>(group: &mut [&'k [u8]], spare: &mut [&'k [u8]], oracle: &[u32], counts: &mut [usize]) {
    counts.fill(0);
    for digit in oracle {
        counts[*digit as usize] += 1;
    }
    let mut start = 0;
    for count in &mut *counts {
        start += std::mem::replace(count, start);
    }
    for (row, digit) in group.iter().zip(oracle) {
        let at = &mut counts[*digit as usize];
        spare[*at] = row;
        *at += 1;
    }
    group.copy_from_slice(spare);
    counts.rotate_right(1);
    counts[0] = 0;
}

fn byte(row: &[u8], at: usize) -> u32 {
    row.get(at).map_or(0, |byte| u32::from(*byte) + 1)
}

fn insertion(rows: &mut [&[u8]], depth: usize) {
    for end in 1..rows.len() {
        let mut at = end;
        while at > 0 && rows[at].get(depth..) < rows[at - 1].get(depth..) {
            rows.swap(at, at - 1);
            at -= 1;
        }
    }
}
