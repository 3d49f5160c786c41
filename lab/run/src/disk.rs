//! Whether the data of a user's own workload fit on the disk, checked before anything is fetched or started.

use std::path::Path;

use humdrum_contract::{Dirs, Workload};
use humdrum_model::{Fault, Place, Scale, Subject, memory_text};
use humdrum_provision::run_folder;

use crate::catalogue::Catalogue;

/// Checks that the disk has room for the data of these subjects, each as often as `copies` says. The sizes of other workloads
/// are known to those who choose them.
///
/// # Errors
/// Usage: it does not; no such engine.
pub fn check_disk(
    (workload, scale): (&dyn Workload, &Scale),
    subjects: &[Subject],
    copies: u64,
    catalogue: &Catalogue,
    dirs: &Dirs,
) -> Result<(), Fault> {
    if workload.fingerprint().is_none() {
        return Ok(());
    }
    let mut here = 0;
    for subject in subjects {
        let elsewhere =
            matches!(subject.place, Place::External(_)) || catalogue.engine(subject)?.is_virtual();
        here += u64::from(!elsewhere);
    }
    let wanted = workload.bytes(scale).saturating_mul(here).saturating_mul(copies);
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
