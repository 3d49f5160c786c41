//! Common work of SQL workloads: chores around writes, and a distribution. It is not a workload itself.

mod housekeeping;
mod zipf;

pub use housekeeping::{housekeep, quantities, whole_number};
pub use zipf::Zipf;
