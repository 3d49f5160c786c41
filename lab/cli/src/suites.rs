//! The table of workloads. A new workload is one folder under `lab/workloads/`, its line in this crate's `Cargo.toml`, and one line here.

use humdrum_contract::Workload;

/// All workloads, alphabetical.
pub fn table() -> Vec<Box<dyn Workload>> {
    vec![
        Box::new(humdrum_workload_insert::Insert),
        Box::new(humdrum_workload_kv::Kv),
        Box::new(humdrum_workload_orderby::OrderBy),
        Box::new(humdrum_workload_sort::Sort),
        Box::new(humdrum_workload_sysbench::Sysbench),
    ]
}
