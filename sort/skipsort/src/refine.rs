//! Refill: slide the caches of a group behind the bytes its rows share.
//!
//! One visit per key does two things: it verifies a guess of the shared prefix and reads the eight
//! bytes behind it.
//!
//! ```text
//!   depth 8, guess 16 from four sampled rows
//!   row 0   ........|/usr/share/doc/x|copyrigh|     cache from 24
//!   row 1   ........|/usr/share/doc/y|changelo|     agrees on 15 only: the guess falls to 15,
//!   row 2   ........|/usr/share/doc/z|               row 0 is visited a second time at the end
//! ```
//!
//! Where a window promises more than eight bytes, `gather.rs` does the visit.

use crate::entry::Entry;
use crate::keys::Keys;
use crate::prefix::{Varying, common};
use crate::visit::{Refilled, load_all, look_ahead};
use crate::{cache, gather, track};

/// Up to this many rows a second visit finds the keys in the first-level cache: try without a guess.
const FEW: usize = 24;

/// Refills the caches of at least one row. All keys agree on their first `depth` bytes.
pub(crate) fn refill<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    depth: usize,
    limit: usize,
) -> Refilled {
    track::count(track::Event::Refill);
    track::add(track::Event::KeyVisit, rows.len());
    if rows.len() <= FEW {
        let varying = load_all(keys, rows, depth);
        if varying.0 >> 40 != 0 {
            return Refilled::plain(depth, varying);
        }
    }
    let first = rows[0].handle;
    let aim = gather::aim(keys, rows, depth, limit);
    if aim.worth
        && let Some(refilled) =
            gather::run(depth, &aim, |window| gather::pass(keys, rows, first, depth, aim.skip, window))
    {
        return refilled;
    }
    load_plain(keys, rows, first, depth, aim.shared)
}

/// Every cache from behind what all rows share with the `first`, which is at most `shared` bytes from `depth`.
pub(crate) fn load_plain<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    first: K::Handle,
    depth: usize,
    shared: usize,
) -> Refilled {
    match shared {
        0 => Refilled::plain(depth, load_all(keys, rows, depth)),
        shared => load_verified(keys, rows, first, depth, shared),
    }
}

fn load_verified<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    first: K::Handle,
    depth: usize,
    mut shared: usize,
) -> Refilled {
    let first = keys.key(first);
    let mut stale = 0;
    for at in 0..rows.len() {
        look_ahead(keys, rows, at, depth + shared);
        let key = keys.key(rows[at].handle);
        let agrees = common(first, key, depth, shared);
        if agrees < shared {
            shared = agrees;
            stale = at;
        }
        rows[at].cache = cache::load(key, depth + shared);
    }
    load_all(keys, &mut rows[..stale.max(1)], depth + shared);
    if shared > 0 {
        track::count(track::Event::PrefixSkip);
    }
    Refilled::plain(depth + shared, Varying::of(rows))
}
