//! Drops what the kernel's page cache holds of a folder.

use std::fs::{self, File};
use std::path::Path;

use humdrum_contract::Outcome;
use rustix::fs::{Advice, fadvise};

use crate::hosts;

/// Writes the folder's file system back and drops the cached pages of all files below the folder. Only written pages can be
/// dropped.
///
/// # Errors
/// Environment, when the folder cannot be opened or written back. A file that vanishes meanwhile is no error.
pub(crate) fn forget_cached(folder: &Path) -> Outcome<()> {
    hosts::write_back(folder)?;
    forget_below(folder);
    Ok(())
}

fn forget_below(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => forget_below(&path),
            Ok(kind) if kind.is_file() => {
                let dropped = File::open(&path).map(|file| fadvise(&file, 0, None, Advice::DontNeed));
                // An error is ignored: a file that cannot be opened now is not open in the cache for long either.
                drop(dropped);
            }
            _ => {}
        }
    }
}
