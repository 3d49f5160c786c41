//! Visits to the keys of a group: asked for ahead of time, and what is brought back.
//!
//! ```text
//!   row 0 .. 31         row 32              row 64
//!   cache is read       key is asked for    row is asked for, which says where its key is
//! ```

use crate::cache;
use crate::entry::Entry;
use crate::keys::Keys;
use crate::prefetch::AHEAD;
use crate::prefix::{Varying, common};

/// Where the caches of a group now start, how many bytes they stand for and in which bits they differ.
pub(crate) struct Refilled {
    pub(crate) depth: usize,
    pub(crate) covered: usize,
    pub(crate) varying: Varying,
}

impl Refilled {
    pub(crate) fn plain(depth: usize, varying: Varying) -> Self {
        Refilled { depth, covered: cache::CACHE_BYTES, varying }
    }
}

/// The prefix shared by a few rows, at most `limit` bytes.
pub(crate) fn guess<K: Keys>(keys: &K, rows: &[Entry<K::Handle>], depth: usize, limit: usize) -> usize {
    let first = keys.key(rows[0].handle);
    let samples = if rows.len() < 64 { 1 } else { 4 };
    let mut shared = limit;
    for sample in 1..=samples {
        let row = rows[(rows.len() - 1) * sample / samples];
        shared = common(first, keys.key(row.handle), depth, shared);
        if shared == 0 {
            break;
        }
    }
    shared
}

/// Every cache from `depth`.
pub(crate) fn load_all<K: Keys>(keys: &K, rows: &mut [Entry<K::Handle>], depth: usize) -> Varying {
    let first = cache::load(keys.key(rows[0].handle), depth);
    let mut varying = 0;
    for at in 0..rows.len() {
        look_ahead(keys, rows, at, depth);
        let cache = cache::load(keys.key(rows[at].handle), depth);
        rows[at].cache = cache;
        varying |= cache ^ first;
    }
    Varying(varying)
}

/// Asks for the keys of rows to come.
#[inline(always)]
pub(crate) fn look_ahead<K: Keys>(keys: &K, rows: &[Entry<K::Handle>], at: usize, depth: usize) {
    if let Some(row) = rows.get(at + 2 * AHEAD) {
        keys.prefetch_row(row.handle);
    }
    if let Some(row) = rows.get(at + AHEAD) {
        keys.prefetch(row.handle, depth);
    }
}
