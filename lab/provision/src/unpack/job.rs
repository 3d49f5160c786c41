//! Which entries of an archive are unpacked, and where to.

use std::path::{Path, PathBuf};

use humdrum_contract::{Interrupt, Progress};

/// What to unpack of an archive, and where.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The target folder. It appears only when it is complete.
    pub folder: &'a Path,
    /// Where an entry goes below that folder; `None` leaves it out. The choice applies to the targets of hard links
    /// too, not to those of symbolic links.
    pub choose: &'a dyn Fn(&Path) -> Option<PathBuf>,
    /// Checked between entries.
    pub interrupt: &'a Interrupt,
    /// Receives the number of bytes unpacked.
    pub progress: &'a dyn Progress,
}

/// A choice that keeps every entry under its own name.
pub fn everything(path: &Path) -> Option<PathBuf> {
    Some(path.to_path_buf())
}
