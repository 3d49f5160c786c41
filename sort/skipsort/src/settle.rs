//! Settling a tie: rows whose caches are equal.
//!
//! ```text
//!   cache "ab......"   keys  "ab"  "ab"  "ab\0"          all are over: shorter first, done
//!   cache "compress"   keys  "compress" "compressed" ..  those that are over first, the rest refilled
//! ```
//!
//! A key that is over is a prefix of the others of its tie (the padding zeros stand for nothing), so
//! it comes first; among keys that are over the shorter is the prefix of the longer. Equal lengths
//! then mean equal keys, which stay in their old order.

use crate::cache::CACHE_BYTES;
use crate::entry::Entry;
use crate::keys::Keys;

/// Class of a row in a tie: its bytes within the cache, or one more than fit when it goes on.
const GOES_ON: usize = CACHE_BYTES + 1;

/// Beyond this depth lengths may not fit into a handle, and a user's key function is asked instead. It
/// may give two answers; the library's sort bears that, a counting sort would lose rows.
const DEEP: usize = 1 << 23;

/// Puts rows that are over to the front, by length. Returns how many rows go on.
pub(crate) fn ended_first<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    spare: &mut [Entry<K::Handle>],
    depth: usize,
) -> usize {
    let (least, most) = lengths(keys, rows);
    if least > depth + CACHE_BYTES {
        return rows.len();
    }
    if least == most {
        return 0;
    }
    let class = |row: &Entry<K::Handle>| (keys.len(row.handle).saturating_sub(depth)).min(GOES_ON);
    let mut counts = [0; GOES_ON + 1];
    let (mut previous, mut sorted) = (0, true);
    for row in &*rows {
        let class = class(row);
        counts[class] += 1;
        sorted &= previous <= class;
        previous = class;
    }
    let go_on = counts[GOES_ON];
    if !sorted && depth > DEEP {
        rows.sort_by_key(class);
    } else if !sorted {
        by_class(rows, spare, class, counts);
    }
    go_on
}

/// Shortest and longest key: most ties are all over with one length, or none is over.
#[inline(always)]
fn lengths<K: Keys>(keys: &K, rows: &[Entry<K::Handle>]) -> (usize, usize) {
    rows.iter().fold((usize::MAX, 0), |(least, most), row| {
        let len = keys.len(row.handle);
        (least.min(len), most.max(len))
    })
}

/// Stable counting sort by class; without room for it, the library's sort in place.
fn by_class<H: Copy>(
    rows: &mut [Entry<H>],
    spare: &mut [Entry<H>],
    class: impl Fn(&Entry<H>) -> usize,
    counts: [usize; GOES_ON + 1],
) {
    let Some(spare) = spare.get_mut(..rows.len()) else {
        return rows.sort_unstable_by_key(class);
    };
    let mut starts = [0; GOES_ON + 1];
    for class in 1..=GOES_ON {
        starts[class] = starts[class - 1] + counts[class - 1];
    }
    for row in &*rows {
        let at = &mut starts[class(row)];
        spare[*at] = *row;
        *at += 1;
    }
    rows.copy_from_slice(spare);
}
