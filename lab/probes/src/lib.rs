//! One file per host metric. Each reads a kernel counter directly, through a file that stays open, so that a
//! reading costs a microsecond or two and can be taken at every edge of a slice of milliseconds.
//!
//! The table is in the order in which readings stand in a record.

mod device;
mod file;
mod host;
mod memory;
mod schedstat;
mod steal;

use humdrum_contract::{Probe, ProbeFactory};

pub use schedstat::switches;

/// What is read at the edges of every slice, of one subject.
pub fn table() -> Vec<ProbeFactory> {
    vec![
        ProbeFactory { name: "schedstat", make: schedstat::make },
        ProbeFactory { name: "device", make: device::make },
        ProbeFactory { name: "memory", make: memory::make },
    ]
}

/// What is read beside `table` at the edges of chunks of seconds: the whole host, which holds what the server's
/// short-lived processes and the kernel's threads did for one subject while the others stood still.
pub fn host() -> ProbeFactory {
    ProbeFactory { name: "host", make: host::make }
}

/// Steal of the whole host, read at the edges of windows of a second; `None` where the kernel does not count it.
pub fn steal() -> Option<Box<dyn Probe>> {
    steal::make()
}
