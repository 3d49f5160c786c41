//! A build's folder among the builds of this host. It is made once, under a lock. A note in it, written last,
//! marks it as complete and holds its checksum and the source of that checksum.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Outcome, Progress};
use humdrum_model::Fault;
use humdrum_provision::{dirs, lock};

/// The note.
const COMPLETE: &str = ".humdrum-complete";

/// What to do about a damaged cache.
pub const CLEAN: &str = "`humdrum clean`, then try again";

/// What the note of a whole build says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// SHA-256 of what was fetched.
    pub sha256: String,
    /// What that was compared with.
    pub checked_by: String,
}

/// The folder of an engine's release.
pub fn folder(engine: &str, release: &str, dirs: &Dirs) -> PathBuf {
    // No dot, so that the lock's extension does not replace a part of the version.
    dirs::builds(dirs).join(format!("{engine}-{}", release.replace('.', "-")))
}

/// Whether a folder holds a whole build.
pub fn is_whole(folder: &Path) -> bool {
    folder.join(COMPLETE).exists()
}

/// Makes the build in `folder` unless it is there, and returns its note. Others on this host wait meanwhile.
///
/// # Errors
/// As `make`; interrupted; environment, for the disk.
pub fn make_once(
    folder: &Path,
    name: &str,
    dirs: &Dirs,
    progress: &dyn Progress,
    make: impl FnOnce() -> Outcome<Note>,
) -> Outcome<Note> {
    let _lock = lock::take(&folder.with_extension("lock"), name, &dirs.interrupt, progress)?;
    let path = folder.join(COMPLETE);
    if !path.exists() {
        let Note { sha256, checked_by } = make()?;
        fs::write(&path, format!("{sha256}  {checked_by}\n")).map_err(|error| unusable(folder, &error))?;
    }
    let text = fs::read_to_string(&path).map_err(|error| unusable(folder, &error))?;
    let (sha256, checked_by) = text.trim().split_once("  ").unwrap_or((text.trim(), "unknown"));
    Ok(Note { sha256: sha256.to_owned(), checked_by: checked_by.to_owned() })
}

/// The fault for a path that cannot be used.
pub fn unusable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot use {}: {error}", path.display())).hint(CLEAN)
}

#[cfg(test)]
mod tests {
    use humdrum_contract::{Interrupt, Silent};

    use super::*;

    #[test]
    fn a_build_is_made_once_and_its_note_is_kept() {
        let cache = tempfile::tempdir().expect("folder");
        let dirs = Dirs {
            cache: cache.path().into(),
            runs: cache.path().join("runs"),
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: Interrupt::new(),
        };
        let folder = folder("it", "1.2", &dirs);
        assert_eq!(folder, dirs::builds(&dirs).join("it-1-2"));
        fs::create_dir_all(&folder).expect("folder");
        let note = Note { sha256: "ab".into(), checked_by: "the catalogue".into() };
        let made = make_once(&folder, "it 1.2", &dirs, &Silent, || Ok(note.clone())).expect("made");
        assert!(made == note && is_whole(&folder));
        let found = make_once(&folder, "it 1.2", &dirs, &Silent, || panic!("made twice")).expect("found");
        assert_eq!(found, note);
    }
}
