//! The host of a run, and findings that make it less suitable for measuring.

use serde::{Deserialize, Serialize};

/// Facts of the host, stored with every result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Processors that the run may use.
    pub cpus: u32,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Kernel name and release.
    pub kernel: String,
    /// The processor's own name.
    pub cpu_model: String,
    /// Whether it runs under a hypervisor.
    pub r#virtual: bool,
    /// Kernel's clock source (`tsc`, …).
    pub clock_source: String,
    /// Median microseconds of an fsync of 8 KiB in the folder where servers keep their data.
    pub fsync_us_p50: Option<f64>,
    /// The same, of which 99 in 100 took no longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fsync_us_p99: Option<f64>,
    /// The distribution of Linux as it names itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<String>,
    /// Findings of `doctor`.
    pub findings: Vec<Finding>,
    /// The processor's identity, features and caches; empty in results of versions that did not record them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub processor: Processor,
    /// The hypervisor's name (`KVM`, `Xen`), if it reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<String>,
    /// Bytes of a memory page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_bytes: Option<u64>,
    /// When the kernel gives transparent huge pages (`always`, `madvise`, `never`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub huge_pages: Option<String>,
    /// Where servers keep their data.
    #[serde(default, skip_serializing_if = "is_default")]
    pub storage: Storage,
    /// Tells this host from others: a checksum of its machine id, which does not say what that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The processor's fixed properties. A field that the host does not report is absent or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Processor {
    /// `AMD`, `Intel`, `Arm`, `Apple`, …
    pub vendor: String,
    /// The family number of an x86 processor; the implementer of an Arm processor.
    pub family: Option<u32>,
    /// The model number of an x86 processor; the part number of an Arm processor.
    pub model: Option<u32>,
    /// The stepping of an x86 processor; the revision of an Arm processor.
    pub stepping: Option<u32>,
    /// The generation (`Zen 3`, `Granite Rapids`, `Neoverse N1`), or `unknown, family 25 model 200`.
    pub generation: String,
    /// How the generation was found; absent where it is unknown.
    pub generation_source: Option<GenerationSource>,
    /// Bytes of the first-level data cache of a core.
    pub l1d_bytes: Option<u64>,
    /// Bytes of the first-level instruction cache of a core.
    pub l1i_bytes: Option<u64>,
    /// Bytes of one second-level cache.
    pub l2_bytes: Option<u64>,
    /// Bytes of one third-level cache.
    pub l3_bytes: Option<u64>,
    /// The widest vector instructions (`AVX2`, `AVX-512`, `SVE2`).
    pub simd: String,
    /// Simultaneous multithreading is on.
    pub smt: Option<bool>,
    /// Sockets.
    pub sockets: Option<u32>,
    /// NUMA nodes.
    pub numa_nodes: Option<u32>,
}

/// How a processor's generation was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GenerationSource {
    /// By family and model number, or implementer and part.
    Model,
    /// By features and cache sizes, because the processor has features that the model it reports lacks.
    Features,
}

/// The file system and the device below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Storage {
    /// `ext4`, `xfs`, …
    pub file_system: String,
    /// Mount options, separated by commas.
    pub mount_options: String,
    /// The mounted device (`/dev/nvme0n1p1`).
    pub device: String,
    /// The device's model, or its driver if it reports no model.
    pub device_model: String,
}

/// Whether a value was never filled in: such values are left out of files, so that old results are written as before.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// As it should be.
    Fine,
    /// It widens intervals or may bias results. Measuring goes on.
    Warning,
    /// Measurements would mislead or fail.
    Bad,
}

/// One property of the host that `doctor` checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was checked (`load`, `steal`, `turbo`).
    pub name: String,
    /// How much it matters.
    pub level: Level,
    /// What was found.
    pub found: String,
    /// What to do about it; empty if nothing is wrong.
    pub advice: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"{"cpus":2,"memory_bytes":8,"kernel":"Linux 6.8","cpu_model":"AMD EPYC","virtual":true,
        "clock_source":"tsc","fsync_us_p50":null,"findings":[]}"#;

    #[test]
    fn facts_of_older_versions_are_read_and_written_as_they_were() {
        let facts: HostFacts = serde_json::from_str(OLD).expect("reads");
        assert_eq!((facts.processor.generation.as_str(), facts.page_bytes), ("", None));
        let again = serde_json::to_value(&facts).expect("writes");
        assert_eq!(again, serde_json::from_str::<serde_json::Value>(OLD).expect("json"));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let processor = Processor {
            vendor: "Intel".into(),
            generation: "Granite Rapids".into(),
            generation_source: Some(GenerationSource::Features),
            l2_bytes: Some(2 << 20),
            ..Processor::default()
        };
        let storage = Storage { file_system: "ext4".into(), ..Storage::default() };
        let facts = HostFacts { processor, storage, page_bytes: Some(4096), ..HostFacts::default() };
        let text = serde_json::to_string(&facts).expect("writes");
        assert!(text.contains(r#""generation_source":"features""#), "{text}");
        assert_eq!(serde_json::from_str::<HostFacts>(&text).expect("reads"), facts);
    }
}
