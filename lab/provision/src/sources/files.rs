//! The present files of a folder, hashed and copied. Of a work tree of git, files that git is told to ignore are left
//! out, because they are what an earlier build made.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use humdrum_contract::{Interrupt, Outcome};
use humdrum_model::Fault;

use super::git;
use crate::checksum;

/// Folders in which version control keeps its own files.
const CONTROL: [&str; 3] = [".git", ".hg", ".svn"];

/// SHA-256 over names, kinds and contents.
pub(super) fn hash(folder: &Path) -> Outcome<String> {
    let mut text = String::new();
    for below in list(folder)? {
        let path = folder.join(&below);
        let failed = |error: std::io::Error| refused("read", &path, &error);
        let meta = fs::symlink_metadata(&path).map_err(failed)?;
        let content = if meta.is_symlink() {
            format!("link to {}", fs::read_link(&path).map_err(failed)?.display())
        } else {
            checksum::sha256_of(&path).map_err(failed)?
        };
        let runnable = meta.permissions().mode() & 0o100 != 0;
        text.push_str(&format!("{}\t{runnable}\t{content}\n", below.display()));
    }
    Ok(checksum::sha256_of_bytes(text.as_bytes()))
}

/// Whether a file is there and belongs to the sources.
pub(super) fn has(folder: &Path, below: &str) -> bool {
    folder.join(below).is_file()
        && list(folder).is_ok_and(|files| files.iter().any(|file| file == Path::new(below)))
}

/// Copies all files with the times of their last change: tools compare them to see what is up to date.
pub(super) fn place(folder: &Path, to: &Path, interrupt: &Interrupt) -> Outcome<()> {
    for below in list(folder)? {
        interrupt.check()?;
        let (from, to) = (folder.join(&below), to.join(&below));
        copy(&from, &to).map_err(|error| refused("copy", &from, &error))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(above) = to.parent() {
        fs::create_dir_all(above)?;
    }
    let meta = fs::symlink_metadata(from)?;
    if meta.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    fs::copy(from, to)?;
    // A file that nobody may write to is opened for writing by no one but root.
    fs::set_permissions(to, fs::Permissions::from_mode(meta.permissions().mode() | 0o600))?;
    File::options().write(true).open(to)?.set_times(FileTimes::new().set_modified(meta.modified()?))
}

/// Gives all files below a folder one time of change. A repository may hold what its makers generated from other files
/// of it; git writes both within moments, and what happened to be written first would look out of date.
pub(super) fn same_time(folder: &Path) -> Outcome<()> {
    let mut found = Vec::new();
    walk(folder, Path::new(""), &mut found)?;
    let times = FileTimes::new().set_modified(SystemTime::now());
    let mut files = found.iter().map(|below| folder.join(below)).filter(|path| !path.is_symlink());
    files.try_for_each(|path| {
        let changed = File::open(&path).and_then(|file| file.set_times(times));
        changed.map_err(|error| refused("set the time of", &path, &error))
    })
}

/// Paths below `folder`, in order.
fn list(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = match git::listed(folder) {
        Some(listed) => listed.into_iter().filter(|below| is_file(&folder.join(below))).collect(),
        None => {
            let mut found = Vec::new();
            walk(folder, Path::new(""), &mut found)?;
            found
        }
    };
    found.sort();
    found.dedup();
    Ok(found)
}

/// A file or a link. Files that were removed are still listed by git, and submodules are folders.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file() || meta.is_symlink())
}

fn walk(root: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Outcome<()> {
    let folder = root.join(below);
    let failed = |error: std::io::Error| refused("read", &folder, &error);
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = below.join(entry.file_name());
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            if !CONTROL.iter().any(|name| entry.file_name() == *name) {
                walk(root, &path, found)?;
            }
        } else if kind.is_file() || kind.is_symlink() {
            found.push(path);
        }
    }
    Ok(())
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
}
