//! Equal keys: a group of many rows that has few keys is parted by these at once, whatever their length.
//!
//! ```text
//!   sampled rows have the keys      "qqq"        "qqqqqqqq"
//!   each other row is       before | equal | between | equal | behind
//!                             0        1        2        3       4        1 and 3 are final
//! ```
//!
//! Caches part rows of few keys level by level, eight bytes or what all share at a time; a comparison sort that notices equal keys is
//! faster there. Here a row is looked up by its key's length, first and last bytes, and compared with one key. What no sampled
//! key is equal to is in between, and goes on as before.
//!
//! A row is compared no farther than it agrees with another row, and takes part at most once: groups remember that this was tried
//! (`Task::tried`), also when it was given up. So the bound stays as it is.

use crate::cache;
use crate::entry::Entry;
use crate::keys::Keys;
use crate::settle;
use crate::visit::look_ahead;

/// From this many rows on.
const LEAST: usize = if crate::TINY { 96 } else { 1 << 13 };
/// Rows that are looked at first. Of a hundred keys alike in number, two rows have the same in 95 of a hundred groups.
const GLANCE: usize = 24;
/// Rows of which the keys are taken.
const SAMPLES: usize = if crate::TINY { 32 } else { 512 };
/// More different keys are no few.
const MOST: usize = 128;
/// Rows before, equal to, between and behind the keys.
const CLASSES: usize = 2 * MOST + 1;
/// Slots by hash, so many that most keys have one of their own.
const SLOTS: usize = 512;

/// Where the classes of a parted group end; classes of an odd number are final.
pub(crate) struct Parted {
    ends: [usize; CLASSES],
}

impl Parted {
    /// What is left to be sorted, the last rows first: where it begins and ends in the group.
    pub(crate) fn left(&self) -> impl Iterator<Item = (usize, usize)> {
        let start = |class: usize| if class == 0 { 0 } else { self.ends[class - 1] };
        (0..CLASSES).step_by(2).rev().map(move |class| (start(class), self.ends[class]))
    }
}

/// Whether the group has two equal keys among a few rows, as far as a glance tells.
pub(crate) fn are_likely<K: Keys>(keys: &K, rows: &[Entry<K::Handle>], depth: usize) -> bool {
    if rows.len() < LEAST {
        return false;
    }
    let mut marks: [u64; GLANCE] =
        core::array::from_fn(|at| mark(keys.key(rows[rows.len() / GLANCE * at].handle), depth));
    marks.sort_unstable();
    marks.windows(2).any(|pair| pair[0] == pair[1])
}

/// Parts a group by its keys, if these are few. `spare` is as long. Else the rows are as before, with other caches.
pub(crate) fn part<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    spare: &mut [Entry<K::Handle>],
    depth: usize,
) -> Option<Parted> {
    let spare = spare.get_mut(..rows.len())?;
    let known = Known::of(keys, rows, depth)?;
    let mut counts = [0; CLASSES];
    let mut strangers = 0;
    for at in 0..rows.len() {
        look_ahead(keys, rows, at, depth);
        let class = known.class(keys.key(rows[at].handle));
        rows[at].cache = class as u64;
        counts[class] += 1;
        strangers += 1 - class % 2;
        // A sample of which the rows are no copies: found out after an eighth of the work.
        if at == rows.len() / 8 && strangers > at / 4 {
            return None;
        }
    }
    let [mut places, ends] = settle::bounds(&counts);
    for row in &*rows {
        let place = &mut places[row.cache as usize];
        spare[*place] = *row;
        *place += 1;
    }
    rows.copy_from_slice(spare);
    Some(Parted { ends })
}

/// The different keys of a sample from the depth on, in order. Each was asked for once: a user's function may give another the next
/// time.
struct Known<'k> {
    depth: usize,
    keys: [&'k [u8]; MOST],
    marks: [u64; MOST],
    count: usize,
    /// One more than a key's number, by the top bits of its mark and the slots behind.
    slots: [u8; SLOTS],
}

impl<'k> Known<'k> {
    /// `None` if there are too many, or so many of which the sample has one row that many are not in the sample.
    fn of<K: Keys>(keys: &'k K, rows: &[Entry<K::Handle>], depth: usize) -> Option<Self> {
        let mut sample: [&[u8]; SAMPLES] =
            core::array::from_fn(|at| keys.key(rows[rows.len() / SAMPLES * at].handle));
        sample.sort_unstable_by_key(|key| rest(key, depth));
        let mut known = Known { depth, keys: [&[]; MOST], marks: [0; MOST], count: 0, slots: [0; SLOTS] };
        let mut single = 0;
        for same in sample.chunk_by(|a, b| rest(a, depth) == rest(b, depth)) {
            single += usize::from(same.len() == 1);
            if known.count == MOST || single > SAMPLES / 16 {
                return None;
            }
            known.add(same[0]);
        }
        Some(known)
    }

    fn add(&mut self, key: &'k [u8]) {
        let mark = mark(key, self.depth);
        self.keys[self.count] = rest(key, self.depth);
        self.marks[self.count] = mark;
        self.count += 1;
        let mut slot = slot(mark);
        // There are four times as many slots as keys.
        while self.slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = self.count as u8;
    }

    /// 2i + 1 for a key that is equal to the i-th, 2i for one that stands before it and behind the one before.
    #[inline(always)]
    fn class(&self, key: &[u8]) -> usize {
        let of_key = mark(key, self.depth);
        let mut slot = slot(of_key);
        while let Some(number) = usize::from(self.slots[slot]).checked_sub(1) {
            if self.marks[number] == of_key && self.keys[number] == rest(key, self.depth) {
                return 2 * number + 1;
            }
            slot = (slot + 1) % SLOTS;
        }
        self.between(rest(key, self.depth))
    }

    #[cold]
    fn between(&self, key: &[u8]) -> usize {
        match self.keys[..self.count].binary_search(&key) {
            Ok(number) => 2 * number + 1,
            Err(number) => 2 * number,
        }
    }
}

fn slot(mark: u64) -> usize {
    (mark >> (64 - SLOTS.ilog2())) as usize
}

#[inline(always)]
fn rest(key: &[u8], depth: usize) -> &[u8] {
    key.get(depth..).unwrap_or(&[])
}

/// Equal for equal keys: made of the length, the first eight bytes and the last eight.
#[inline(always)]
fn mark(key: &[u8], depth: usize) -> u64 {
    /// 2^64 over the golden ratio, odd (Knuth, The Art of Computer Programming, 6.4).
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let last = rest(key, depth).last_chunk::<8>().map_or(0, |eight| u64::from_le_bytes(*eight));
    let both = cache::load(key, depth) ^ last.rotate_left(32);
    (both.wrapping_mul(SPREAD) ^ key.len() as u64).wrapping_mul(SPREAD)
}
