//! Stage 4: probes read at slice edges.
//!
//! A `Sampler` is all probes of one subject, read as one. `HostWatch` judges windows of blocks by rules that
//! are declared before measuring. `perf`, `calls` and `stacks` see what threads run and wait for, outside of all
//! measured slices.

pub mod calls;
pub mod perf;
mod sampler;
pub mod stacks;
mod watch;

pub use sampler::{Sampler, offered};
pub use watch::{Discard, HostWatch};
