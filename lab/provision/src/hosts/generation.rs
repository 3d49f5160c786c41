//! The processor's generation in words, from its family and model number, or from its features and cache sizes where
//! the model number is masked.
//!
//! Hypervisors may report another model number than the processor's. They can also hide features, but they cannot make
//! the processor execute instructions that it lacks. So a feature that the reported model never had proves that the
//! model number is masked; then features and cache sizes decide.

use humdrum_model::GenerationSource;

use super::caches::Caches;
use super::cpuinfo::Cpu;
use super::models::{AMD, ARM, INTEL, Line, Widest};
use Widest::{Amx, Avx2, Avx512};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

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
