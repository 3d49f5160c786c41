//! A probe: reads a few quantities at slice edges. Reading must be cheap (microseconds), because it happens
//! between slices of milliseconds.

use std::path::PathBuf;

use humdrum_model::Metric;

use crate::{Outcome, Process};

/// The sources of a probe: one subject's processes and its data's device.
#[derive(Clone, Debug, Default)]
pub struct ProbeContext {
    /// Processes of the subject, those that serve the test's connections first.
    pub processes: Vec<Process>,
    /// Where its data is.
    pub data_folder: Option<PathBuf>,
}

/// Reads quantities of one subject.
pub trait Probe: Send {
    /// Its quantities, in the order of reading; the same for every subject of a run.
    fn metrics(&self) -> Vec<Metric>;
    /// Appends one reading per metric. A quantity that cannot be read now (its process has ended) repeats the
    /// last reading.
    ///
    /// # Errors
    /// When nothing can be read any more.
    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()>;
}

/// What one thread of a server has done since it began. To the kernel a process is a thread, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadWork {
    /// The kernel's number for it.
    pub id: u32,
    /// Its kind, as its server calls it (`walwriter`).
    pub kind: String,
    /// CPU time.
    pub cpu_ns: u64,
    /// How often it was woken: every voluntary context switch is a wait that ends so.
    pub wakeups: u64,
}

/// Makes a probe for one subject; `lab/probes` holds a table of these.
#[derive(Clone, Copy)]
pub struct ProbeFactory {
    /// Name for `-v` output.
    pub name: &'static str,
    /// Makes it; `None` if the host does not offer the quantity.
    pub make: fn(&ProbeContext) -> Option<Box<dyn Probe>>,
}
