//! The meaning of a subject's place: a release, or a library of the user's own. Its faults are reported here,
//! before anything is fetched or written.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use humdrum_contract::{Dirs, Outcome};
use humdrum_model::{Fault, Place, Subject};
use humdrum_provision::dirs;

use crate::catalogue::{self, Entry};
use crate::launch::Launch;
use crate::options;
use crate::source;
use crate::worker::{Orders, REFUSED, USABLE};

/// A subject that was checked.
pub(crate) struct Found {
    /// Its release; that of a user's own library is known when it runs.
    pub(crate) release: String,
    pub(crate) site: Site,
}

/// Where its library is.
pub(crate) enum Site {
    Catalogue(&'static Entry),
    File(PathBuf),
    /// To be built.
    Source(&'static source::Entry, source::Recipe),
}

const HINT: &str = "name a librocksdb.so, or the folder that holds it: rocksdb@/usr/lib/librocksdb.so";

/// Checks a subject without network or disk writes.
///
/// # Errors
/// Usage, with what to type instead.
pub(crate) fn check(subject: &Subject, dirs: &Dirs, launch: &Launch) -> Outcome<Found> {
    if cfg!(target_feature = "crt-static") {
        return Err(Fault::usage("this humdrum is a static program, which cannot load RocksDB's library")
            .hint("use the archive or package for x86_64-unknown-linux-gnu, or cargo install"));
    }
    options::check(&subject.settings)?;
    if !matches!(subject.place, Place::Source { .. }) {
        options::refuse(
            &subject.settings,
            &source::SETTINGS,
            "is for libraries built here: rocksdb@src:crate#10.10.1",
        )?;
    }
    match &subject.place {
        Place::Version(version) => {
            let entry = catalogue::find(version)?;
            Ok(Found { release: entry.version.to_owned(), site: Site::Catalogue(entry) })
        }
        Place::Folder(path) => {
            let file = library_at(path)?;
            usable(&file, dirs, launch)?;
            Ok(Found { release: "own build".to_owned(), site: Site::File(file) })
        }
        Place::Source { path, revision } => {
            let release = revision.as_deref().filter(|_| path == Path::new(source::CRATE));
            let entry = source::find(release.ok_or_else(|| {
                Fault::usage("of sources, rocksdb takes those that a crate carries, by release")
                    .hint("type rocksdb@src:crate#10.10.1; or build your own and name it: rocksdb@/path/librocksdb.so")
            })?)?;
            let recipe = source::recipe(&subject.settings)?;
            Ok(Found { release: entry.release.to_owned(), site: Site::Source(entry, recipe) })
        }
        Place::External(_) => Err(Fault::usage("rocksdb is a library: there is no server to connect to")
            .hint("type rocksdb@10.2.1, or rocksdb@/path/librocksdb.so")),
    }
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
    let found = ["", "lib"].iter().map(|below| path.join(below).join("librocksdb.so"));
    let found = found.into_iter().find(|file| file.is_file());
    found.ok_or_else(|| Fault::usage(format!("{shown} holds no librocksdb.so")).hint(HINT))
}

/// Has a process of its own load it: a library that is not what it seems breaks that process, not this one.
fn usable(file: &Path, dirs: &Dirs, launch: &Launch) -> Outcome<()> {
    let shown = file.display();
    if let Some(closed) = dirs.run_as.and_then(|user| dirs::first_closed(file, user)) {
        let closed = closed.display();
        let what = format!("workers do not run as root, and their user may not walk through {closed}");
        return Err(Fault::usage(what)
            .hint(format!("`chmod o+x {closed}`, or copy the library to where every user may read it")));
    }
    let mut command = Command::new(&launch.program);
    command.args(&launch.args).env_clear().envs(Orders::inspect(file.to_path_buf()).to_env());
    if let Some((uid, gid)) = dirs.run_as {
        command.uid(uid).gid(gid);
    }
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Fault::environment(format!("cannot start a worker: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if String::from_utf8_lossy(&output.stdout).contains(USABLE) {
        return Ok(());
    }
    let refusal = said.lines().find_map(|line| line.strip_prefix(REFUSED));
    let what = refusal.map_or_else(|| format!("{shown} breaks the process that loads it"), str::to_owned);
    Err(Fault::usage(what).hint(HINT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_contract::Interrupt;
    use humdrum_model::Setting;

    fn refused(place: Place, settings: Vec<Setting>) -> String {
        let [cache, runs] = ["/nowhere", "/nowhere/runs"].map(PathBuf::from);
        let dirs = Dirs {
            cache,
            runs,
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: Interrupt::new(),
        };
        let subject = Subject { label: "it".into(), engine: "rocksdb".into(), place, settings };
        let launch = Launch { program: "/bin/false".into(), args: Vec::new() };
        let fault = check(&subject, &dirs, &launch).map(|_| ()).expect_err("refused");
        assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{fault}");
        fault.what
    }

    #[test]
    fn places_that_are_no_library_are_refused() {
        assert!(refused(Place::Version("4".into()), Vec::new()).contains("no release 4"));
        assert!(refused(Place::Folder("/no/such".into()), Vec::new()).contains("no file or folder"));
        let empty = tempfile::tempdir().expect("folder");
        assert!(refused(Place::Folder(empty.path().into()), Vec::new()).contains("librocksdb.so"));
        std::fs::write(empty.path().join("librocksdb.so"), "x").expect("write");
        assert!(refused(Place::Folder(empty.path().into()), Vec::new()).contains("breaks the process"));
        assert!(refused(Place::External("x://y".into()), Vec::new()).contains("library"));
        let source = Place::Source { path: "/src".into(), revision: None };
        assert!(refused(source, Vec::new()).contains("sources"));
        let source = Place::Source { path: "crate".into(), revision: Some("1.0".into()) };
        assert!(refused(source, Vec::new()).contains("1.0"));
        let built = vec![Setting::Value { key: "lto".into(), value: "on".into() }];
        assert!(refused(Place::Version("10.2.1".into()), built).contains("`lto`"));
        let setting = vec![Setting::Named("x10a".into())];
        assert!(refused(Place::Version("10.2.1".into()), setting).contains("x10a"));
    }
}
