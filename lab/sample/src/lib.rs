//! Stage 4: probes read at slice edges.
//!
//! A `Sampler` is all probes of one subject, read as one. `HostWatch` judges windows of blocks by rules that
//! are declared before measuring.

mod sampler;
mod watch;

pub use sampler::Sampler;
pub use watch::{Discard, HostWatch};
