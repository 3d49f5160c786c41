//! Gathering bits with one instruction (x86-64 BMI2 `pext`), chosen at run time.
//!
//! ```text
//!   cache   b7 b6 b5 b4 b3 b2 b1 b0
//!   mask     0  1  0  1  1  0  0  1
//!   digit    .  .  .  . b6 b4 b3 b0      what `radix::Digit` does with four shifts
//! ```
//!
//! Each loop that gathers bits has a second form with this instruction, beside the first: a function for processors that
//! have it.

use std::arch::x86_64::__cpuid;
pub(crate) use std::arch::x86_64::_pext_u64 as extract;
use std::sync::atomic::{AtomicU8, Ordering};

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
