//! The folder of merged results: the merged record, and the shards that it was made of.

use std::path::{Path, PathBuf};

use humdrum_model::Fault;

use crate::folder::{ResultsFolder, unwritable};

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

    /// The file for a shard's record, in a folder that is made.
    ///
    /// # Errors
    /// Environment when the folder cannot be made.
    pub fn shard(&self, number: u32) -> Result<PathBuf, Fault> {
        let folder = self.folder.join(SHARDS).join(number.to_string());
        std::fs::create_dir_all(&folder)
            .map_err(|error| Fault::environment(format!("cannot make {}: {error}", folder.display())))?;
        Ok(folder.join("results.sqlite"))
    }
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
