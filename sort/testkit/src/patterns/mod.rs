//! Patterns of keys, in a table.
//!
//! A pattern is a name, a sentence and a function of the number of rows and a random generator. The
//! [`SETS`] resemble data and make up the published geometric means; the [`ORDERED`] have an order to
//! start with; the [`ADVERSARIES`] are aimed at one part of a sort each.

mod adversary;
mod database;
mod ordered;
mod random;
mod text;

use crate::Keys;
use crate::rng::Rng;

/// A named way to make keys.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// What it is called on a command line and in records.
    pub name: &'static str,
    /// What a key looks like and what it is for.
    pub about: &'static str,
    make: fn(usize, &mut Rng) -> Keys,
}

impl Pattern {
    /// `rows` keys; the same seed gives the same keys.
    pub fn keys(&self, rows: usize, seed: u64) -> Keys {
        let keys = (self.make)(rows, &mut Rng::new(seed));
        debug_assert_eq!(keys.len(), rows, "{}", self.name);
        keys
    }
}

const fn pattern(name: &'static str, about: &'static str, make: fn(usize, &mut Rng) -> Keys) -> Pattern {
    Pattern { name, about, make }
}

/// Seventeen sets that resemble data, short keys first.
pub const SETS: &[Pattern] = &[
    pattern("random8", "8 random bytes", random::eight),
    pattern("record100", "10 random bytes at the start of a 100-byte record", random::record),
    pattern("uuid", "36 characters of a random UUID", random::uuid),
    pattern("hash40", "40 hexadecimal digits", random::hash),
    pattern("dna", "100 letters of 4", random::dna),
    pattern("decimal", "a number in decimal digits", random::decimal),
    pattern("words", "words of a text, often the same few (Zipf)", text::words),
    pattern("sentences", "3 to 12 such words", text::sentences),
    pattern("duplicates", "20 to 40 bytes, each key about 100 times", text::duplicates),
    pattern("email", "name.name@host", text::email),
    pattern("log_line", "timestamp, level and message", text::log_line),
    pattern("url", "https, a host of few, a path", text::url),
    pattern("path", "a file path in a deep tree", text::path),
    pattern("composite", "a DBMS key: tenant, table, date, string, number", database::composite),
    pattern("timestamp", "ISO date and time within some years", database::timestamp),
    pattern("prefix64", "64 shared bytes, then 8 random ones", database::prefix64),
    pattern("prefix200", "200 shared bytes, then 8 random ones", database::prefix200),
];

/// Sets with an order to start with.
pub const ORDERED: &[Pattern] = &[
    pattern("sorted", "URLs in order", ordered::sorted),
    pattern("reversed", "URLs in reverse order", ordered::reversed),
    pattern("all_equal", "one key", ordered::all_equal),
    pattern("saw", "sixteen sorted runs one after the other", ordered::saw),
    pattern("almost", "in order but for one row of a hundred", ordered::almost),
];

/// Sets aimed at one part of a sort each.
pub const ADVERSARIES: &[Pattern] = &[
    pattern("ladder", "a, aa, aaa, ... shuffled: depth", adversary::ladder),
    pattern("last_bit", "long keys that differ in the last bit: scans", adversary::last_bit),
    pattern("fooler", "few rows that break a long shared prefix early: guesses", adversary::fooler),
    pattern("median_killer", "the pivot sample always draws the smallest: splits", adversary::median_killer),
    pattern("one_bit", "one varying bit per eight bytes: digits", adversary::one_bit),
    pattern("zeros", "embedded and trailing zeros, empty keys: padding", adversary::zeros),
    pattern("lengths", "prefixes of one key, many equal: ends", adversary::lengths),
    pattern("fan", "each level one row leaves, the rest goes on: levels", adversary::fan),
    pattern("huge", "some keys beyond 64 KiB: handles", adversary::huge),
];

/// Every pattern.
pub fn all() -> impl Iterator<Item = &'static Pattern> {
    SETS.iter().chain(ORDERED).chain(ADVERSARIES)
}

/// The pattern called `name`.
pub fn find(name: &str) -> Option<&'static Pattern> {
    all().find(|pattern| pattern.name == name)
}
