//! The folder of merged results: the merged record, and the shards that it was made of.

use std::path::{Path, PathBuf};

use humdrum_model::{Fault, Measurement, MergeFacts};

use crate::faults::{damaged, writing};
use crate::folder::{ResultsFolder, unwritable};
use crate::head::merge_facts;
use crate::store::Store;
use rusqlite::ErrorCode;

/// Where the shards are, below the folder into which they were merged.
const SHARDS: &str = "shards";

/// Follows the name of a folder that is being made.
const PART: &str = ".part-";

/// Locked while a folder is being made.
const PART_LOCK: &str = ".lock";

/// What helps when shards cannot be copied.
const MAKE_ROOM: &str = "make room, or give a folder on the file system of the shards with --out: there they are linked and not copied";

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
        name.push(format!("{PART}{}", std::process::id()));
        let part = folder.with_file_name(name);
        remove_stale(folder);
        let made = Self::create(Some(&part), &[])
            .and_then(|out| {
                // The kernel releases it when this program ends, also by a kill.
                let lock = std::fs::File::create(out.folder.join(PART_LOCK))
                    .map_err(|error| unwritable(folder, &error))?;
                let _ = lock.try_lock();
                write(&out)?;
                std::fs::remove_file(out.folder.join(PART_LOCK)).map_err(|error| unwritable(folder, &error))
            })
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
    /// any more; of one that may go on, what it has now is copied. One of an older schema is copied and brought up to date, because
    /// the shard itself stays as it is.
    ///
    /// # Errors
    /// Environment: full disk. Usage: the file is damaged.
    pub fn keep_shard(&self, number: u32, file: &Path, finished: bool) -> Result<(), Fault> {
        let copy = self.shard(number);
        let cannot = |error: std::io::Error| {
            Fault::environment(format!("cannot copy {} to {}: {error}", file.display(), copy.display()))
                .hint(MAKE_ROOM)
        };
        if let Some(folder) = copy.parent() {
            std::fs::create_dir_all(folder).map_err(cannot)?;
        }
        let store = Store::open_unchanged(file)?;
        if !finished || has_log(file) || store.is_migrated_copy() {
            return store.copy_to(&copy);
        }
        if std::fs::hard_link(file, &copy).is_ok() {
            return Ok(());
        }
        std::fs::copy(file, &copy).map(|_| ()).map_err(cannot)
    }
}

/// Removes what programs left that were killed while they made this folder.
fn remove_stale(folder: &Path) {
    let parent = folder.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let mut begin = folder.file_name().unwrap_or_default().to_os_string();
    begin.push(PART);
    let begin = begin.to_string_lossy().into_owned();
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for part in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&begin)) {
        let lock = std::fs::File::open(part.path().join(PART_LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(part.path());
        }
    }
}

impl Store {
    /// Writes what the file has at this moment to a new file, also while a run appends.
    fn copy_to(&self, copy: &Path) -> Result<(), Fault> {
        let to = copy.to_string_lossy();
        self.connection.execute("VACUUM INTO ?1", [&to]).map(|_| ()).map_err(|error| {
            match error.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => {
                    Fault::environment(format!("no space left to write {}", copy.display())).hint(MAKE_ROOM)
                }
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(&self.path, &error),
                _ => writing(copy, &error),
            }
        })
    }
}

/// Whether a log beside the file has what the file does not have yet.
fn has_log(file: &Path) -> bool {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    std::fs::metadata(name).is_ok_and(|log| log.len() > 0)
}

/// The shards that were merged into a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptShards {
    /// Number and record of each.
    pub files: Vec<(u32, PathBuf)>,
    /// Measurements that were left out of the merge.
    pub passed_over: Vec<Measurement>,
    /// Records of hosts in the folder; 0 where an earlier version merged, which did not count them.
    pub hosts: usize,
}

/// The shards that were merged into a folder; `None` if it is no such folder.
///
/// # Errors
/// Usage: one of them is missing, or the folder cannot be read.
pub fn shards_in(out: &ResultsFolder, file: &Path) -> Result<Option<KeptShards>, Fault> {
    let facts = merge_facts(file)?;
    let mut files: Vec<(u32, PathBuf)> = numbers(&out.folder.join(SHARDS))?
        .into_iter()
        .map(|number| (number, out.shard(number)))
        .filter(|(_, file)| file.exists())
        .collect();
    let Some(MergeFacts { hosts, shards, passed_over }) = facts else {
        return Ok((!files.is_empty()).then(|| KeptShards { files, ..KeptShards::default() }));
    };
    if let Some(missing) = shards.iter().find(|number| files.iter().all(|(one, _)| one != *number)) {
        let what = format!(
            "{} is missing, which was part of {}",
            out.shard(*missing).display(),
            out.folder.display()
        );
        return Err(Fault::usage(what)
            .hint("copy the whole folder of merged results, or merge the shards themselves"));
    }
    files.retain(|(number, _)| shards.contains(number));
    Ok(Some(KeptShards { files, passed_over, hosts }))
}

/// The numbers that folders below have as names, ascending; none if there is no such folder.
pub(crate) fn numbers(folder: &Path) -> Result<Vec<u32>, Fault> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let cannot = |error: std::io::Error| {
        Fault::usage(format!("cannot read {}: {error}", folder.display())).hint("check its permissions")
    };
    let entries = std::fs::read_dir(folder).map_err(cannot)?;
    let names = entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<Vec<_>, _>>();
    let number = |name: &std::ffi::OsString| name.to_str()?.parse::<u32>().ok();
    let mut numbers: Vec<u32> = names.map_err(cannot)?.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
