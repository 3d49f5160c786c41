//! The window: which bits of the next 32 key bytes travel in the cache.
//!
//! Eight adjacent bytes tell keys apart by few of their 64 bits: digits differ in four of eight, letters of
//! one case in five, separators in none. Bits in which a group's keys do not differ need not travel:
//!
//! ```text
//!   keys        2024-05-17T10:00:00         eight bytes as they are:   "2024-05-"
//!               2023-11-02T23:59:59
//!               2024-10-30T08:15:42         what varies, closed up:    all 19 bytes in 34 bits
//!   vary           ## ## ## ## ## ##
//! ```
//!
//! It is common prefix skipping by the bit and not only at the front. Order is kept because all keys agree on
//! every bit left out above the last one taken. Where too little is gained eight bytes stay as they are, which
//! costs one load.
//!
//! The gathering is `pext` where there is one (`bits.rs`), else six masked shifts: H. S. Warren, *Hacker's
//! Delight*, 2nd edition, 7-4.

use crate::cache;
use crate::prefix::Varying;

/// Words looked at.
pub(crate) const WORDS: usize = 4;

/// Bytes looked at, and the most that a cache can stand for.
pub(crate) const BYTES: usize = 8 * WORDS;

/// What is learned of the next words of a group's keys: bits that differ from the first key's somewhere.
pub(crate) type Seen = [u64; WORDS];

/// A choice of at most 64 bits from the window.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    /// The bits taken of each word.
    pub(crate) take: Seen,
    /// The bits that must not vary, for the order to hold.
    still: Seen,
    /// Where each word's bits stand in the cache.
    pub(crate) up: [u32; WORDS],
    /// Whole bytes that the cache stands for.
    pub(crate) covered: usize,
}

impl Window {
    /// The first 64 of the bits that vary.
    pub(crate) fn of(seen: &Seen) -> Self {
        let mut window = Window { take: [0; WORDS], still: [0; WORDS], up: [0; WORDS], covered: BYTES };
        let mut room = 64;
        for (at, &vary) in seen.iter().enumerate() {
            let rest = without_top(vary, room);
            window.take[at] = vary ^ rest;
            room -= window.take[at].count_ones();
            window.up[at] = room.min(63);
            let whole = rest.leading_zeros();
            window.still[at] = !window.take[at] & !u64::MAX.checked_shr(whole).unwrap_or(0);
            if rest != 0 {
                window.covered = 8 * at + whole as usize / 8;
                break;
            }
        }
        window
    }

    /// True when caches made by this window are in order for keys in which `seen` varies.
    pub(crate) fn holds(&self, seen: &Seen) -> bool {
        self.still.iter().zip(seen).all(|(still, seen)| still & seen == 0)
    }

    /// Words that have to be read.
    pub(crate) fn words(&self) -> usize {
        self.covered.div_ceil(8).max(1)
    }

    /// The bits in which caches differ, for keys in which `seen` varies.
    pub(crate) fn varying(&self, seen: &Seen) -> Varying {
        let closed = Closing::all(&self.take);
        Varying((0..WORDS).fold(0, |cache, at| cache | closed[at].gather(seen[at]) << self.up[at]))
    }
}

/// What varies in one group or the other, if both were compared with the same key.
pub(crate) fn join(a: &Seen, b: &Seen) -> Seen {
    core::array::from_fn(|at| a[at] | b[at])
}

/// `bits` less its highest `most` ones.
fn without_top(bits: u64, most: u32) -> u64 {
    let mut rest = bits;
    if bits.count_ones() <= most {
        return 0;
    }
    for _ in 0..most {
        rest &= !(1 << (63 - rest.leading_zeros()));
    }
    rest
}

/// How to close up the bits of a mask: by 1, 2, 4 ... 32 places, as the zeros below each bit say.
#[derive(Clone, Copy)]
pub(crate) struct Closing {
    mask: u64,
    moves: [u64; 6],
}

impl Closing {
    /// One for each word.
    pub(crate) fn all(take: &Seen) -> [Closing; WORDS] {
        take.map(Closing::new)
    }

    fn new(mask: u64) -> Self {
        let (mut left, mut zeros_below) = (mask, !mask << 1);
        let moves = core::array::from_fn(|step| {
            // Bit i is the parity of the zeros below i.
            let parity = [1, 2, 4, 8, 16, 32].into_iter().fold(zeros_below, |bits, by| bits ^ bits << by);
            let moved = parity & left;
            left = left ^ moved | moved >> (1 << step);
            zeros_below &= !parity;
            moved
        });
        Closing { mask, moves }
    }

    /// The masked bits of `word`, closed up at the low end.
    #[inline(always)]
    pub(crate) fn gather(&self, word: u64) -> u64 {
        self.moves.iter().enumerate().fold(word & self.mask, |word, (step, mask)| {
            let moved = word & mask;
            word ^ moved | moved >> (1 << step)
        })
    }
}

/// The next `N` words of a key.
#[inline(always)]
pub(crate) fn words<const N: usize>(key: &[u8], depth: usize) -> [u64; N] {
    match key.get(depth..).and_then(|rest| rest.as_chunks().0.first_chunk::<N>()) {
        Some(words) => words.map(u64::from_be_bytes),
        None => core::array::from_fn(|at| cache::load(key, depth + 8 * at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> impl Iterator<Item = u64> {
        (0u64..).map(|i| i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left((i % 64) as u32))
    }

    #[test]
    fn gathers_what_a_loop_would() {
        let masks = [0, 1, u64::MAX, 1 << 63, 0x0f0f_0f0f_0f0f_0f0f, 0x5f1f_1f00_1f1f_7f01];
        for mask in masks.into_iter().chain(numbers().take(20)) {
            for word in numbers().take(20) {
                let bits = (0..64).rev().filter(|bit| mask >> bit & 1 == 1);
                let expected = bits.fold(0, |sum, bit| sum << 1 | (word >> bit & 1));
                assert_eq!(Closing::new(mask).gather(word), expected, "{mask:x} {word:x}");
            }
        }
    }

    #[test]
    fn covers_what_fits_and_keeps_the_order() {
        let digits = 0x0f0f_0f0f_0f0f_0f0f_u64;
        let cases = [
            ([digits, digits, digits, digits], 16),
            ([u64::MAX, u64::MAX, 0, 0], 8),
            ([0, 0, 1, u64::MAX], 31),
            ([0; 4], 32),
            ([u64::MAX, 0, 0x00ff << 48, 0], 17),
            ([u64::MAX - 1, 3 << 62, 0, 0], 8),
        ];
        for (seen, covered) in cases {
            let window = Window::of(&seen);
            assert_eq!(window.covered, covered, "{seen:x?}");
            assert!(window.holds(&seen));
            let closings = Closing::all(&window.take);
            let cache =
                |key: &Seen| (0..4).fold(0, |sum, at| sum | closings[at].gather(key[at]) << window.up[at]);
            let keys: Vec<Seen> = (0..40)
                .map(|skip| {
                    let mut random = numbers().skip(skip * 7);
                    seen.map(|vary| vary & random.next().unwrap())
                })
                .collect();
            for a in &keys {
                for b in &keys {
                    assert!(a > b || cache(a) <= cache(b), "{a:x?} {b:x?}");
                }
            }
        }
    }

    #[test]
    fn a_bit_that_was_thought_still_is_noticed() {
        let window = Window::of(&[0x0f, 0x0f, 0, 0]);
        assert!(window.holds(&[0x0e, 0x01, 0, 0]));
        assert!(!window.holds(&[0x1f, 0, 0, 0]) && !window.holds(&[0, 0, 0, 1]));
    }
}
