//! One file per host metric. Each reads a kernel counter through a file that stays open. A reading takes a microsecond
//! or two, so that it is possible at every edge of a slice of milliseconds.
//!
//! The table is in the order of readings in a record.

mod device;
mod file;
mod host;
mod memory;
mod schedstat;
mod split;
mod steal;
mod threads;

use humdrum_contract::{Probe, ProbeFactory};

pub use device::counts as device;
pub use schedstat::switches;
pub use threads::threads;

/// Probes of one subject that are read at the edges of every slice.
pub fn table() -> Vec<ProbeFactory> {
    vec![
        ProbeFactory { name: "schedstat", make: schedstat::make },
        ProbeFactory { name: "split", make: split::sessions },
        ProbeFactory { name: "device", make: device::make },
        ProbeFactory { name: "memory", make: memory::make },
    ]
}

/// Probes that take too long for slices, read beside `table` at the edges of chunks of seconds. The one of the whole host
/// includes the server's short-lived processes and the kernel's threads, which work for one subject while the others are
/// frozen.
pub fn chunk() -> Vec<ProbeFactory> {
    vec![
        ProbeFactory { name: "host", make: host::make },
        ProbeFactory { name: "background split", make: split::background },
    ]
}

/// Steal of the whole host, read at the edges of windows of a second. `None` where the kernel does not count it.
pub fn steal() -> Option<Box<dyn Probe>> {
    steal::make()
}
