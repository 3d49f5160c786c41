//! The disk and memory that a run needs, for the dry run.

use humdrum_model::{Fault, Plan};
use humdrum_plan::Need;

use crate::catalogue::Catalogue;
use crate::provision::share_bytes;

/// Disk and memory of each subject, on a host with so much memory.
///
/// # Errors
/// Usage, if there is no such suite.
pub fn need(plan: &Plan, catalogue: &Catalogue, host_bytes: u64) -> Result<Need, Fault> {
    let workload = catalogue.workload(&plan.suite)?;
    Ok(Need {
        disk_bytes_per_subject: workload.bytes(&plan.scale),
        copies_bytes_per_subject: plan.data_sets().iter().map(|data| workload.bytes(data)).sum(),
        memory_bytes_per_subject: share_bytes(plan, host_bytes),
    })
}
