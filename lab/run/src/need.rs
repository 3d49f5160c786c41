//! The disk and memory that a run needs, for the dry run.

use humdrum_model::{Fault, Plan};
use humdrum_plan::Need;

use crate::catalogue::Catalogue;
use crate::provision::sizing;

/// Disk and memory of each subject.
///
/// # Errors
/// Usage, if there is no such suite.
pub fn need(plan: &Plan, catalogue: &Catalogue) -> Result<Need, Fault> {
    let workload = catalogue.workload(&plan.suite)?;
    Ok(Need {
        disk_bytes_per_subject: workload.bytes(&plan.scale),
        memory_bytes_per_subject: sizing(plan, workload).memory_bytes,
    })
}
