//! Keys that a database makes.
//!
//! ```text
//!   composite   [tenant u32|table u16|date text|string 0|number u64]   memcmp order of five columns
//!   timestamp   2024-05-17T10:00:00
//!   prefix64    [64 equal bytes|8 random]                             ids under one namespace
//!   prefix200   [200 equal bytes|8 random]
//! ```

use std::io::Write;

use crate::Keys;
use crate::rng::Rng;

pub(super) fn composite(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| {
        key.extend((rng.zipf(50) as u32).to_be_bytes());
        key.extend((rng.below(8) as u16).to_be_bytes());
        push_time(key, rng.below(1000) * 86_400);
        key.extend(rng.pick(&["active", "archived", "deleted", "pending"]).as_bytes());
        key.push(0);
        key.extend(rng.below(1 << 20).to_be_bytes());
    })
}

pub(super) fn timestamp(rows: usize, rng: &mut Rng) -> Keys {
    Keys::build(rows, |_, key| push_time(key, rng.below(5 * 31_536_000)))
}

/// Date and time so many seconds after the start of 2020, in months of 28 days.
pub(super) fn push_time(key: &mut Vec<u8>, seconds: usize) {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = (2020 + days / 336, 1 + days / 28 % 12, 1 + days % 28);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    write!(key, "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}").expect("memory");
}

pub(super) fn prefix64(rows: usize, rng: &mut Rng) -> Keys {
    behind_prefix(rows, 64, rng)
}

pub(super) fn prefix200(rows: usize, rng: &mut Rng) -> Keys {
    behind_prefix(rows, 200, rng)
}

fn behind_prefix(rows: usize, len: usize, rng: &mut Rng) -> Keys {
    let mut prefix = Vec::new();
    rng.fill(&mut prefix, len);
    Keys::build(rows, |_, key| {
        key.extend(&prefix);
        rng.fill(key, 8);
    })
}
