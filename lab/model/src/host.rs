//! The machine that was measured on, and what makes it less suitable for measuring.

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
    /// Findings of `doctor`.
    pub findings: Vec<Finding>,
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
    /// What to do about it, empty where nothing is wrong.
    pub advice: String,
}
