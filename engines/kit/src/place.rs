//! What a subject names: a release, a folder or a running server. All faults of what was typed are reported here, before
//! anything is fetched or written.

use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Outcome};
use humdrum_model::{Fault, Place, Setting, Subject};
use humdrum_provision::{dirs, server_url};

use crate::catalogue::Entry;
use crate::kind::SqlKind;
use crate::login::Login;
use crate::offered;
use crate::preload::{self, Allocator};
use crate::settings;
use crate::source::{self, Wanted};
use crate::version::Version;

/// A subject that was checked.
#[derive(Debug)]
pub(crate) struct Found {
    /// The release that it means.
    pub release: String,
    pub site: Site,
    /// The allocator that is loaded before a build that is not made here.
    pub allocator: Option<Allocator>,
    /// Settings of the server.
    pub settings: Vec<Setting>,
}

/// Where its build is.
#[derive(Debug)]
pub(crate) enum Site {
    Catalogue(Entry),
    Folder(PathBuf),
    /// To be built, or built here before.
    Source(Wanted),
    External(Login),
}

impl Site {
    /// The place of sources under a name that does not move on.
    pub(crate) fn pinned(&self) -> Option<Place> {
        match self {
            Self::Source(wanted) => Some(wanted.place.clone()),
            Self::Catalogue(_) | Self::Folder(_) | Self::External(_) => None,
        }
    }
}

/// Checks a subject without network or disk writes.
///
/// # Errors
/// Usage, with what to type instead.
pub(crate) fn check<K: SqlKind>(kind: &K, subject: &Subject, dirs: &Dirs) -> Outcome<Found> {
    let profile = kind.profile();
    let made_elsewhere = matches!(subject.place, Place::Version(_) | Place::Folder(_));
    let (allocator, settings) = match made_elsewhere {
        true => preload::split(&subject.settings)?,
        false => (None, subject.settings.clone()),
    };
    if let Some(recipe) = kind.recipe().filter(|_| made_elsewhere) {
        source::refuse_flags(recipe, &settings)?;
    }
    let found = match &subject.place {
        Place::Version(version) => {
            let known = profile.catalogue.find(profile.name, version);
            let entry = known.or_else(|fault| offered::remembered(profile, version, dirs).ok_or(fault))?;
            Found { release: entry.version.clone(), site: Site::Catalogue(entry), allocator, settings }
        }
        Place::Folder(path) => {
            let release = folder(kind, path, dirs)?;
            Found { release, site: Site::Folder(path.clone()), allocator, settings }
        }
        Place::Source { path, revision } => sources(kind, path, revision.as_deref(), &settings)?,
        Place::External(address) => return external(kind, address, subject, dirs),
    };
    settings::check(profile.name, &profile.options, &found.settings, Version::of(&found.release))?;
    Ok(found)
}

fn sources<K: SqlKind>(
    kind: &K,
    path: &Path,
    revision: Option<&str>,
    settings: &[Setting],
) -> Outcome<Found> {
    let name = kind.profile().name;
    let recipe = kind.recipe().ok_or_else(|| {
        Fault::usage(format!("{name} cannot be built from sources yet")).hint(format!(
            "build and install it yourself, then name the folder: {name}@/folder/of/the/installation"
        ))
    })?;
    let (wanted, settings) = source::check(name, recipe, (path, revision), settings)?;
    Ok(Found { release: wanted.release.clone(), site: Site::Source(wanted), allocator: None, settings })
}

fn external<K: SqlKind>(kind: &K, address: &str, subject: &Subject, dirs: &Dirs) -> Outcome<Found> {
    let login = kind.read_url(address)?;
    if !dirs.allow_external {
        let shown = server_url::without_password(address);
        return Err(Fault::usage(format!("{shown} is a server that humdrum did not start"))
            .hint(format!("add --allow-external; only {} is touched", kind.profile().touches)));
    }
    if let Some(setting) = subject.settings.first() {
        let what = format!("`+{setting}` cannot be given to a server that is already running");
        return Err(Fault::usage(what).hint("leave it out, or change the server's own configuration"));
    }
    let (release, site) = ("external".to_owned(), Site::External(login));
    Ok(Found { release, site, allocator: None, settings: Vec::new() })
}

/// The release of an installed build, as it says itself.
fn folder<K: SqlKind>(kind: &K, path: &Path, dirs: &Dirs) -> Outcome<String> {
    let (profile, shown) = (kind.profile(), path.display());
    let hint = profile.folders.hint;
    if !path.is_dir() {
        return Err(Fault::usage(format!("there is no folder {shown}")).hint(hint));
    }
    if let Some(program) = (profile.folders.lacks)(path) {
        return Err(Fault::usage(format!("{shown} holds no program {program}")).hint(hint));
    }
    let program = path.join((profile.folders.program)(path).unwrap_or_default());
    let above = program.parent().unwrap_or(path);
    if let Some(closed) = dirs.run_as.and_then(|user| dirs::first_closed(above, user)) {
        let closed = closed.display();
        let what = format!("servers do not run as root, and their user may not walk through {closed}");
        let hint = format!("`chmod o+x {closed}`, or copy the build to where every user may read it");
        return Err(Fault::usage(what).hint(hint));
    }
    kind.version_of(path)?.ok_or_else(|| {
        let what = format!("{} does not say that it is {}", program.display(), profile.title);
        Fault::usage(what).hint(hint)
    })
}
