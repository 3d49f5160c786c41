//! `humdrum clean`: lists and removes cached files. Without options, it removes only what runs and builds left that
//! did not come to their end; `--builds` removes builds, `--all` builds and downloads, `--history` the history of this
//! host.

use std::path::{Path, PathBuf};

use humdrum_model::Fault;
use humdrum_provision::dirs::{builds, downloads};
use humdrum_provision::lock;
use humdrum_provision::run_folder::{remove_run, stale_runs};
use humdrum_record::history;

use crate::args::CleanOptions;
use crate::lab::Lab;

/// `humdrum clean`.
///
/// # Errors
/// Environment, when something cannot be removed.
pub fn clean(lab: &Lab, options: &CleanOptions) -> Result<u8, Fault> {
    for folder in stale_runs(&lab.dirs) {
        tell("left by a run that ended", &folder, true, options.dry_run);
        if !options.dry_run {
            remove_run(&folder)?;
        }
    }
    if !options.dry_run {
        let left = humdrum_provision::cgroup::remove_left();
        left.iter().for_each(|folder| anstream::println!("removed the cgroup {}", folder.display()));
    }
    for (folder, goes) in
        [(builds(&lab.dirs), options.all || options.builds), (downloads(&lab.dirs), options.all)]
    {
        entries(&folder).iter().try_for_each(|entry| cached(entry, goes, options.dry_run))?;
    }
    let runs = history::path_in(&lab.dirs.cache);
    if runs.exists() {
        tell(&history_of(lab), &runs, options.history, options.dry_run);
        if options.history && !options.dry_run {
            history::remove(&lab.dirs.cache)?;
        }
    }
    if !options.all && !options.builds {
        anstream::println!("`humdrum clean --all` removes what is cached, too");
    }
    Ok(0)
}

/// Tells of something that is cached, and removes it if it goes, or if it is a part of something that never came to its
/// end. What another program works on stays.
fn cached(entry: &Path, goes: bool, dry_run: bool) -> Result<(), Fault> {
    let Some(_held) = lock::take_free(&lock_of(entry)) else {
        tell("another humdrum works on it", entry, false, dry_run);
        return Ok(());
    };
    let left = entry.extension().is_some_and(|end| end == "making");
    tell(if left { "left by a build that ended" } else { "cached" }, entry, goes || left, dry_run);
    if (goes || left) && !dry_run { remove(entry) } else { Ok(()) }
}

/// Whose holder works on an entry, be it the build or the download itself or a file beside it.
fn lock_of(entry: &Path) -> PathBuf {
    let name = entry.to_string_lossy();
    let beside = [".lock", ".log", ".making", ".sha256"].iter().find_map(|end| name.strip_suffix(end));
    PathBuf::from(format!("{}.lock", beside.unwrap_or(&name)))
}

/// `history of this host: 12 runs with 264 results`.
fn history_of(lab: &Lab) -> String {
    format!("history of this host: {}", history::finding(&lab.dirs.cache).found)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn tell(what: &str, path: &Path, goes: bool, dry_run: bool) {
    let verb = match (goes, dry_run) {
        (true, false) => "removed",
        (true, true) => "would remove",
        (false, _) => "kept",
    };
    let mebibytes = bytes(path) as f64 / f64::from(1 << 20);
    anstream::println!("{verb:<13} {mebibytes:>8.1} MiB  {} ({what})", path.display());
}

/// Bytes of a file, or of all files under a folder.
fn bytes(path: &Path) -> u64 {
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => entries(path).iter().map(|entry| bytes(entry)).sum(),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    }
}

fn remove(path: &Path) -> Result<(), Fault> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    removed.map_err(|error| Fault::environment(format!("cannot remove {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use humdrum_contract::{Interrupt, Silent};

    use super::*;

    #[test]
    fn what_another_program_works_on_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let names = ["it-src-ab", "it-src-ab.lock", "it-src-ab.log", "it-src-ab.making", "other"];
        names.iter().for_each(|name| std::fs::write(path(name), "").expect("written"));
        let held = lock::take(&path("it-src-ab.lock"), "it", &Interrupt::new(), &Silent).expect("held");
        let clean = || {
            names.iter().try_for_each(|name| {
                if path(name).exists() { cached(&path(name), true, false) } else { Ok(()) }
            })
        };
        clean().expect("cleaned");
        assert_eq!(entries(folder.path()), names[..4].iter().map(|name| path(name)).collect::<Vec<_>>());
        drop(held);
        clean().expect("cleaned");
        assert_eq!(entries(folder.path()), Vec::<PathBuf>::new());
    }
}
