//! Stage 4: probes read at slice edges.
//!
//! A `Sampler` reads all probes of one subject. `HostWatch` judges windows of blocks by rules that are declared before
//! measuring. `perf`, `calls` and `stacks` sample what threads run and wait for, outside all measured slices.

pub mod calls;
pub mod perf;
mod sampler;
pub mod stacks;
mod watch;

pub use sampler::{Sampler, offered};
pub use watch::{Discard, HostWatch};
