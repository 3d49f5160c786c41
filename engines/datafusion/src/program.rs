//! Finds the worker's program, and asks it which DataFusion it has.
//!
//! ```text
//!   HUMDRUM_DATAFUSION                            the user says
//!   humdrum-datafusion beside humdrum             installed together
//!   target/release/ of a folder above humdrum     cargo's, where a target folder is shared
//!   sort/skipsort-datafusion/target/release/      of a checkout whose target folder humdrum is in
//! ```

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use humdrum_contract::Outcome;
use humdrum_engine_worker::orderby::wire::PROTOCOL;
use humdrum_model::Fault;
use humdrum_provision::program;

/// The program's name.
const NAME: &str = "humdrum-datafusion";
/// Names another.
const VARIABLE: &str = "HUMDRUM_DATAFUSION";
const BUILD: &str = "cargo xtask datafusion worker";
/// Where it may be below a folder above this program.
const BELOW: [&str; 3] = ["", "release", "sort/skipsort-datafusion/target/release"];
/// How many folders above this program are looked at: `target/debug/deps` of a checkout is three below it.
const ABOVE: usize = 4;

/// A worker's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Worker {
    pub(crate) program: PathBuf,
    /// Of DataFusion.
    pub(crate) version: String,
}

/// The worker on this host.
///
/// # Errors
/// Usage: there is none, or it is none of this humdrum.
pub(crate) fn find() -> Outcome<Worker> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return at(Path::new(&named)).map_err(|fault| fault.at(VARIABLE));
    }
    let own = std::env::current_exe().unwrap_or_default();
    let found = candidates(&own).into_iter().find(|path| path.is_file());
    found.map_or_else(|| Err(missing()), |path| asked(&path))
}

/// The worker on this host, if it has a version that was asked for: `55.2.0`, or a part of it.
///
/// # Errors
/// As `find`; usage, if it has another.
pub(crate) fn of_version(wanted: &str) -> Outcome<Worker> {
    let worker = find()?;
    if fits(&worker.version, wanted) {
        return Ok(worker);
    }
    let (version, program) = (&worker.version, worker.program.display());
    Err(Fault::usage(format!("there is no datafusion {wanted} here: {program} has {version}"))
        .hint(format!("type datafusion@{version}, or name a worker: datafusion@/path/{NAME}")))
}

/// The worker that a user names: the program, or the folder that it is in.
///
/// # Errors
/// Usage: there is none.
pub(crate) fn at(path: &Path) -> Outcome<Worker> {
    let shown = path.display();
    let program = if path.is_dir() { path.join(NAME) } else { path.to_path_buf() };
    if !program.is_file() {
        return Err(Fault::usage(format!("{shown} is no {NAME}, and holds none")).hint(format!(
            "type `{BUILD}`, then datafusion@sort/skipsort-datafusion/target/release/{NAME}"
        )));
    }
    asked(&program)
}

fn missing() -> Fault {
    Fault::usage(format!("the worker of datafusion, {NAME}, is not built"))
        .hint(format!("type `{BUILD}` (minutes, once), or name a program: {VARIABLE}=/path/{NAME}"))
}

fn candidates(own: &Path) -> Vec<PathBuf> {
    let above = own.ancestors().skip(1).take(ABOVE);
    above.flat_map(|folder| BELOW.iter().map(move |below| folder.join(below).join(NAME))).collect()
}

fn fits(version: &str, wanted: &str) -> bool {
    version
        .strip_prefix(wanted)
        .is_some_and(|rest| !wanted.is_empty() && (rest.is_empty() || rest.starts_with('.')))
}

/// Asks a program what it is.
fn asked(path: &Path) -> Outcome<Worker> {
    let no_worker = |why: String| {
        let what = format!("{} is no worker of datafusion: {why}", path.display());
        Fault::usage(what).hint(format!("type `{BUILD}`, or name another"))
    };
    let mut command = Command::new(path);
    command.arg("--version").env_clear().stdin(Stdio::null());
    let output = program::output(&mut command).map_err(|error| no_worker(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let (version, protocol) =
        said_by(&said).ok_or_else(|| no_worker("it does not say its version".to_owned()))?;
    if protocol != PROTOCOL {
        return Err(no_worker(format!("it speaks protocol {protocol}, and this humdrum {PROTOCOL}")));
    }
    Ok(Worker { program: path.to_path_buf(), version })
}

/// DataFusion's version and the protocol, of `humdrum-datafusion: datafusion 55.2.0, protocol 1`.
fn said_by(line: &str) -> Option<(String, u32)> {
    let rest = line.trim().strip_prefix(NAME)?.strip_prefix(": datafusion ")?;
    let (version, protocol) = rest.split_once(", protocol ")?;
    Some((version.to_owned(), protocol.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A program that says so.
    fn program(folder: &Path, says: &str) -> PathBuf {
        let path = folder.join(NAME);
        std::fs::write(&path, format!("#!/bin/sh\necho '{says}'\n")).expect("write");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("mode");
        path
    }

    #[test]
    fn a_worker_is_found_by_its_file_or_folder_and_says_its_version() {
        let folder = tempfile::tempdir().expect("folder");
        let path = program(folder.path(), &format!("{NAME}: datafusion 55.2.0, protocol {PROTOCOL}"));
        let expected = Worker { program: path.clone(), version: "55.2.0".into() };
        assert_eq!(at(&path), Ok(expected.clone()));
        assert_eq!(at(folder.path()), Ok(expected));
    }

    #[test]
    fn what_is_no_worker_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let refused = |says: &str| {
            let fault = at(&program(folder.path(), says)).expect_err("refused");
            assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{fault}");
            fault.what
        };
        assert!(refused("hello").contains("does not say"));
        assert!(refused(&format!("{NAME}: datafusion 55.2.0, protocol 9999")).contains("protocol 9999"));
        let none = at(Path::new("/no/such/file")).expect_err("none");
        assert!(none.hint.is_some_and(|hint| hint.contains(BUILD)));
        assert!(missing().exit_code() == 2 && missing().hint.is_some_and(|hint| hint.contains(BUILD)));
    }

    #[test]
    fn a_part_of_a_version_stands_for_it() {
        assert!(["55", "55.2", "55.2.0"].iter().all(|wanted| fits("55.2.0", wanted)));
        assert!(["5", "55.", "54", "55.2.0.1", ""].iter().all(|wanted| !fits("55.2.0", wanted)));
    }

    #[test]
    fn it_is_looked_for_beside_this_program_and_in_a_checkout() {
        let found = candidates(Path::new("/repo/target/debug/deps/humdrum"));
        for path in [
            "/repo/target/debug/deps/humdrum-datafusion",
            "/repo/target/release/humdrum-datafusion",
            "/repo/sort/skipsort-datafusion/target/release/humdrum-datafusion",
        ] {
            assert!(found.contains(&PathBuf::from(path)), "{path}");
        }
    }
}
