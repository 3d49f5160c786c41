//! The meaning of a subject's place: a release, or a library of the user's own. Its faults are reported here, before
//! anything is fetched or written.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use humdrum_contract::{Dirs, Outcome};
use humdrum_engine_orderby::settings;
use humdrum_engine_worker::orderby::REFUSED;
use humdrum_model::{Fault, Place, Subject};
use humdrum_provision::dirs;

use crate::catalogue::{self, Entry, LIBRARY};
use crate::launch::Launch;
use crate::worker::{self, USABLE};

/// A subject that was checked.
pub(crate) struct Found {
    /// Its release.
    pub(crate) release: String,
    pub(crate) site: Site,
    /// Settings of the library.
    pub(crate) settings: Vec<(String, String)>,
}

/// Where its library is.
pub(crate) enum Site {
    Catalogue(&'static Entry),
    File(PathBuf),
}

const HINT: &str = "name a libduckdb.so, or the folder that holds it: duckdb@/usr/lib/libduckdb.so";

/// Checks a subject without network or disk writes.
///
/// # Errors
/// Usage, with what to type instead.
pub(crate) fn check(subject: &Subject, dirs: &Dirs, launch: &Launch) -> Outcome<Found> {
    if cfg!(target_feature = "crt-static") {
        return Err(Fault::usage("this humdrum is a static program, which cannot load DuckDB's library")
            .hint("use the archive or package for x86_64-unknown-linux-gnu, or cargo install"));
    }
    let settings = settings::pairs("duckdb", &subject.settings, &[], worker::ours)?;
    let (release, site) = match &subject.place {
        Place::Version(version) => {
            let entry = catalogue::find(version)?;
            (entry.version.to_owned(), Site::Catalogue(entry))
        }
        Place::Folder(path) => {
            let file = library_at(path)?;
            (usable(&file, dirs, launch)?, Site::File(file))
        }
        Place::Source { .. } => {
            return Err(Fault::usage("duckdb is not built from sources here").hint(HINT));
        }
        Place::External(_) => {
            return Err(Fault::usage("duckdb is a library: there is no server to connect to")
                .hint("type duckdb@1.5.6, or duckdb@/path/libduckdb.so"));
        }
    };
    Ok(Found { release, site, settings })
}

/// The file itself, or the library in a folder.
fn library_at(path: &Path) -> Outcome<PathBuf> {
    let shown = path.display();
    if path.is_file() {
        return Ok(path.to_path_buf());
    }
    if !path.is_dir() {
        return Err(Fault::usage(format!("there is no file or folder {shown}")).hint(HINT));
    }
    let found = ["", "lib"].iter().map(|below| path.join(below).join(LIBRARY));
    let found = found.into_iter().find(|file| file.is_file());
    found.ok_or_else(|| Fault::usage(format!("{shown} holds no {LIBRARY}")).hint(HINT))
}

/// Has a process of its own load it, and returns the release that it names: a library that is not what it seems breaks that
/// process, not this one.
fn usable(file: &Path, dirs: &Dirs, launch: &Launch) -> Outcome<String> {
    let shown = file.display();
    if let Some(closed) = dirs.run_as.and_then(|user| dirs::first_closed(file, user)) {
        let closed = closed.display();
        let what = format!("workers do not run as root, and their user may not walk through {closed}");
        return Err(Fault::usage(what)
            .hint(format!("`chmod o+x {closed}`, or copy the library to where every user may read it")));
    }
    let mut command = Command::new(&launch.program);
    command.args(&launch.args).env_clear().env(worker::LIBRARY, file).env(worker::INSPECT, "1");
    if let Some((uid, gid)) = dirs.run_as {
        command.uid(uid).gid(gid);
    }
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Fault::environment(format!("cannot start a worker: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Some(release) = said.lines().find_map(|line| line.split_once(USABLE)) {
        return Ok(release.1.trim().to_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let refusal = complaint.lines().find_map(|line| line.strip_prefix(REFUSED));
    let what = refusal.map_or_else(|| format!("{shown} breaks the process that loads it"), str::to_owned);
    Err(Fault::usage(what).hint(HINT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_contract::Interrupt;
    use humdrum_model::Setting;

    fn checked(place: Place, settings: Vec<Setting>) -> Outcome<Found> {
        let [cache, runs] = ["/nowhere", "/nowhere/runs"].map(PathBuf::from);
        let dirs = Dirs {
            cache,
            runs,
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: Interrupt::new(),
        };
        let subject = Subject { label: "it".into(), engine: "duckdb".into(), place, settings };
        check(&subject, &dirs, &Launch { program: "/bin/false".into(), args: Vec::new() })
    }

    fn refused(place: Place, settings: Vec<Setting>) -> String {
        let fault = checked(place, settings).map(|_| ()).expect_err("refused");
        assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{fault}");
        fault.what
    }

    #[test]
    fn places_that_are_no_library_are_refused() {
        assert!(refused(Place::Version("9".into()), Vec::new()).contains("no release 9"));
        assert!(refused(Place::Folder("/no/such".into()), Vec::new()).contains("no file or folder"));
        let empty = tempfile::tempdir().expect("folder");
        assert!(refused(Place::Folder(empty.path().into()), Vec::new()).contains(LIBRARY));
        std::fs::write(empty.path().join(LIBRARY), "x").expect("write");
        assert!(refused(Place::Folder(empty.path().into()), Vec::new()).contains("breaks the process"));
        assert!(refused(Place::External("x://y".into()), Vec::new()).contains("library"));
        let source = Place::Source { path: empty.path().into(), revision: None };
        assert!(refused(source, Vec::new()).contains("sources"));
    }

    #[test]
    fn settings_are_the_librarys_own_but_for_those_of_the_lab() {
        let release = || Place::Version("1.5".into());
        let value = |key: &str| vec![Setting::Value { key: key.into(), value: "2".into() }];
        let found = checked(release(), value("threads")).expect("a setting");
        assert_eq!((&*found.release, found.settings.len()), ("1.5.6", 1));
        assert!(refused(release(), value("temp_directory")).contains("temp_directory"));
        assert!(refused(release(), vec![Setting::Named("fast".into())]).contains("fast"));
    }
}
