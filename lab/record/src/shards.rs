//! The folder of merged results: the merged record, and the shards that it was made of.

use std::path::{Path, PathBuf};

use humdrum_model::Fault;

use crate::faults::writing;
use crate::folder::{ResultsFolder, unwritable};
use crate::store::Store;

/// Where the shards are, below the folder into which they were merged.
const SHARDS: &str = "shards";

impl ResultsFolder {
    /// Makes a new folder with everything that `write` puts into it, or no folder.
    ///
    /// # Errors
    /// Usage when there is one already, or it cannot be made; those of `write`.
    pub fn create_whole(
        folder: &Path,
        write: impl FnOnce(&Self) -> Result<(), Fault>,
    ) -> Result<Self, Fault> {
        if folder.exists() {
            return Err(Fault::usage(format!("{} exists already", folder.display()))
                .hint("give the folder of a new result with --out"));
        }
        let mut name = folder.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".part-{}", std::process::id()));
        let part = folder.with_file_name(name);
        let made = Self::create(Some(&part), &[])
            .and_then(|out| write(&out))
            .and_then(|()| std::fs::rename(&part, folder).map_err(|error| unwritable(folder, &error)));
        if made.is_err() {
            let _ = std::fs::remove_dir_all(&part);
        }
        made.map(|()| Self { folder: folder.to_path_buf() })
    }

    /// The file of a shard that was merged into this folder.
    pub fn shard(&self, number: u32) -> PathBuf {
        self.folder.join(SHARDS).join(number.to_string()).join("results.sqlite")
    }

    /// Puts a shard's record into this folder. A finished one is linked where that is possible, because it does not change
    /// any more; of one that may go on, what it has now is copied.
    ///
    /// # Errors
    /// Environment: full disk. Usage: the file is damaged.
    pub fn keep_shard(&self, number: u32, file: &Path, finished: bool) -> Result<(), Fault> {
        let copy = self.shard(number);
        let cannot = |error: std::io::Error| {
            Fault::environment(format!("cannot copy {} to {}: {error}", file.display(), copy.display()))
        };
        if let Some(folder) = copy.parent() {
            std::fs::create_dir_all(folder).map_err(cannot)?;
        }
        if !finished || has_log(file) {
            return Store::open_quickly(file)?.copy_to(&copy);
        }
        if std::fs::hard_link(file, &copy).is_ok() {
            return Ok(());
        }
        std::fs::copy(file, &copy).map(|_| ()).map_err(cannot)
    }
}

impl Store {
    /// Writes what the file has at this moment to a new file, also while a run appends.
    fn copy_to(&self, copy: &Path) -> Result<(), Fault> {
        let to = copy.to_string_lossy();
        self.connection.execute("VACUUM INTO ?1", [&to]).map(|_| ()).map_err(|error| writing(copy, &error))
    }
}

/// Whether a log beside the file has what the file does not have yet.
fn has_log(file: &Path) -> bool {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    Path::new(&name).exists()
}

/// The records of the shards that were merged into a folder; none if it is no such folder.
///
/// # Errors
/// Environment when the folder cannot be read.
pub fn shards_in(out: &ResultsFolder) -> Result<Vec<PathBuf>, Fault> {
    let folder = out.folder.join(SHARDS);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let cannot =
        |error: std::io::Error| Fault::environment(format!("cannot read {}: {error}", folder.display()));
    let entries = std::fs::read_dir(&folder).map_err(cannot)?;
    let mut files = entries
        .map(|entry| entry.map(|entry| entry.path().join("results.sqlite")))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .map_err(cannot)?;
    files.retain(|file| file.exists());
    files.sort();
    Ok(files)
}
