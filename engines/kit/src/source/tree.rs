//! A tree that is kept after a build, so that the next commit of the repository compiles only what differs.
//!
//! ```text
//!   <cache>/builds/ENGINE-tree-HASH/tree    sources and objects; HASH is of the repository, the compiler and the commands
//!                                  /whole   is there unless a build is at work or was killed
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::FaultKind;
use humdrum_provision::{dirs, lock};

use crate::cache::unusable;

/// One tree; whoever wants it at the same time waits.
pub(super) struct KeptTree {
    pub(super) folder: PathBuf,
}

impl KeptTree {
    /// Runs a build in the tree; it is told whether objects of an earlier one are there. If it fails with them, the fault
    /// may be theirs: it runs once more without.
    ///
    /// # Errors
    /// As the build; environment, for the disk; interrupted.
    pub(super) fn build<T>(
        &self,
        name: &str,
        dirs: &Dirs,
        progress: &dyn Progress,
        build: impl Fn(&Path, bool) -> Outcome<T>,
    ) -> Outcome<T> {
        let _lock = lock::take(&self.folder.with_extension("lock"), name, &dirs.interrupt, progress)?;
        // What was interrupted may have left half an object, which would look up to date.
        if !self.whole().exists() {
            self.discard()?;
        }
        if self.whole().exists() {
            match self.attempt(true, &build) {
                Err(fault) if fault.kind != FaultKind::Interrupted => {
                    progress
                        .update(Update::Note(&format!("{name}: building it again, in a new tree: {fault}")));
                }
                ended => return ended,
            }
            self.discard()?;
        }
        self.attempt(false, &build)
    }

    fn attempt<T>(&self, reused: bool, build: &impl Fn(&Path, bool) -> Outcome<T>) -> Outcome<T> {
        let refused = |error: std::io::Error| unusable(&self.folder, &error);
        if reused {
            fs::remove_file(self.whole()).map_err(refused)?;
        }
        dirs::make_folder(&self.folder)?;
        let ended = build(&self.folder.join("tree"), reused);
        // Compilers leave no object of a file that they refuse.
        if !matches!(&ended, Err(fault) if fault.kind == FaultKind::Interrupted) {
            fs::write(self.whole(), "").map_err(refused)?;
        }
        ended
    }

    fn whole(&self) -> PathBuf {
        self.folder.join("whole")
    }

    fn discard(&self) -> Outcome<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if self.folder.exists() => Err(unusable(&self.folder, &error)),
            _ => Ok(()),
        }
    }
}
