//! The comb: rows of which few leave at each level are parted by how far each agrees with one of them.
//!
//! ```text
//!   pivot   aaaaab           depth 0, five bytes and the end behind it
//!   aab     greater at 2     cache 12 - 2      rows before the pivot: the more they share, the later
//!   aaaab   greater at 4     cache 12 - 4      rows behind it: the more they share, the earlier
//!   aaa     ends at 3        cache 3           its own bytes and those that go on behind them: in between
//!   b       greater at 0     cache 12 - 0
//! ```
//!
//! Refilling caches takes eight bytes, or what *all* rows share: of "b", "ab", "aab" … and of prefixes of one text it parts
//! a few from the rest, level after level. Here each row goes on from where it leaves the pivot, in one level. The bytes
//! compared are those that the row's group then shares and never looks at again, so that no limit is needed for the bound.

use crate::entry::Entry;
use crate::keys::Keys;
use crate::prefix::{Varying, common};
use crate::track;
use crate::visit::{Refilled, look_ahead};

/// From this many rows on.
pub(crate) const LEAST: usize = if crate::TINY { 25 } else { 64 };

/// Rows of which the longest is the pivot: whatever ends early parts nothing.
const SAMPLES: usize = 16;

/// Loads the caches of rows that share `depth` bytes; `covered` is what the pivot has behind these.
pub(crate) fn load<K: Keys>(keys: &K, rows: &mut [Entry<K::Handle>], depth: usize) -> Refilled {
    track::count(track::Event::Refill);
    track::add(track::Event::KeyVisit, rows.len());
    let sample = (0..SAMPLES).map(|sample| rows[rows.len() * sample / SAMPLES].handle);
    let Some(pivot) = sample.max_by_key(|handle| keys.len(*handle)) else {
        return Refilled::plain(depth, Varying::default());
    };
    let pivot = keys.key(pivot);
    for at in 0..rows.len() {
        look_ahead(keys, rows, at, depth);
        rows[at].cache = place(keys.key(rows[at].handle), pivot, depth);
    }
    let covered = pivot.len().saturating_sub(depth);
    Refilled { depth, covered, varying: Varying::of(rows) }
}

/// Where a key is among those before the pivot, at it and behind it.
#[inline(always)]
fn place(key: &[u8], pivot: &[u8], depth: usize) -> u64 {
    let shared = common(key, pivot, depth, usize::MAX);
    let at = depth + shared;
    let shared = shared as u64;
    match (key.get(at), pivot.get(at)) {
        (Some(byte), Some(of_pivot)) if byte > of_pivot => 2 * (pivot.len() - depth) as u64 - shared,
        _ => shared,
    }
}

/// The bytes that rows with this cache share with the pivot, which has `covered`.
#[inline(always)]
pub(crate) fn shared(cache: u64, covered: usize) -> usize {
    cache.min((2 * covered as u64).saturating_sub(cache)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_keys_and_say_what_is_shared() {
        let mut keys: Vec<String> = ["", "x", "xaaa", "xaab", "xaa", "xab", "xaabbb", "xb", "xaaba"]
            .map(String::from)
            .into_iter()
            .chain((0..20).map(|n| format!("xaa{}", "b".repeat(n))))
            .filter(|key| key.starts_with('x'))
            .collect();
        keys.sort();
        let pivot = "xaabbb";
        let covered = pivot.len() - 1;
        let places: Vec<u64> = keys.iter().map(|key| place(key.as_bytes(), pivot.as_bytes(), 1)).collect();
        assert!(places.is_sorted(), "{keys:?} {places:?}");
        for (key, place) in keys.iter().zip(places) {
            let expected = common(key.as_bytes(), pivot.as_bytes(), 1, usize::MAX);
            assert_eq!(shared(place, covered), expected, "{key}");
        }
    }
}
