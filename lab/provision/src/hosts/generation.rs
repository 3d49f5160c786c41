//! The processor's generation in words, from its family and model number, or from its features and cache sizes where
//! the model number is masked.
//!
//! Hypervisors may report another model number than the processor's. They can also hide features, but they cannot make
//! the processor execute instructions that it lacks. So a feature that the reported model never had proves that the
//! model number is masked; then features and cache sizes decide. Model numbers follow the kernel's own tables
//! (`arch/x86/include/asm/intel-family.h`, `arch/x86/kernel/cpu/amd.c`, `arch/arm64/include/asm/cputype.h`).

use std::ops::RangeInclusive;

use humdrum_model::GenerationSource;

use super::caches::Caches;
use super::cpuinfo::Cpu;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// The widest instructions that models of a table line have. Later variants have all of the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Widest {
    /// At most AVX2.
    Avx2,
    /// AVX-512 at most.
    Avx512,
    /// AVX-512 with 16-bit floats, and AMX.
    Amx,
}

use Widest::{Amx, Avx2, Avx512};

/// Model numbers, the generation's name, and its widest instructions.
type Line = (RangeInclusive<u32>, &'static str, Widest);

/// Intel, family 6.
const INTEL: [Line; 43] = [
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
const AMD: [(u32, Line); 22] = [
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
const ARM: [(u32, u32, &str); 28] = [
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

/// A generation in words and how it was found; `unknown, family 25 model 200` where it was not.
pub(super) fn of(cpu: &Cpu, caches: &Caches) -> (String, Option<GenerationSource>) {
    let (listed, masked) = match cpu.vendor_id.as_str() {
        "GenuineIntel" => (intel(cpu), masked_intel(cpu, caches)),
        "AuthenticAMD" => (amd(cpu), masked_amd(cpu, caches)),
        "HygonGenuine" => (Some(("Dhyana", Avx2)), None),
        _ => (arm(cpu), None),
    };
    match (listed, masked) {
        (Some((_, widest)), Some(found)) if shown(cpu) > widest => {
            (found.to_owned(), Some(GenerationSource::Features))
        }
        (Some((name, widest)), _) if shown(cpu) <= widest => (name.to_owned(), Some(GenerationSource::Model)),
        _ => (unknown(cpu), None),
    }
}

/// The widest instructions that the processor reports.
fn shown(cpu: &Cpu) -> Widest {
    match () {
        () if cpu.has("amx_tile") || cpu.has("avx512_fp16") => Amx,
        () if cpu.has("avx512f") => Avx512,
        () => Avx2,
    }
}

fn intel(cpu: &Cpu) -> Option<(&'static str, Widest)> {
    match (cpu.family?, cpu.model?, cpu.stepping) {
        (6, 85, Some(0..=4)) => Some(("Skylake-SP", Avx512)),
        (6, 85, Some(5..=9)) => Some(("Cascade Lake", Avx512)),
        (6, 85, Some(10..)) => Some(("Cooper Lake", Avx512)),
        (6, model, _) => line(INTEL.iter(), model),
        (19, 1, _) => Some(("Diamond Rapids", Amx)),
        _ => None,
    }
}

fn amd(cpu: &Cpu) -> Option<(&'static str, Widest)> {
    let family = cpu.family?;
    line(AMD.iter().filter(|(of, _)| *of == family).map(|(_, line)| line), cpu.model?)
}

fn arm(cpu: &Cpu) -> Option<(&'static str, Widest)> {
    let (implementer, part) = (cpu.implementer?, cpu.model?);
    let found = ARM.iter().find(|(by, known, _)| (*by, *known) == (implementer, part));
    found.map(|(.., name)| (*name, Amx))
}

fn line<'a>(mut lines: impl Iterator<Item = &'a Line>, model: u32) -> Option<(&'static str, Widest)> {
    lines.find(|(models, ..)| models.contains(&model)).map(|(_, name, widest)| (*name, *widest))
}

/// An Intel server processor by features. With AMX, second-level caches of 2 MB; of those, Granite Rapids alone has
/// first-level instruction caches of 64 KB, and third-level caches of more than Emerald Rapids' 320 MB.
fn masked_intel(cpu: &Cpu, caches: &Caches) -> Option<&'static str> {
    let l2_is = |bytes| caches.l2_bytes == Some(bytes);
    match shown(cpu) {
        Amx if !l2_is(2 * MIB) => None,
        Amx if cpu.has("amx_fp16")
            || caches.l1i_bytes == Some(64 * KIB)
            || caches.l3_bytes > Some(320 * MIB) =>
        {
            Some("Granite Rapids")
        }
        Amx => Some("Sapphire Rapids or Emerald Rapids"),
        Avx512 if cpu.has("avx512_vbmi2") && l2_is(5 * MIB / 4) => Some("Ice Lake-SP"),
        Avx512 if !cpu.has("avx512_vbmi2") && l2_is(MIB) => Some("Skylake-SP, Cascade Lake or Cooper Lake"),
        Avx512 | Avx2 => None,
    }
}

/// An AMD processor with AVX-512 is of Zen 4, or of Zen 5 with its first-level data caches of 48 KB.
fn masked_amd(cpu: &Cpu, caches: &Caches) -> Option<&'static str> {
    match caches.l1d_bytes {
        Some(bytes) if shown(cpu) == Avx512 && bytes == 48 * KIB => Some("Zen 5"),
        Some(bytes) if shown(cpu) == Avx512 && bytes == 32 * KIB => Some("Zen 4"),
        _ => None,
    }
}

fn unknown(cpu: &Cpu) -> String {
    match (cpu.family, cpu.implementer, cpu.model) {
        (Some(family), _, Some(model)) => format!("unknown, family {family} model {model}"),
        (_, Some(implementer), Some(part)) => {
            format!("unknown, implementer {implementer:#x} part {part:#x}")
        }
        _ => "unknown".to_owned(),
    }
}
