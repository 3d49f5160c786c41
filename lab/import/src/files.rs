//! The files that a user names, by subject.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use humdrum_model::{Fault, Subject};

/// Folders within folders that are searched.
const DEPTH_MAX: usize = 8;
/// Files of one import; more are a mistake in a path.
const FILES_MAX: usize = 20_000;

/// Files of one subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The subject; `None` for files that name their subjects.
    pub subject: Option<Subject>,
    /// Files, and folders of files.
    pub paths: Vec<PathBuf>,
}

/// One file to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Number of its group.
    pub group: usize,
    /// Its path.
    pub path: PathBuf,
    /// It was found in a folder: it may be none of ours.
    pub in_folder: bool,
}

/// All files, in the order given; those of a folder by name.
///
/// # Errors
/// Usage: there is no such file, or one is named twice.
pub(crate) fn expand(groups: &[Group]) -> Result<Vec<Given>, Fault> {
    let mut all = Vec::new();
    for (group, files) in groups.iter().enumerate() {
        for path in &files.paths {
            let meta = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
            if meta.is_dir() {
                folder(path, group, DEPTH_MAX, &mut all)?;
            } else {
                all.push(Given { group, path: path.clone(), in_folder: false });
            }
        }
    }
    let mut known: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for given in &all {
        let real = given.path.canonicalize().map_err(|error| unreadable(&given.path, &error))?;
        if let Some(other) = known.insert(real, &given.path) {
            let what = format!("{} is named twice", other.display());
            return Err(
                Fault::usage(what).hint("a run that counts twice is no repetition: name every file once")
            );
        }
    }
    Ok(all)
}

fn folder(path: &Path, group: usize, depth: usize, all: &mut Vec<Given>) -> Result<(), Fault> {
    let entries = std::fs::read_dir(path).map_err(|error| unreadable(path, &error))?;
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort_by_key(|path| natural(&path.to_string_lossy()));
    for entry in entries {
        let hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // What cannot be asked is no file.
        let Ok(meta) = std::fs::metadata(&entry) else { continue };
        match () {
            () if hidden => {}
            () if meta.is_dir() && depth > 0 => folder(&entry, group, depth - 1, all)?,
            () if meta.is_file() => all.push(Given { group, path: entry, in_folder: true }),
            () => {}
        }
        if all.len() > FILES_MAX {
            let what = format!("{} holds more than {FILES_MAX} files", path.display());
            return Err(Fault::usage(what).hint("name the folders that hold results"));
        }
    }
    Ok(())
}

/// Sorts `run.2` before `run.10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts: Vec<(String, u64)> = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(digits);
        let end = tail.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(tail.len());
        parts.push((word.to_owned(), tail[..end].parse().unwrap_or(u64::MAX)));
        rest = &tail[end..];
    }
    parts
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::usage(format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(paths: &[&Path]) -> Group {
        Group { subject: None, paths: paths.iter().map(|path| path.to_path_buf()).collect() }
    }

    #[test]
    fn files_of_folders_come_by_number_and_hidden_ones_stay_out() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(root.path().join("more")).expect("made");
        for name in ["run.10", "run.2", ".swp", "more/a"] {
            std::fs::write(root.path().join(name), "").expect("written");
        }
        let found = expand(&[group(&[root.path()])]).expect("files");
        let names =
            found.iter().map(|one| one.path.strip_prefix(root.path()).expect("inside").display().to_string());
        assert_eq!(names.collect::<Vec<_>>(), ["more/a", "run.2", "run.10"]);
        assert!(found.iter().all(|one| one.in_folder));
    }

    #[test]
    fn a_file_that_is_named_twice_is_refused() {
        let root = tempfile::tempdir().expect("a folder");
        let file = root.path().join("a.log");
        std::fs::write(&file, "").expect("written");
        let fault = expand(&[group(&[&file]), group(&[root.path()])]).expect_err("refused");
        assert!(fault.what.ends_with("a.log is named twice"), "{}", fault.what);
        let fault = expand(&[group(&[&root.path().join("b.log")])]).expect_err("refused");
        assert!(fault.what.contains("cannot read") && fault.what.contains("b.log"), "{}", fault.what);
    }
}
