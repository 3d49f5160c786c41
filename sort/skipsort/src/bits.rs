//! Gathering bits with one instruction (x86-64 BMI2 `pext`), chosen at run time.
//!
//! ```text
//!   cache   b7 b6 b5 b4 b3 b2 b1 b0
//!   mask     0  1  0  1  1  0  0  1
//!   digit    .  .  .  . b6 b4 b3 b0      what `radix::Digit` does with four shifts
//! ```

use std::arch::x86_64::{__cpuid, _pext_u64};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::entry::Entry;
use crate::gather;
use crate::keys::Keys;
use crate::radix::{Digit, Position, distribute_by};
#[cfg(feature = "parallel")]
use crate::scatter::{self, Counts, Target};
use crate::window::{Seen, Window};

/// True where `pext` exists and is not microcode.
#[inline]
pub(crate) fn fast_extract() -> bool {
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    match ANSWER.load(Ordering::Relaxed) {
        0 => {
            let fast = std::arch::is_x86_feature_detected!("bmi2") && !amd_before_zen_3();
            ANSWER.store(1 + u8::from(fast), Ordering::Relaxed);
            fast
        }
        answer => answer == 2,
    }
}

/// AMD families below 19h have the instruction, at up to 300 cycles.
fn amd_before_zen_3() -> bool {
    let vendor = __cpuid(0);
    let signature = __cpuid(1).eax;
    let family = ((signature >> 8) & 0xf) + ((signature >> 20) & 0xff);
    // "AuthenticAMD" in the registers' odd order.
    (vendor.ebx, vendor.edx, vendor.ecx) == (0x6874_7541, 0x6974_6e65, 0x444d_4163) && family < 0x19
}

/// [`distribute`](crate::radix::distribute) with the digit taken by `pext`.
///
/// # Safety
/// The processor has BMI2.
#[target_feature(enable = "bmi2")]
pub(crate) unsafe fn distribute<H: Copy, P: Position, const N: usize>(
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
        |cache| _pext_u64(cache, mask),
    );
}

/// A [pass](crate::gather::pass) over keys with the window's bits taken by `pext`.
///
/// # Safety
/// The processor has BMI2.
#[target_feature(enable = "bmi2")]
pub(crate) unsafe fn pass<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    first: K::Handle,
    depth: usize,
    skip: usize,
    window: &Window,
) -> Option<Seen> {
    let take = window.take;
    gather::pass_by(
        keys,
        rows,
        first,
        depth,
        skip,
        window,
        #[inline(always)]
        |word, at| _pext_u64(word, take[at]),
    )
}

/// Rows per bucket, the digit taken by `pext`.
///
/// # Safety
/// The processor has BMI2.
#[cfg(feature = "parallel")]
#[target_feature(enable = "bmi2")]
pub(crate) unsafe fn count<H>(rows: &[Entry<H>], digit: &Digit) -> Counts {
    let mask = digit.mask;
    scatter::count_by(
        rows,
        #[inline(always)]
        |cache| _pext_u64(cache, mask) as usize,
    )
}

/// Rows written to their buckets, the digit taken by `pext`.
///
/// # Safety
/// The processor has BMI2, and what `scatter::scatter_by` asks for.
#[cfg(feature = "parallel")]
#[target_feature(enable = "bmi2")]
pub(crate) unsafe fn scatter<H: Copy>(rows: &[Entry<H>], into: Target<H>, digit: &Digit, starts: Counts) {
    let mask = digit.mask;
    // SAFETY: the caller's word.
    unsafe {
        scatter::scatter_by(
            rows,
            into,
            starts,
            #[inline(always)]
            |cache| _pext_u64(cache, mask) as usize,
        );
    }
}
