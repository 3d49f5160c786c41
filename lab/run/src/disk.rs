//! Whether a run's data fit on the disk, checked before anything is fetched or started.

use std::path::Path;

use humdrum_contract::Dirs;
use humdrum_model::{Fault, Place, Plan, Subject, memory_text};
use humdrum_plan::StepNeed;
use humdrum_provision::run_folder;

use crate::catalogue::Catalogue;
use crate::need::need;

/// Checks that the disk has room for the data of a plan: what its dry run says, of the subjects whose data are on this host.
///
/// # Errors
/// Usage: it does not; no such engine or suite.
pub fn check_disk(
    plan: &Plan,
    steps: Option<&StepNeed>,
    catalogue: &Catalogue,
    dirs: &Dirs,
) -> Result<(), Fault> {
    let here = subjects_here(&plan.subjects, catalogue)?;
    let bytes = match steps {
        Some(steps) => steps.disk_bytes(plan, here),
        // The host's memory has no part in what the disk must hold.
        None => need(plan, catalogue, 0)?.disk_bytes(plan, here),
    };
    check_room(bytes, dirs)
}

/// Checks that the disk has room for so many bytes of data of one subject.
///
/// # Errors
/// As `check_disk`.
pub fn check_disk_of(bytes: u64, subject: &Subject, catalogue: &Catalogue, dirs: &Dirs) -> Result<(), Fault> {
    check_room(bytes.saturating_mul(subjects_here(std::slice::from_ref(subject), catalogue)?), dirs)
}

/// How many have their data in a folder of ours.
fn subjects_here(subjects: &[Subject], catalogue: &Catalogue) -> Result<u64, Fault> {
    let mut here = 0;
    for subject in subjects {
        let elsewhere =
            matches!(subject.place, Place::External(_)) || catalogue.engine(subject)?.is_virtual();
        here += u64::from(!elsewhere);
    }
    Ok(here)
}

fn check_room(wanted: u64, dirs: &Dirs) -> Result<(), Fault> {
    match existing(&dirs.runs).and_then(|folder| run_folder::free_bytes(folder).ok()) {
        Some(free) => fits(wanted, free),
        None => Ok(()),
    }
}

/// The folder, or the nearest one above it that exists.
pub(crate) fn existing(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.exists())
}

fn fits(wanted: u64, free: u64) -> Result<(), Fault> {
    if wanted <= free {
        return Ok(());
    }
    // Whole gigabytes where they are many.
    let whole = |bytes: u64| if bytes >= 10 << 30 { bytes >> 30 << 30 } else { bytes >> 20 << 20 };
    let [wanted, free] = [wanted, free].map(|bytes| memory_text(whole(bytes)));
    let what = format!("the data of all subjects take some {wanted}, and the disk has {free} free");
    Err(Fault::usage(what)
        .hint("take a smaller --scale or fewer subjects, or set HUMDRUM_CACHE to a folder on a larger disk"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_the_disk_is_refused() {
        assert_eq!(fits(5 << 30, 5 << 30), Ok(()));
        let fault = fits(6 << 30, 5 << 30).expect_err("refused");
        assert_eq!(fault.to_string(), "the data of all subjects take some 6G, and the disk has 5G free");
        assert_eq!(fault.exit_code(), 2);
    }
}
