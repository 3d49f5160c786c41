//! The processor's identity, features and caches, as the kernel reports them.

use std::collections::BTreeSet;

use humdrum_model::{GenerationSource, Processor};

use super::caches::{self, Caches};
use super::cpuinfo::{self, Cpu};
use super::generation;
use crate::system::read;

/// The texts of /proc/cpuinfo and /sys that a processor is described by.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// /proc/cpuinfo.
    pub cpuinfo: String,
    /// Sizes of caches.
    pub caches: Caches,
    /// /sys/devices/system/cpu/smt/active.
    pub smt_active: String,
    /// topology/physical_package_id of every processor.
    pub packages: Vec<String>,
    /// /sys/devices/system/node/online.
    pub nodes_online: String,
}

impl Texts {
    /// Those of this host.
    pub(super) fn of_host() -> Self {
        let cpus = std::fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
        let package = cpus.map(|cpu| read(cpu.path().join("topology/physical_package_id")));
        Self {
            cpuinfo: read("/proc/cpuinfo"),
            caches: caches::of_host(),
            smt_active: read("/sys/devices/system/cpu/smt/active"),
            packages: package.filter(|text| !text.is_empty()).collect(),
            nodes_online: read("/sys/devices/system/node/online"),
        }
    }
}

/// The processor that the texts describe. Where its cores are of several generations, all are named.
pub(super) fn describe(texts: &Texts) -> Processor {
    let cpus = cpuinfo::parse(&texts.cpuinfo);
    let first = cpus.first().cloned().unwrap_or_default();
    let (generation, generation_source) = generations(&cpus, &texts.caches);
    Processor {
        vendor: vendor(&first),
        family: first.family.or(first.implementer),
        model: first.model,
        stepping: first.stepping,
        generation,
        generation_source,
        l1d_bytes: texts.caches.l1d_bytes,
        l1i_bytes: texts.caches.l1i_bytes,
        l2_bytes: texts.caches.l2_bytes,
        l3_bytes: texts.caches.l3_bytes,
        simd: simd(&first).to_owned(),
        smt: smt(&texts.smt_active),
        sockets: sockets(&texts.packages),
        numa_nodes: ranges(&texts.nodes_online),
    }
}

/// The processor's own name, else its generation, else the architecture.
pub(super) fn name(cpuinfo: &str) -> String {
    let cpus = cpuinfo::parse(cpuinfo);
    let first = cpus.first().cloned().unwrap_or_default();
    let known = || {
        let (generation, source) = generation::of(&first, &Caches::default());
        source.map(|_| generation)
    };
    first.name.clone().or_else(known).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// All that a compiler goes by which compiles for the first processor itself: its maker, family and model, and its features.
pub(super) fn native(cpuinfo: &str) -> String {
    let Cpu { vendor_id, implementer, family, model, flags, .. } =
        cpuinfo::parse(cpuinfo).into_iter().next().unwrap_or_default();
    let numbers: Vec<String> =
        [implementer, family, model].into_iter().flatten().map(|one| one.to_string()).collect();
    let flags: Vec<String> = flags.into_iter().collect();
    format!("{vendor_id} {} {}", numbers.join(" "), flags.join(" ")).trim().to_owned()
}

/// Whether the processor says that it runs under a hypervisor.
pub(super) fn is_virtual(cpuinfo: &str) -> bool {
    cpuinfo::parse(cpuinfo).first().is_some_and(|cpu| cpu.has("hypervisor"))
}

fn generations(cpus: &[Cpu], caches: &Caches) -> (String, Option<GenerationSource>) {
    let mut found: Vec<(String, Option<GenerationSource>)> = Vec::new();
    for cpu in cpus {
        let one = generation::of(cpu, caches);
        if !found.contains(&one) {
            found.push(one);
        }
    }
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    match &found[..] {
        [] => ("unknown".to_owned(), None),
        [(_, source), ..] => (names.join(" and "), *source),
    }
}

fn vendor(cpu: &Cpu) -> String {
    let name = match (cpu.vendor_id.as_str(), cpu.implementer) {
        ("GenuineIntel", _) => "Intel",
        ("AuthenticAMD", _) => "AMD",
        ("HygonGenuine", _) => "Hygon",
        ("", Some(0x41)) => "Arm",
        ("", Some(0x46)) => "Fujitsu",
        ("", Some(0x48)) => "HiSilicon",
        ("", Some(0x4e)) => "NVIDIA",
        ("", Some(0x51)) => "Qualcomm",
        ("", Some(0x61)) => "Apple",
        ("", Some(0x6d)) => "Microsoft",
        ("", Some(0xc0)) => "Ampere",
        (other, _) => other,
    };
    name.to_owned()
}

/// The widest vector instructions. AMX is named as well: processors with it have AVX-512.
fn simd(cpu: &Cpu) -> &'static str {
    const LEVELS: [(&str, &str); 10] = [
        ("amx_tile", "AVX-512, AMX"),
        ("avx512f", "AVX-512"),
        ("avx2", "AVX2"),
        ("avx", "AVX"),
        ("sse4_2", "SSE4.2"),
        ("sse2", "SSE2"),
        ("sve2", "SVE2"),
        ("sve", "SVE"),
        ("asimd", "NEON"),
        ("neon", "NEON"),
    ];
    LEVELS.iter().find(|(flag, _)| cpu.has(flag)).map_or("", |(_, name)| name)
}

fn smt(active: &str) -> Option<bool> {
    match active {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

/// Different packages; the kernel writes -1 where it does not know them.
fn sockets(packages: &[String]) -> Option<u32> {
    let known: BTreeSet<&String> = packages.iter().filter(|package| !package.starts_with('-')).collect();
    (!known.is_empty()).then_some(known.len() as u32)
}

/// How many numbers a list such as `0-3,8` holds; `None` for an empty or foreign text.
fn ranges(list: &str) -> Option<u32> {
    let count = |range: &str| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        to.parse::<u32>().ok()?.checked_sub(from.parse().ok()?)?.checked_add(1)
    };
    list.split(',').map(count).try_fold(0_u32, |sum, one| sum.checked_add(one?))
}

#[cfg(test)]
mod tests;
