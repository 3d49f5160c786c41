//! What workloads over SQL do alike around writes. It is no workload itself.

mod housekeeping;

pub use housekeeping::{housekeep, quantities};
