//! What can be measured, and with what: the tables of engines, workloads and host probes.

use std::path::Path;

use humdrum_contract::{Engine, Probe, ProbeFactory, ThreadWork, Workload};
use humdrum_model::{Fault, Subject};

/// The tables of engines, workloads and probes. The program fills them; the measuring engine uses only their
/// traits.
pub struct Catalogue {
    /// Engines, alphabetical.
    pub engines: Vec<Box<dyn Engine>>,
    /// Workloads, alphabetical.
    pub workloads: Vec<Box<dyn Workload>>,
    /// Probes of the host.
    pub host: HostProbes,
}

/// The probes of the host, by the moment at which they are read.
pub struct HostProbes {
    /// At the edges of every slice, in the order of readings.
    pub slice: Vec<ProbeFactory>,
    /// Besides those, at the edges of chunks of seconds.
    pub chunk: Vec<ProbeFactory>,
    /// Ticks that the hypervisor took from the whole host; `None` if the kernel does not count them.
    pub steal: fn() -> Option<Box<dyn Probe>>,
    /// Voluntary and involuntary context switches of these threads; `None` if the kernel does not show them.
    pub switches: fn(&[u32]) -> Option<[u64; 2]>,
    /// What these threads have done; those that have ended are left out.
    pub threads: fn(&[u32]) -> Vec<ThreadWork>,
    /// What the device under a folder has done, as `humdrum_model::DEVICE` names it; `None` where there is no block device.
    pub device: fn(&Path) -> Option<[u64; 5]>,
}

impl Catalogue {
    /// The probes for a subject of this workload. On a virtual clock the host's own counters are left out.
    pub fn probes(&self, workload: &dyn Workload, is_virtual: bool) -> Vec<ProbeFactory> {
        if is_virtual {
            return Vec::new();
        }
        let chunk = if workload.steps().is_some() { &self.host.chunk[..] } else { &[] };
        self.host.slice.iter().chain(chunk).copied().collect()
    }

    /// The engine of a subject.
    ///
    /// # Errors
    /// Usage, naming the engines that exist.
    pub fn engine(&self, subject: &Subject) -> Result<&dyn Engine, Fault> {
        self.engine_named(&subject.engine)
    }

    /// An engine by name.
    ///
    /// # Errors
    /// Usage, naming the engines that exist.
    pub fn engine_named(&self, name: &str) -> Result<&dyn Engine, Fault> {
        let found = self.engines.iter().find(|engine| engine.name() == name);
        found.map(|engine| &**engine).ok_or_else(|| {
            let names: Vec<&str> = self.engines.iter().map(|engine| engine.name()).collect();
            Fault::usage(format!("no engine `{name}`")).hint(format!("engines: {}", names.join(", ")))
        })
    }

    /// A workload by name.
    ///
    /// # Errors
    /// Usage, naming the workloads that exist.
    pub fn workload(&self, name: &str) -> Result<&dyn Workload, Fault> {
        let found = self.workloads.iter().find(|workload| workload.name() == name);
        found.map(|workload| &**workload).ok_or_else(|| {
            let names: Vec<&str> = self.workloads.iter().map(|workload| workload.name()).collect();
            Fault::usage(format!("no suite `{name}`")).hint(format!("suites: {}", names.join(", ")))
        })
    }
}
