//! Distribution by a digit made of the bits that vary.
//!
//! Text uses few of the bits of each byte. A digit of eight adjacent bits would send a million lower
//! case words to 26 of 256 buckets; gathering only the bits that differ somewhere in the group, from
//! the top, packs two letters into the same digit and keeps the order:
//!
//! ```text
//!   caches      0110 0001 0110 0010 ...       'a' 'b'
//!   vary        0001 1111 0001 1111           (OR of cache ^ first cache)
//!   digit          ^ ^^^^    ^ ^^^^           10 bits: 00001 00010
//!                  +----------+------> order by digit == order by cache down to its lowest bit
//! ```
//!
//! Up to four stretches of adjacent bits are gathered by shift and mask, which any processor does
//! nearly as fast as it counts; where there is an instruction for it (`bits.rs`), that is used.

use crate::entry::Entry;
use crate::prefix::Varying;

/// Widest digit. 2^11 buckets are 16 KiB of counters, half of the smallest first-level caches.
pub(crate) const MOST_BITS: u32 = 11;

/// One stretch of bits: where it is in the cache and where it goes in the digit.
#[derive(Clone, Copy, Default)]
struct Stretch {
    down: u32,
    mask: u64,
    up: u32,
}

/// The most significant varying bits of a cache, packed.
#[derive(Clone, Copy)]
pub(crate) struct Digit {
    stretches: [Stretch; 4],
    used: u8,
    bits: u32,
    /// The cache bits that the digit covers.
    pub(crate) mask: u64,
    /// Position of the lowest cache bit that the digit covers.
    pub(crate) low: u32,
}

impl Digit {
    /// At most `want` of the bits in `varying`, which must not be empty.
    pub(crate) fn top(varying: Varying, want: u32) -> Self {
        let stretches = [Stretch::default(); 4];
        let mut digit = Digit { stretches, used: 0, bits: 0, mask: 0, low: 64 };
        let mut left = varying.0;
        for stretch in &mut digit.stretches {
            if left == 0 || digit.bits == want {
                break;
            }
            let top = 64 - left.leading_zeros();
            let ones = (!(left << (64 - top))).leading_zeros().min(want - digit.bits);
            let low = top - ones;
            *stretch = Stretch { down: low, mask: (1 << ones) - 1, up: ones };
            digit.bits += ones;
            digit.low = low;
            digit.used += 1;
            let covered = ((1 << ones) - 1) << low;
            digit.mask |= covered;
            left &= !covered;
        }
        digit.lift();
        digit
    }

    /// Turns each stretch's width into its place in the digit.
    fn lift(&mut self) {
        let mut below = self.bits;
        for stretch in &mut self.stretches {
            below -= stretch.up;
            stretch.up = below;
        }
    }

    /// How many buckets the digit tells apart.
    pub(crate) fn buckets(&self) -> usize {
        1 << self.bits
    }

    /// The bucket of a cache.
    #[inline(always)]
    pub(crate) fn of(&self, cache: u64) -> usize {
        let part = |s: Stretch| ((cache >> s.down) & s.mask) << s.up;
        self.stretches.iter().fold(0, |digit, stretch| digit | part(*stretch)) as usize
    }
}

/// A row position in a counter: small where the group is, so that more counters stay near.
pub(crate) trait Position: Copy {
    fn at(self) -> usize;
    fn set(&mut self, at: usize);
}

macro_rules! position {
    ($($number:ty),*) => {$(
        impl Position for $number {
            #[inline(always)]
            fn at(self) -> usize {
                self as usize
            }
            #[inline(always)]
            fn set(&mut self, at: usize) {
                *self = at as $number;
            }
        }
    )*};
}

position!(u32, usize);

/// Stable distribution of `rows` over `into`. Afterwards `ends[b]` is where bucket `b` ends. There are
/// at least as many `ends` as buckets, and a power of two of them.
pub(crate) fn distribute<H: Copy, P: Position, const N: usize>(
    rows: &[Entry<H>],
    into: &mut [Entry<H>],
    digit: &Digit,
    ends: &mut [P; N],
) {
    let [a, b, c, d] = digit.stretches;
    let part = |cache: u64, s: Stretch| ((cache >> s.down) & s.mask) << s.up;
    match digit.used {
        1 => distribute_by(rows, into, digit, ends, |x| (x >> a.down) & a.mask),
        #[cfg(all(feature = "std", target_arch = "x86_64", not(miri)))]
        _ if crate::bits::fast_extract() => {
            // SAFETY: `fast_extract` says that the processor has BMI2.
            unsafe { distribute_by_extract(rows, into, digit, ends) }
        }
        2 => distribute_by(rows, into, digit, ends, |x| part(x, a) | part(x, b)),
        _ => distribute_by(rows, into, digit, ends, |x| part(x, a) | part(x, b) | part(x, c) | part(x, d)),
    }
}

/// The same with the digit taken by one instruction.
///
/// # Safety
/// The processor has BMI2.
#[cfg(all(feature = "std", target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "bmi2")]
unsafe fn distribute_by_extract<H: Copy, P: Position, const N: usize>(
    rows: &[Entry<H>],
    into: &mut [Entry<H>],
    digit: &Digit,
    ends: &mut [P; N],
) {
    let mask = digit.mask;
    distribute_by(
        rows,
        into,
        digit,
        ends,
        #[inline(always)]
        |cache| crate::bits::extract(cache, mask),
    );
}

/// The same by any function that gives the digit.
#[inline(always)]
fn distribute_by<H: Copy, P: Position, const N: usize>(
    rows: &[Entry<H>],
    into: &mut [Entry<H>],
    digit: &Digit,
    ends: &mut [P; N],
    bucket: impl Fn(u64) -> u64,
) {
    assert!(N.is_power_of_two() && digit.buckets() <= N && rows.len() == into.len());
    // The mask changes nothing and tells the compiler that the index is good.
    let bucket = |cache| bucket(cache) as usize & (N - 1);
    for row in rows {
        let count = &mut ends[bucket(row.cache)];
        count.set(count.at() + 1);
    }
    to_starts(&mut ends[..digit.buckets()]);
    for row in rows {
        let end = &mut ends[bucket(row.cache)];
        into[end.at()] = *row;
        end.set(end.at() + 1);
    }
}

/// Counts to start positions.
pub(crate) fn to_starts<P: Position>(counts: &mut [P]) {
    let mut start = 0;
    for count in counts {
        let rows = count.at();
        count.set(start);
        start += rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digit_keeps_the_order_of_the_bits_it_covers() {
        for vary in [1, 0x8000_0000_0000_0000, 0x1f1f_1f1f_0000_0001, u64::MAX, 0x5555_5555_5555_5555] {
            for want in 1..=MOST_BITS {
                let digit = Digit::top(Varying(vary), want);
                assert!(digit.bits >= 1 && digit.bits <= want);
                let caches: Vec<u64> = (0..if cfg!(miri) { 12 } else { 500u64 })
                    .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & vary)
                    .collect();
                for a in &caches {
                    for b in &caches {
                        assert_eq!(digit.of(*a).cmp(&digit.of(*b)), (a >> digit.low).cmp(&(b >> digit.low)));
                    }
                }
            }
        }
    }
}
