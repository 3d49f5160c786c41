//! A package of an npm registry, fetched by the user's npm: from whichever registry, mirror or proxy that is set up for. The
//! file that comes must be the one whose checksum is known here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use humdrum_contract::{Dirs, Outcome, Progress};
use humdrum_model::Fault;

use crate::{checksum, dirs, lock};

/// Names another program than `npm`.
const PROGRAM: &str = "HUMDRUM_NPM";

/// One version of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package<'a> {
    /// Its name, with its scope (`@scope/name`).
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// SHA-256 of its file, lower-case hexadecimal.
    pub sha256: &'a str,
}

impl Package<'_> {
    /// The name that npm gives its file.
    fn file_name(&self) -> String {
        format!("{}-{}.tgz", self.name.trim_start_matches('@').replace('/', "-"), self.version)
    }
}

/// Gets a package's file from the cache, or has npm fetch it.
///
/// # Errors
/// Environment: there is no npm, it says no, the disk; usage for another file than was expected, because the registry is the
/// user's choice; interrupted.
pub fn fetch(package: &Package<'_>, dirs: &Dirs, progress: &dyn Progress) -> Outcome<PathBuf> {
    let folder = dirs::downloads(dirs);
    dirs::make_folder(&folder)?;
    let path = folder.join(package.file_name());
    let _lock =
        lock::take(&path.with_extension("tgz.lock"), &package.file_name(), &dirs.interrupt, progress)?;
    if path.exists() && check(&path, package).is_ok() {
        return Ok(path);
    }
    let unfinished = path.with_extension("tgz.new");
    let _ = fs::remove_dir_all(&unfinished);
    dirs::make_folder(&unfinished)?;
    let fetched = pack(package, &unfinished).and_then(|file| {
        dirs.interrupt.check()?;
        check(&file, package)?;
        fs::rename(&file, &path).map_err(|error| refused("keep", &path, &error))
    });
    let _ = fs::remove_dir_all(&unfinished);
    fetched.map(|()| path)
}

/// Has npm put the file into a folder. No script of a package runs.
fn pack(package: &Package<'_>, folder: &Path) -> Outcome<PathBuf> {
    let program = std::env::var_os(PROGRAM).filter(|name| !name.is_empty()).unwrap_or_else(|| "npm".into());
    let wanted = format!("{}@{}", package.name, package.version);
    let mut command = Command::new(&program);
    command.args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]).arg(folder).arg(&wanted);
    let Output { status, stderr, .. } = command.output().map_err(|error| {
        let what = format!("{}, which fetches {wanted}, cannot be started: {error}", program.display());
        Fault::environment(what).hint(format!("install npm, or name it: {PROGRAM}=/path/npm"))
    })?;
    let file = folder.join(package.file_name());
    if status.success() && file.is_file() {
        return Ok(file);
    }
    let said = String::from_utf8_lossy(&stderr);
    let said = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    let why = if said.is_empty() { status.to_string() } else { said };
    Err(Fault::environment(format!("npm cannot fetch {wanted}: {why}"))
        .hint("check the network, and the registry that `npm config get registry` names"))
}

fn check(file: &Path, package: &Package<'_>) -> Outcome<()> {
    let found = checksum::sha256_of(file).map_err(|error| refused("read", file, &error))?;
    if found == package.sha256 {
        return Ok(());
    }
    let (name, wanted) = (package.file_name(), package.sha256);
    let what = format!("{name} is not what was expected: its checksum is {found} and should be {wanted}");
    Err(Fault::usage(what).hint("check which registry `npm config get registry` names"))
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: Package<'_> = Package { name: "@scope/it", version: "1.2.0-r.1", sha256: "00" };

    #[test]
    fn files_are_named_as_npm_names_them() {
        assert_eq!(PACKAGE.file_name(), "scope-it-1.2.0-r.1.tgz");
        assert_eq!(Package { name: "it", ..PACKAGE }.file_name(), "it-1.2.0-r.1.tgz");
    }

    #[test]
    fn another_file_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("file");
        let fault = check(file.path(), &PACKAGE).expect_err("another checksum");
        assert!(fault.exit_code() == 2 && fault.what.contains("should be 00"), "{fault}");
        let sha256 = checksum::sha256_of(file.path()).expect("a checksum");
        check(file.path(), &Package { sha256: &sha256, ..PACKAGE }).expect("the same");
    }
}
