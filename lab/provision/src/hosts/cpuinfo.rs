//! Reads the text of /proc/cpuinfo.

use std::collections::BTreeSet;

/// One processor of /proc/cpuinfo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cpu {
    /// `GenuineIntel`; empty on Arm.
    pub vendor_id: String,
    /// The implementer of an Arm processor (`0x41`).
    pub implementer: Option<u32>,
    /// Family on x86.
    pub family: Option<u32>,
    /// Model number on x86, part number on Arm.
    pub model: Option<u32>,
    /// Stepping on x86, revision on Arm.
    pub stepping: Option<u32>,
    /// The processor's own name; Arm processors have none.
    pub name: Option<String>,
    /// Features.
    pub flags: BTreeSet<String>,
}

impl Cpu {
    /// Whether the processor reports a feature.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }
}

/// All processors, in the order of the text. Processors are separated by empty lines.
pub(super) fn parse(text: &str) -> Vec<Cpu> {
    text.split("\n\n").map(one).filter(|cpu| *cpu != Cpu::default()).collect()
}

fn one(stanza: &str) -> Cpu {
    let mut cpu = Cpu::default();
    for (key, value) in stanza.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match key.trim() {
            "vendor_id" => value.clone_into(&mut cpu.vendor_id),
            "CPU implementer" => cpu.implementer = number(value),
            "cpu family" => cpu.family = number(value),
            "model" | "CPU part" => cpu.model = number(value),
            "stepping" | "CPU revision" => cpu.stepping = number(value),
            "model name" | "Model" => cpu.name = Some(value.to_owned()).filter(|name| !name.is_empty()),
            "flags" | "Features" => cpu.flags = value.split_ascii_whitespace().map(str::to_owned).collect(),
            _ => {}
        }
    }
    cpu
}

/// Decimal, or hexadecimal after `0x`; `None` for anything else (`stepping: unknown`).
fn number(text: &str) -> Option<u32> {
    text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_processors_of_both_kinds() {
        let text = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\
                    stepping\t: unknown\nflags\t\t: fpu avx2\n\nprocessor\t: 1\nCPU implementer\t: 0x41\n\
                    CPU part\t: 0xd0c\nCPU revision\t: 1\nFeatures\t: fp asimd\n\n";
        let [x86, arm] = &parse(text)[..] else { panic!("two processors") };
        assert_eq!((x86.family, x86.model, x86.stepping), (Some(25), Some(1), None));
        assert!(x86.has("avx2") && !x86.has("avx"));
        assert_eq!(x86.name.as_deref(), Some("AMD EPYC"));
        assert_eq!((arm.implementer, arm.model, arm.stepping), (Some(0x41), Some(0xd0c), Some(1)));
        assert!(arm.name.is_none() && arm.has("asimd"));
        assert!(parse("").is_empty());
    }
}
