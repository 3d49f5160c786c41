//! What a subject's place stands for: a release, a folder or a running server. Everything that can be wrong with
//! it is said here, before anything is fetched or written.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use humdrum_contract::{Dirs, Outcome};
use humdrum_model::{Fault, Place, Subject};
use humdrum_provision::{dirs, program, server_url};

use crate::catalogue::{self, Entry};
use crate::session::Target;
use crate::{configurations, url};

/// A subject that was checked.
pub(crate) struct Found {
    /// The release it stands for.
    pub release: String,
    pub site: Site,
}

/// Where its build is.
pub(crate) enum Site {
    Catalogue(Entry),
    Folder(PathBuf),
    External(Target),
}

/// Checks a subject without network or disk writes.
///
/// # Errors
/// Usage, with what to type instead.
pub(crate) fn check(subject: &Subject, dirs: &Dirs) -> Outcome<Found> {
    let found = match &subject.place {
        Place::Version(version) => {
            let entry = catalogue::find(version)?;
            Found { release: entry.version.clone().into_owned(), site: Site::Catalogue(entry) }
        }
        Place::Folder(path) => Found { release: folder(path, dirs)?, site: Site::Folder(path.clone()) },
        Place::Source { .. } => {
            return Err(Fault::usage("postgres cannot be built from sources yet").hint(
                "build and install it yourself, then name the folder: postgres@/folder/of/the/installation",
            ));
        }
        Place::External(address) => return external(address, subject, dirs),
    };
    configurations::check(&subject.settings, catalogue::major(&found.release))?;
    Ok(found)
}

fn external(address: &str, subject: &Subject, dirs: &Dirs) -> Outcome<Found> {
    let target = url::parse(address)?;
    if !dirs.allow_external {
        let what =
            format!("{} is a server that humdrum did not start", server_url::without_password(address));
        return Err(Fault::usage(what)
            .hint("add --allow-external; only the schema `humdrum` of that database is touched"));
    }
    if let Some(setting) = subject.settings.first() {
        return Err(Fault::usage(format!(
            "`+{setting}` cannot be given to a server that is already running"
        ))
        .hint("leave it out, or change the server's own configuration"));
    }
    Ok(Found { release: "external".to_owned(), site: Site::External(target) })
}

/// The release of an installed build, as it says itself.
fn folder(path: &Path, dirs: &Dirs) -> Outcome<String> {
    let shown = path.display();
    let hint = "name the folder that holds bin/postgres and bin/initdb: postgres@/usr/lib/postgresql/17";
    if !path.is_dir() {
        return Err(Fault::usage(format!("there is no folder {shown}")).hint(hint));
    }
    for program in ["bin/postgres", "bin/initdb"] {
        let meta = path.join(program).metadata();
        if !meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0) {
            return Err(Fault::usage(format!("{shown} holds no program {program}")).hint(hint));
        }
    }
    if let Some(closed) = dirs.run_as.and_then(|user| dirs::first_closed(&path.join("bin"), user)) {
        let closed = closed.display();
        return Err(Fault::usage(format!(
            "servers do not run as root, and their user may not walk through {closed}"
        ))
        .hint(format!("`chmod o+x {closed}`, or copy the build to where every user may read it")));
    }
    version_of(path).ok_or_else(|| {
        Fault::usage(format!("{shown}/bin/postgres does not say that it is PostgreSQL")).hint(hint)
    })
}

/// `17.7` of `postgres (PostgreSQL) 17.7 (Debian 17.7-1)`.
fn version_of(path: &Path) -> Option<String> {
    let output =
        program::output(Command::new(path.join("bin/postgres")).arg("--version").env_clear()).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.strip_prefix("postgres (PostgreSQL) ")?.split_ascii_whitespace().next()?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_contract::Interrupt;
    use humdrum_model::Setting;

    fn dirs(allow_external: bool) -> Dirs {
        let [cache, runs] = ["/nowhere", "/nowhere/runs"].map(PathBuf::from);
        Dirs { cache, runs, run_as: None, allow_external, interrupt: Interrupt::new() }
    }

    fn subject(place: Place, settings: Vec<Setting>) -> Subject {
        Subject { label: "it".into(), engine: "postgres".into(), place, settings }
    }

    fn refused(place: Place, allow_external: bool) -> String {
        let fault =
            check(&subject(place, Vec::new()), &dirs(allow_external)).map(|_| ()).expect_err("refused");
        assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{fault}");
        fault.what
    }

    /// A folder with programs that print `says`.
    fn build(says: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::create_dir(folder.path().join("bin")).expect("bin");
        for name in ["bin/postgres", "bin/initdb"] {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\necho '{says}'\n")).expect("write");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("mode");
        }
        folder
    }

    #[test]
    fn releases_are_resolved() {
        let found = check(&subject(Place::Version("9.6".into()), Vec::new()), &dirs(false)).expect("9.6");
        assert_eq!(found.release, "9.6.24");
        let named = vec![Setting::Named("x10b".into())];
        assert!(check(&subject(Place::Version("17.7".into()), named), &dirs(false)).is_err());
    }

    #[test]
    fn folders_must_hold_a_postgres() {
        assert!(refused(Place::Folder("/no/such/folder".into()), false).contains("no folder"));
        let empty = tempfile::tempdir().expect("folder");
        assert!(refused(Place::Folder(empty.path().into()), false).contains("bin/postgres"));
        let other = build("mysqld 8");
        assert!(refused(Place::Folder(other.path().into()), false).contains("does not say"));
        let good = build("postgres (PostgreSQL) 17.7 (Debian 17.7-1)");
        let found =
            check(&subject(Place::Folder(good.path().into()), Vec::new()), &dirs(false)).expect("good");
        assert_eq!(found.release, "17.7");
        std::fs::remove_file(good.path().join("bin/initdb")).expect("remove");
        assert!(refused(Place::Folder(good.path().into()), false).contains("bin/initdb"));
    }

    #[test]
    fn sources_and_strange_servers_are_refused() {
        assert!(refused(Place::Source { path: "/src".into(), revision: None }, false).contains("sources"));
        assert!(
            refused(Place::External("postgres://me:secret@h/db".into()), false).contains("did not start")
        );
        assert!(refused(Place::External("postgres://h:x".into()), true).contains("port"));
        let setting = vec![Setting::Value { key: "work_mem".into(), value: "1MB".into() }];
        let place = Place::External("postgres://me@h/db".into());
        assert!(check(&subject(place, setting), &dirs(true)).is_err());
    }
}
