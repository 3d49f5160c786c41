//! A build that was interrupted or killed: the copy of the sources with the objects that were made, from which a build by Ninja goes on.
//!
//! ```text
//!   <cache>/builds/ENGINE-src-HASH.making/tree     sources and objects; HASH is of all that goes into the build
//!                                        /begun    is there once the copy is whole and patched
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;

use crate::cache::unusable;

/// Names this start of the system. After a crash of the whole host, files that were written before may be empty.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// A folder in which a build is made.
pub(super) struct Unfinished {
    folder: PathBuf,
}

impl Unfinished {
    /// That of a build which is kept in `built`.
    pub(super) fn of(built: &Path) -> Self {
        Self { folder: built.with_extension("making") }
    }

    /// Sources and objects.
    pub(super) fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Where it is installed to before it is kept.
    pub(super) fn staged(&self) -> PathBuf {
        self.folder.join("staged")
    }

    /// Notes that the copy is whole, and the names of patches that it had already.
    pub(super) fn mark(&self, had: &[String]) -> Outcome<()> {
        let text = format!("{}\n{}", boot(), had.join("\n"));
        fs::write(self.note(), text).map_err(|error| unusable(&self.folder, &error))
    }

    /// The names of patches that its sources had already, if a build may go on here.
    pub(super) fn begun(&self) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.note()).ok()?;
        let mut lines = text.lines();
        let same_boot = lines.next().is_some_and(|line| !line.is_empty() && line == boot());
        same_boot.then(|| lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    /// Removes everything.
    pub(super) fn discard(&self) {
        // What stays behind is found by `humdrum clean`.
        let _ = fs::remove_dir_all(&self.folder);
    }

    fn note(&self) -> PathBuf {
        self.folder.join("begun")
    }
}

/// Empty where the system does not tell.
fn boot() -> String {
    fs::read_to_string(BOOT).map(|text| text.trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_goes_on_only_from_a_whole_copy_of_this_start_of_the_system() {
        let folder = tempfile::tempdir().expect("folder");
        let unfinished = Unfinished::of(&folder.path().join("it-src-ab"));
        assert_eq!(unfinished.begun(), None);
        fs::create_dir_all(unfinished.tree()).expect("tree");
        assert_eq!(unfinished.begun(), None, "half a copy");
        unfinished.mark(&["a.patch".to_owned()]).expect("marked");
        assert_eq!(unfinished.begun(), Some(vec!["a.patch".to_owned()]));
        let note = unfinished.note();
        let text = fs::read_to_string(&note).expect("note");
        fs::write(&note, format!("another{text}")).expect("write");
        assert_eq!(unfinished.begun(), None, "the host has crashed since");
        fs::write(&note, "").expect("write");
        assert_eq!(unfinished.begun(), None, "an empty note");
        unfinished.discard();
        assert!(!folder.path().join("it-src-ab.making").exists());
    }
}
