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

use crate::cache;
use crate::entry::Entry;
use crate::keys::Keys;
use crate::window;

/// Classes of the rows of a tie: their bytes within the cache, or one more than it stands for when they go on.
const CLASSES: usize = window::BYTES + 2;

/// Puts rows that are over within the `covered` bytes from `depth` to the front, by length. Returns how many rows go
/// on.
pub(crate) fn ended_first<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    spare: &mut [Entry<K::Handle>],
    depth: usize,
    covered: usize,
) -> usize {
    let (least, most) = lengths(keys, rows);
    if least > depth + covered {
        return rows.len();
    }
    if least == most {
        return 0;
    }
    let goes_on = covered + 1;
    let class = |row: &Entry<K::Handle>| (keys.len(row.handle).saturating_sub(depth)).min(goes_on);
    let mut counts = [0; CLASSES];
    let (mut previous, mut sorted) = (0, true);
    for row in &*rows {
        let class = class(row);
        counts[class] += 1;
        sorted &= previous <= class;
        previous = class;
    }
    let go_on = counts[goes_on];
    if !sorted {
        by_class(rows, spare, class, counts);
    }
    go_on
}

/// Up to this many rows that go on are compared by their keys: each is looked at five times at most, as far as it is like
/// another, where levels of caches would be more work than that.
pub(crate) const BY_KEYS: usize = 6;

/// Stable sort of a few rows that go on beyond `depth`, by their keys.
#[inline(always)]
pub(crate) fn by_keys<K: Keys>(keys: &K, rows: &mut [Entry<K::Handle>], depth: usize) {
    for at in 1..rows.len() {
        for at in (1..=at).rev() {
            let [before, row] = [at - 1, at].map(|at| keys.key(rows[at].handle));
            if !after(before, row, depth) {
                break;
            }
            rows.swap(at - 1, at);
        }
    }
}

/// True when `a` comes after `b`, which both go on beyond `depth`. Most pairs differ in the next eight bytes.
#[inline(always)]
fn after(a: &[u8], b: &[u8], depth: usize) -> bool {
    let (x, y) = (cache::load(a, depth), cache::load(b, depth));
    if x == y { b.get(depth..) < a.get(depth..) } else { y < x }
}

/// Shortest and longest key: most ties are all over with one length, or none is over.
#[inline(always)]
fn lengths<K: Keys>(keys: &K, rows: &[Entry<K::Handle>]) -> (usize, usize) {
    rows.iter().fold((usize::MAX, 0), |(least, most), row| {
        let len = keys.len(row.handle);
        (least.min(len), most.max(len))
    })
}

/// Where each class begins and where it ends.
pub(crate) fn bounds<const N: usize>(counts: &[usize; N]) -> [[usize; N]; 2] {
    let (mut starts, mut ends, mut end) = ([0; N], [0; N], 0);
    for class in 0..N {
        starts[class] = end;
        end += counts[class];
        ends[class] = end;
    }
    [starts, ends]
}

/// Stable counting sort by class; without room for it, the library's sort in place.
///
/// The length of a very long key is in no handle: a user's function is asked for the key, and may give two answers. Then
/// some class does not end where its count says, and the rows stay as they are, in no order; else each place was
/// written once.
fn by_class<H: Copy>(
    rows: &mut [Entry<H>],
    spare: &mut [Entry<H>],
    class: impl Fn(&Entry<H>) -> usize,
    counts: [usize; CLASSES],
) {
    let Some(spare) = spare.get_mut(..rows.len()) else {
        return rows.sort_unstable_by_key(class);
    };
    let [mut places, ends] = bounds(&counts);
    for row in &*rows {
        let at = &mut places[class(row)];
        let Some(place) = spare.get_mut(*at) else { break };
        *place = *row;
        *at += 1;
    }
    if places == ends {
        rows.copy_from_slice(spare);
    }
}
