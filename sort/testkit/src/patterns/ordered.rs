//! Keys with an order to start with.
//!
//! ```text
//!   sorted  /    reversed  \    all_equal  -    saw  //////    almost  / with dots off it
//! ```

use super::text;
use crate::Keys;
use crate::rng::Rng;

pub(super) fn sorted(rows: usize, rng: &mut Rng) -> Keys {
    runs(rows, 1, rng)
}

pub(super) fn saw(rows: usize, rng: &mut Rng) -> Keys {
    runs(rows, 16, rng)
}

fn runs(rows: usize, runs: usize, rng: &mut Rng) -> Keys {
    let mut keys = text::url(rows, rng);
    keys.reorder(|bytes, spans| {
        for run in spans.chunks_mut(rows.div_ceil(runs).max(1)) {
            run.sort_by(|a, b| bytes[a.clone()].cmp(&bytes[b.clone()]));
        }
    });
    // In order in memory, too: what a merge or an index scan hands over.
    Keys::build(rows, |row, key| key.extend(keys.get(row)))
}

pub(super) fn reversed(rows: usize, rng: &mut Rng) -> Keys {
    let keys = sorted(rows, rng);
    Keys::build(rows, |row, key| key.extend(keys.get(rows - 1 - row)))
}

pub(super) fn all_equal(rows: usize, rng: &mut Rng) -> Keys {
    let one = text::url(1, rng);
    Keys::build(rows, |_, key| key.extend(one.get(0)))
}

pub(super) fn almost(rows: usize, rng: &mut Rng) -> Keys {
    let mut keys = sorted(rows, rng);
    keys.reorder(|_, spans| {
        for _ in 0..rows / 200 {
            spans.swap(rng.below(rows), rng.below(rows));
        }
    });
    keys
}
