//! What a watch remembers: `watch.json` in its folder, written whole after every change, and the lock of a call.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use humdrum_model::{Fault, Watch, WatchState, WatchedRelease};
use humdrum_record::write_whole;

const FILE: &str = "watch.json";
const LOCK: &str = "watch.lock";
const SCHEMA: u32 = 1;

/// The first attempt and two more.
pub const ATTEMPTS: u32 = 3;

/// The folder of a watch.
pub struct Kept {
    /// The folder.
    pub folder: PathBuf,
    /// What was done.
    pub watch: Watch,
}

impl Kept {
    /// What is on record in `folder`, or a new watch. Nothing is written.
    ///
    /// # Errors
    /// Usage: the state cannot be read, or it is of a watch with another base or engine.
    pub fn open(folder: &Path, new: Watch) -> Result<Self, Fault> {
        let path = folder.join(FILE);
        let watch = match std::fs::read_to_string(&path) {
            Ok(text) => read(&path, &text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Watch { schema: SCHEMA, ..new.clone() }
            }
            Err(error) => return Err(Fault::usage(format!("cannot read {}: {error}", path.display()))),
        };
        if (&watch.base, &watch.engine) != (&new.base, &new.engine) {
            let what = format!(
                "{} watches {} with {} as base, and the plan has {} with {}",
                folder.display(),
                watch.engine,
                watch.base,
                new.engine,
                new.base
            );
            return Err(Fault::usage(what).hint("give the other plan a folder of its own with --out"));
        }
        Ok(Self { folder: folder.to_path_buf(), watch })
    }

    /// Releases that nothing newer than them is looked for: the plan's, and those that are done with.
    pub fn known(&self) -> Vec<String> {
        let done = self.watch.releases.iter().filter(|one| !is_open(one));
        self.watch.known.iter().cloned().chain(done.map(|one| one.version.clone())).collect()
    }

    /// Whether a release can stand beside a newer one: it was measured, or nothing was tried yet.
    pub fn is_usable(&self, version: &str) -> bool {
        self.of(version).is_none_or(|one| one.state == WatchState::Measured)
    }

    /// What is known of a release.
    pub fn of(&self, version: &str) -> Option<&WatchedRelease> {
        self.watch.releases.iter().find(|one| one.version == version)
    }

    /// Keeps what is known of a release.
    ///
    /// # Errors
    /// Environment: the disk or the folder refuses.
    pub fn keep(&mut self, release: WatchedRelease) -> Result<(), Fault> {
        match self.watch.releases.iter_mut().find(|one| one.version == release.version) {
            Some(known) => *known = release,
            None => self.watch.releases.push(release),
        }
        // Writing plain data to memory cannot fail.
        let text = serde_json::to_string_pretty(&self.watch).unwrap_or_default() + "\n";
        write_whole(&self.folder.join(FILE), &text)
    }

    /// Releases that failed too often.
    pub fn given_up(&self) -> Vec<String> {
        let given_up = |one: &&WatchedRelease| one.state == WatchState::Failed && one.failures >= ATTEMPTS;
        self.watch.releases.iter().filter(given_up).map(|one| one.version.clone()).collect()
    }
}

/// Whether a later call has something to do for it.
fn is_open(one: &WatchedRelease) -> bool {
    match one.state {
        WatchState::Begun => true,
        WatchState::Measured => false,
        WatchState::Failed => one.failures < ATTEMPTS,
    }
}

fn read(path: &Path, text: &str) -> Result<Watch, Fault> {
    let shown = path.display();
    let watch: Watch = serde_json::from_str(text).map_err(|error| {
        Fault::usage(format!("{shown} is not the state of a watch: {error}"))
            .hint("bring it back from a copy, or name another folder with --out")
    })?;
    if watch.schema != SCHEMA {
        let what = format!("{shown} has format {}, and this version reads {SCHEMA}", watch.schema);
        return Err(Fault::usage(what).hint("use the version of humdrum that wrote it"));
    }
    Ok(watch)
}

/// Held while a call runs; the kernel releases it when the program ends, even by a kill.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Makes the folder and takes its lock.
    ///
    /// # Errors
    /// Usage: the folder cannot be written; environment: another call runs.
    pub fn take(folder: &Path) -> Result<Self, Fault> {
        let cannot = |error: &std::io::Error| {
            Fault::usage(format!("cannot write to {}: {error}", folder.display()))
                .hint("name a folder that you may write to with --out")
        };
        std::fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
        let path = folder.join(LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| cannot(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                Err(Fault::environment(format!("another `humdrum watch` is working in {}", folder.display()))
                    .hint("wait for its end; cron or the timer calls again"))
            }
            Err(TryLockError::Error(error)) => Err(cannot(&error)),
        }
    }
}
