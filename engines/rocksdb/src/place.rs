//! The meaning of a subject's place: a release, or a library of the user's own. Its faults are reported here,
//! before anything is fetched or written.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use humdrum_contract::{Dirs, Outcome};
use humdrum_engine_kit::source::{self as kit, Wanted};
use humdrum_model::{Fault, Place, Setting, Subject};
use humdrum_provision::dirs;

use crate::catalogue::{self, Entry};
use crate::launch::Launch;
use crate::options;
use crate::recipe::{self, RECIPE};
use crate::source;
use crate::worker::{Orders, REFUSED, USABLE};

/// A subject that was checked.
pub(crate) struct Found {
    /// Its release; that of a user's own library is known when it runs.
    pub(crate) release: String,
    pub(crate) site: Site,
    /// Options of the library.
    pub(crate) settings: Vec<Setting>,
}

/// Where its library is.
pub(crate) enum Site {
    Catalogue(&'static Entry),
    File(PathBuf),
    /// To be built from what a crate carries.
    Crate(&'static source::Entry, source::Recipe),
    /// To be built from the makers' sources.
    Sources(Box<Wanted>),
}

impl Site {
    /// The place of sources under a name that does not move on.
    pub(crate) fn pinned(&self) -> Option<Place> {
        match self {
            Self::Sources(wanted) => Some(wanted.place.clone()),
            Self::Catalogue(_) | Self::File(_) | Self::Crate(..) => None,
        }
    }
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
    let mut settings = subject.settings.clone();
    let (release, site) = match &subject.place {
        Place::Source { path, revision } if path != Path::new(source::CRATE) => {
            return of_sources(subject, (path, revision.as_deref()));
        }
        Place::Source { revision, .. } => {
            settings.retain(|setting| !source::is_ours(setting));
            of_crate(revision.as_deref(), subject)?
        }
        Place::Version(version) => {
            refuse_flags(subject)?;
            let entry = catalogue::find(version)?;
            (entry.version.to_owned(), Site::Catalogue(entry))
        }
        Place::Folder(path) => {
            refuse_flags(subject)?;
            let file = library_at(path)?;
            options::check(&subject.settings)?;
            usable(&file, dirs, launch)?;
            ("own build".to_owned(), Site::File(file))
        }
        Place::External(_) => {
            return Err(Fault::usage("rocksdb is a library: there is no server to connect to")
                .hint("type rocksdb@10.2.1, or rocksdb@/path/librocksdb.so"));
        }
    };
    options::check(&settings)?;
    Ok(Found { release, site, settings })
}

/// Settings of a build are none of a library that is not built here.
fn refuse_flags(subject: &Subject) -> Outcome<()> {
    kit::refuse_flags(&RECIPE, &subject.settings)?;
    let why = "is for libraries built here: rocksdb@src:crate#10.10.1";
    options::refuse(&subject.settings, &source::SETTINGS, why)
}

fn of_crate(release: Option<&str>, subject: &Subject) -> Outcome<(String, Site)> {
    let entry = source::find(release.ok_or_else(|| {
        Fault::usage("src:crate is the sources of a release, and none is named")
            .hint("type rocksdb@src:crate#10.10.1; a folder of that name is ./crate")
    })?)?;
    options::check(&subject.settings)?;
    source::refuse_others(&subject.settings)?;
    let recipe = source::recipe(&subject.settings)?;
    Ok((entry.release.to_owned(), Site::Crate(entry, recipe)))
}

fn of_sources(subject: &Subject, place: (&Path, Option<&str>)) -> Outcome<Found> {
    let (wanted, settings) = kit::check("rocksdb", &RECIPE, place, &subject.settings)?;
    let why = "is for the sources of a crate: rocksdb@src:crate#10.10.1; others take cc";
    options::refuse(&settings, &["compiler"], why)?;
    options::check(&settings)?;
    recipe::check(&wanted.flags, &settings)?;
    Ok(Found { release: wanted.release.clone(), site: Site::Sources(Box::new(wanted)), settings })
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
        let source = Place::Source { path: empty.path().into(), revision: None };
        assert!(refused(source, Vec::new()).contains("no sources of rocksdb"));
        let source = Place::Source { path: "crate".into(), revision: None };
        assert!(refused(source, Vec::new()).contains("none is named"));
        let source = Place::Source { path: "crate".into(), revision: Some("1.0".into()) };
        assert!(refused(source, Vec::new()).contains("1.0"));
        let built = vec![Setting::Value { key: "lto".into(), value: "on".into() }];
        assert!(refused(Place::Version("10.2.1".into()), built).contains("`lto`"));
        let built = vec![Setting::Value { key: "march".into(), value: "native".into() }];
        let source = Place::Source { path: "crate".into(), revision: Some("10.2.1".into()) };
        assert!(refused(source, built).contains("`march`"));
        let setting = vec![Setting::Named("x10a".into())];
        assert!(refused(Place::Version("10.2.1".into()), setting).contains("x10a"));
    }
}
