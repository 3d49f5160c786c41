//! Common work of SQL workloads around writes. It is not a workload itself.

mod housekeeping;

pub use housekeeping::{housekeep, quantities, whole_number};
