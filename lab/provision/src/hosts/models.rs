//! Model numbers of processors and the names of their generations, as the kernel's own tables have them
//! (`arch/x86/include/asm/intel-family.h`, `arch/x86/kernel/cpu/amd.c`, `arch/arm64/include/asm/cputype.h`).

use std::ops::RangeInclusive;

use Widest::{Amx, Avx2, Avx512};

/// The widest instructions that models of a table line have. Later variants have all of the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Widest {
    /// At most AVX2.
    Avx2,
    /// AVX-512 at most.
    Avx512,
    /// AVX-512 with 16-bit floats, and AMX.
    Amx,
}

/// Model numbers, the generation's name, and its widest instructions.
pub(super) type Line = (RangeInclusive<u32>, &'static str, Widest);

/// Intel, family 6.
pub(super) const INTEL: [Line; 43] = [
    (42..=42, "Sandy Bridge", Avx2),
    (45..=45, "Sandy Bridge-EP", Avx2),
    (58..=58, "Ivy Bridge", Avx2),
    (60..=60, "Haswell", Avx2),
    (61..=61, "Broadwell", Avx2),
    (62..=62, "Ivy Bridge-EP", Avx2),
    (63..=63, "Haswell-EP", Avx2),
    (69..=70, "Haswell", Avx2),
    (71..=71, "Broadwell", Avx2),
    (78..=78, "Skylake", Avx2),
    (79..=79, "Broadwell-EP", Avx2),
    // 85 is Skylake-SP, Cascade Lake or Cooper Lake, by its stepping: `intel`.
    (86..=86, "Broadwell-DE", Avx2),
    (87..=87, "Knights Landing", Avx512),
    (92..=92, "Goldmont", Avx2),
    (94..=94, "Skylake", Avx2),
    (95..=95, "Goldmont", Avx2),
    (106..=106, "Ice Lake-SP", Avx512),
    (108..=108, "Ice Lake-D", Avx512),
    (122..=122, "Goldmont Plus", Avx2),
    (125..=126, "Ice Lake", Avx512),
    (134..=134, "Tremont", Avx2),
    (140..=141, "Tiger Lake", Avx512),
    (142..=142, "Kaby Lake", Avx2),
    (143..=143, "Sapphire Rapids", Amx),
    (151..=151, "Alder Lake", Avx512),
    (154..=154, "Alder Lake", Avx512),
    (158..=158, "Kaby Lake", Avx2),
    (165..=166, "Comet Lake", Avx2),
    (167..=167, "Rocket Lake", Avx512),
    (170..=170, "Meteor Lake", Avx2),
    (172..=172, "Meteor Lake", Avx2),
    (173..=174, "Granite Rapids", Amx),
    (175..=175, "Sierra Forest", Avx2),
    (181..=181, "Arrow Lake", Avx2),
    (183..=183, "Raptor Lake", Avx2),
    (186..=186, "Raptor Lake", Avx2),
    (189..=189, "Lunar Lake", Avx2),
    (190..=190, "Gracemont", Avx2),
    (191..=191, "Raptor Lake", Avx2),
    (197..=198, "Arrow Lake", Avx2),
    (204..=204, "Panther Lake", Avx2),
    (207..=207, "Emerald Rapids", Amx),
    (221..=221, "Clearwater Forest", Avx2),
];

/// AMD, families 0x17, 0x19 and 0x1a.
pub(super) const AMD: [(u32, Line); 22] = [
    (0x17, (0x00..=0x07, "Zen", Avx2)),
    (0x17, (0x08..=0x0f, "Zen+", Avx2)),
    (0x17, (0x10..=0x17, "Zen", Avx2)),
    (0x17, (0x18..=0x1f, "Zen+", Avx2)),
    (0x17, (0x20..=0x2f, "Zen", Avx2)),
    (0x17, (0x30..=0x4f, "Zen 2", Avx2)),
    (0x17, (0x50..=0x5f, "Zen", Avx2)),
    (0x17, (0x60..=0x7f, "Zen 2", Avx2)),
    (0x17, (0x84..=0x87, "Zen 2", Avx2)),
    (0x17, (0x90..=0x91, "Zen 2", Avx2)),
    (0x17, (0xa0..=0xaf, "Zen 2", Avx2)),
    (0x19, (0x00..=0x0f, "Zen 3", Avx2)),
    (0x19, (0x10..=0x1f, "Zen 4", Avx512)),
    (0x19, (0x20..=0x3f, "Zen 3", Avx2)),
    (0x19, (0x40..=0x4f, "Zen 3+", Avx2)),
    (0x19, (0x50..=0x5f, "Zen 3", Avx2)),
    (0x19, (0x60..=0x9f, "Zen 4", Avx512)),
    (0x19, (0xa0..=0xaf, "Zen 4c", Avx512)),
    (0x1a, (0x00..=0x0f, "Zen 5", Avx512)),
    (0x1a, (0x10..=0x1f, "Zen 5c", Avx512)),
    (0x1a, (0x20..=0x2f, "Zen 5", Avx512)),
    (0x1a, (0x40..=0x7f, "Zen 5", Avx512)),
];

/// Arm: implementer, part, name.
pub(super) const ARM: [(u32, u32, &str); 28] = [
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse N1"),
    (0x41, 0xd40, "Neoverse V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd49, "Neoverse N2"),
    (0x41, 0xd4a, "Neoverse E1"),
    (0x41, 0xd4f, "Neoverse V2"),
    (0x41, 0xd83, "Neoverse V3AE"),
    (0x41, 0xd84, "Neoverse V3"),
    (0x41, 0xd8e, "Neoverse N3"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "TaiShan v110"),
    (0x61, 0x022, "Apple M1"),
    (0x61, 0x023, "Apple M1"),
    (0x61, 0x024, "Apple M1 Pro"),
    (0x61, 0x025, "Apple M1 Pro"),
    (0x61, 0x028, "Apple M1 Max"),
    (0x61, 0x029, "Apple M1 Max"),
    (0x61, 0x032, "Apple M2"),
    (0x61, 0x033, "Apple M2"),
    (0x61, 0x034, "Apple M2 Pro"),
    (0x61, 0x035, "Apple M2 Pro"),
    (0x6d, 0xd49, "Neoverse N2"),
    (0xc0, 0xac3, "AmpereOne"),
];
