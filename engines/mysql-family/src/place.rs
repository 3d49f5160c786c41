//! What a subject's place stands for: a release, a folder or a running server. Everything that can be wrong with
//! it is said here, before anything is fetched or written.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Outcome};
use humdrum_model::{Fault, Place, Subject};
use humdrum_mysql_session::Target;
use humdrum_provision::{dirs, server_url};

use crate::catalogue::{self, Entry};
use crate::flavour::Flavour;
use crate::version::Version;
use crate::{libraries, parts, settings, url};

/// A subject that was checked.
#[derive(Debug)]
pub(crate) struct Found {
    /// The release it stands for.
    pub release: String,
    pub site: Site,
}

/// Where its build is.
#[derive(Debug)]
pub(crate) enum Site {
    Catalogue(Entry),
    Folder(PathBuf),
    External(Target),
}

/// Checks a subject without network or disk writes.
///
/// # Errors
/// Usage, with what to type instead.
pub(crate) fn check(flavour: &Flavour, subject: &Subject, dirs: &Dirs) -> Outcome<Found> {
    let found = match &subject.place {
        Place::Version(version) => {
            let entry = catalogue::find(flavour, version)?;
            Found { release: entry.version.clone(), site: Site::Catalogue(entry) }
        }
        Place::Folder(path) => {
            Found { release: folder(flavour, path, dirs)?, site: Site::Folder(path.clone()) }
        }
        Place::Source { .. } => {
            let name = flavour.name;
            return Err(Fault::usage(format!("{name} cannot be built from sources yet")).hint(format!(
                "build and install it yourself, then name the folder: {name}@/folder/of/the/installation"
            )));
        }
        Place::External(address) => return external(flavour, address, subject, dirs),
    };
    settings::check(flavour, &subject.settings, Version::of(&found.release))?;
    Ok(found)
}

fn external(flavour: &Flavour, address: &str, subject: &Subject, dirs: &Dirs) -> Outcome<Found> {
    let target = url::parse(flavour, address)?;
    if !dirs.allow_external {
        let shown = server_url::without_password(address);
        return Err(Fault::usage(format!("{shown} is a server that humdrum did not start"))
            .hint("add --allow-external; only its schema `humdrum` is touched"));
    }
    if let Some(setting) = subject.settings.first() {
        let what = format!("`+{setting}` cannot be given to a server that is already running");
        return Err(Fault::usage(what).hint("leave it out, or change the server's own configuration"));
    }
    Ok(Found { release: "external".to_owned(), site: Site::External(target) })
}

/// The release of an installed build, as it says itself.
fn folder(flavour: &Flavour, path: &Path, dirs: &Dirs) -> Outcome<String> {
    let (name, shown) = (flavour.name, path.display());
    let hint = format!("name the folder that holds bin/mysqld or sbin/mysqld: {name}@/opt/{name}");
    if !path.is_dir() {
        return Err(Fault::usage(format!("there is no folder {shown}")).hint(hint));
    }
    let runnable = |program: &PathBuf| {
        path.join(program).metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
    };
    let Some(program) = parts::program(path).filter(runnable) else {
        return Err(Fault::usage(format!("{shown} holds no program bin/mysqld")).hint(hint));
    };
    let above = path.join(&program).parent().unwrap_or(path).to_path_buf();
    if let Some(closed) = dirs.run_as.and_then(|user| dirs::first_closed(&above, user)) {
        let closed = closed.display();
        let what = format!("servers do not run as root, and their user may not walk through {closed}");
        let hint = format!("`chmod o+x {closed}`, or copy the build to where every user may read it");
        return Err(Fault::usage(what).hint(hint));
    }
    let said = libraries::ask_version(path)?;
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    if let Some(library) = libraries::missing_in(&err) {
        let what = format!("{} needs {library}, which this host does not have", path.join(program).display());
        return Err(Fault::usage(what).hint("install your distribution's package that holds it"));
    }
    // A release compares with those of its own engine; the other's are the other's.
    match version_in(&out).filter(|version| (flavour.is_of)(version)) {
        Some(version) => Ok(Version::of(&version).to_string()),
        None => {
            let what = format!("{} does not say that it is {}", path.join(program).display(), flavour.title);
            Err(Fault::usage(what).hint(hint))
        }
    }
}

/// `8.0.33` of `/opt/bin/mysqld  Ver 8.0.33 for Linux on x86_64 (MySQL Community Server - GPL)`.
fn version_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(" Ver ")?;
    let version = rest.split_ascii_whitespace().next()?;
    (Version::of(version).0 > 0).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_programs_say() {
        let said = "bin/mysqld  Ver 5.6.14 for linux-glibc2.5 on x86_64 (MySQL Community Server (GPL))\n";
        assert_eq!(version_in(said).as_deref(), Some("5.6.14"));
        let said = "/x/mariadbd  Ver 10.11.5-MariaDB for linux-systemd on x86_64 (MariaDB Server)";
        assert_eq!(version_in(said).as_deref(), Some("10.11.5-MariaDB"));
        assert_eq!(version_in("postgres (PostgreSQL) 17.7"), None);
    }
}
