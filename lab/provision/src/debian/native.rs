//! Patches programs so that they start from a folder, with the loader and the libraries unpacked beside them instead
//! of this system's.
//!
//! Programs are patched (interpreter and RPATH) rather than started through the loader: the process then has its own
//! name, in profiles too, and a program that executes another one (initdb executes postgres) needs no knowledge of the
//! folder. Only programs are patched, once, because an RPATH, unlike a RUNPATH, also applies to the libraries of
//! libraries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// The patcher's place in its package.
const PATCHER: &str = "usr/bin/patchelf";
const LOADER: &str = "ld-linux-x86-64.so.2";
/// Where Debian keeps libraries; both, because suites before 13 used both.
const LIBRARY_FOLDERS: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"];

/// What is unpacked of every package: libraries, and the patcher.
pub(super) fn is_wanted(path: &Path) -> bool {
    path == Path::new(PATCHER) || is_library(path)
}

/// A shared library directly in one of the library folders. Deeper ones are modules, which are not loaded
/// here.
pub(super) fn is_library(path: &Path) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let shared = name.contains(".so.") || name.ends_with(".so");
    shared && LIBRARY_FOLDERS.iter().any(|folder| path.parent() == Some(Path::new(folder)))
}

/// Patches those of `programs` that there are in `made` for their place in `folder`, and moves it there.
pub(super) fn patch(made: &Path, folder: &Path, programs: &[&str]) -> Outcome<()> {
    // Names that lead to a program are not it.
    let is_file = |program: &&&str| fs::symlink_metadata(made.join(program)).is_ok_and(|meta| meta.is_file());
    let there: Vec<&&str> = programs.iter().filter(is_file).collect();
    let none = || Fault::environment(format!("its packages hold none of {}", programs.join(", ")));
    let outcome = if there.is_empty() { Err(none()) } else { Ok(()) };
    let outcome =
        outcome.and_then(|()| there.iter().try_for_each(|program| patch_one(made, folder, program)));
    if let Err(fault) = outcome {
        let _ = fs::remove_dir_all(made);
        return Err(fault);
    }
    let refused = |error| Fault::environment(format!("cannot put {} in place: {error}", folder.display()));
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(refused)?;
    }
    fs::rename(made, folder).map_err(refused)
}

fn patch_one(made: &Path, folder: &Path, program: &str) -> Outcome<()> {
    let failed =
        |why: String| Fault::environment(format!("cannot make {program} start from its folder: {why}"));
    let loader = loader(made).ok_or_else(|| failed("its packages hold no loader".into()))?;
    let at_home = |root: &Path| -> Vec<PathBuf> {
        LIBRARY_FOLDERS
            .iter()
            .filter(|below| made.join(below).is_dir())
            .map(|below| root.join(below))
            .collect()
    };
    let joined = |folders: Vec<PathBuf>| {
        folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(":")
    };
    let interpreter = folder.join(loader.strip_prefix(made).unwrap_or(&loader));
    // The patcher is of the same suite, and starts through the loader it patches in.
    let mut command = Command::new(&loader);
    command.arg("--library-path").arg(joined(at_home(made))).arg(made.join(PATCHER));
    command.arg("--set-interpreter").arg(interpreter).arg("--force-rpath");
    command.arg("--set-rpath").arg(joined(at_home(folder))).arg(made.join(program));
    let output = command.env_clear().output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(said(&output))) }
}

fn loader(made: &Path) -> Option<PathBuf> {
    LIBRARY_FOLDERS.iter().map(|folder| made.join(folder).join(LOADER)).find(|path| path.exists())
}

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if text.is_empty() { format!("patchelf: {}", output.status) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_from_modules() {
        let library = ["usr/lib/x86_64-linux-gnu/libc.so.6", "./lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"];
        assert!(library.iter().all(|path| is_library(Path::new(path))));
        let other = [
            "usr/lib/x86_64-linux-gnu/gconv/UTF-16.so",
            "usr/lib/x86_64-linux-gnu/libc.a",
            "usr/lib/libc.so.6",
            "usr/bin/patchelf",
        ];
        assert!(!other.iter().any(|path| is_library(Path::new(path))));
        assert!(is_wanted(Path::new("usr/bin/patchelf")));
    }

    #[test]
    fn a_folder_without_a_loader_is_refused_and_gone() {
        let root = tempfile::tempdir().expect("root");
        let made = root.path().join("made");
        fs::create_dir(&made).expect("made");
        let build = root.path().join("build");
        assert!(patch(&made, &build, &["serverd"]).expect_err("no program").what.contains("none of serverd"));
        fs::create_dir(&made).expect("made");
        fs::write(made.join("serverd"), "").expect("program");
        let fault = patch(&made, &build, &["other", "serverd"]).expect_err("no loader");
        assert!(fault.what.contains("no loader"), "{fault}");
        assert!(!made.exists() && !build.exists());
    }
}
