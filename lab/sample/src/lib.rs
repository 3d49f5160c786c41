//! Stage 4: probes read at slice edges, and the state of the host.
//!
//! A `Sampler` reads all probes of one subject. `HostWatch` judges windows of blocks by rules that are declared before
//! measuring. `HostKernel` is work of its own that measures the host; `disturbed` judges its readings, `beside` takes them around the
//! blocks,
//! and `gate` decides by them and by the load of others whether a run begins. `perf`, `calls` and `stacks` sample what
//! threads run and wait for, outside all measured slices.

mod beside;
pub mod calls;
pub mod disturbed;
pub mod gate;
mod host_load;
mod kernel;
pub mod perf;
mod sampler;
pub mod stacks;
mod watch;

pub use beside::{Judged, KernelWatch, disturbed_between};
pub use host_load::{HostLoad, HostTicks};
pub use kernel::{HostKernel, KernelReading};
pub use sampler::{Sampler, offered};
pub use watch::{Discard, HostWatch};
