//! Gets a build and remembers what it is: fetched once, unpacked once, shared by all runs.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Installation, Outcome, Progress, Release, Server, Sizing, Update};
use humdrum_model::{Fault, Setting, Subject, SubjectFacts};
use humdrum_provision::debian::{self, Bundle};
use humdrum_provision::fetch::{self, Artifact, Trust};
use humdrum_provision::maven::Coordinates;
use humdrum_provision::unpack::{self, Job};
use humdrum_provision::{checksum, dirs, lock, maven};

use crate::catalogue::{Entry, Kind, Source};
use crate::external::External;
use crate::flavour::Flavour;
use crate::place::{self, Site};
use crate::server::FamilyServer;
use crate::version::Version;
use crate::{libraries, parts, settings};

/// In a build's folder once it is whole; holds its checksum and what that was checked by.
const COMPLETE: &str = ".humdrum-complete";

/// A build on this host.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    pub flavour: &'static Flavour,
    /// The engine's name and the release's (`mysql 8.0.33`).
    pub name: String,
    pub version: Version,
    pub folder: PathBuf,
    /// The server, below that folder.
    pub program: PathBuf,
    /// What is known of it.
    pub facts: SubjectFacts,
    /// Names the build for a fingerprint.
    pub checksum: String,
    /// Whom servers run as.
    pub run_as: Option<(u32, u32)>,
}

/// What `humdrum versions` says of a release.
pub(crate) fn release(flavour: &Flavour, entry: &Entry, dirs: &Dirs) -> Release {
    Release {
        version: entry.version.clone(),
        origin: entry.origin(),
        pinned: entry.pinned(),
        cached: folder_of(flavour, entry, dirs).join(COMPLETE).exists(),
    }
}

pub(crate) fn install(
    flavour: &'static Flavour,
    subject: &Subject,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Box<dyn Installation>> {
    let found = place::check(flavour, subject, dirs)?;
    let build = match found.site {
        Site::External(target) => return Ok(Box::new(External::new(flavour, target))),
        Site::Catalogue(entry) => from_catalogue(flavour, &entry, dirs, progress)?,
        Site::Folder(folder) => from_folder(flavour, &folder, &found.release, dirs)?,
    };
    Ok(Box::new(Installed { build, settings: subject.settings.clone() }))
}

struct Installed {
    build: Build,
    settings: Vec<Setting>,
}

impl Installation for Installed {
    fn facts(&self) -> SubjectFacts {
        self.build.facts.clone()
    }

    fn create(&self, home: &Path, sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        let given = settings::resolve(self.build.flavour, &self.settings, self.build.version, sizing)?;
        Ok(Box::new(FamilyServer::create(&self.build, home, given, &self.settings)?))
    }
}

/// A build that is being got.
struct Getting<'a> {
    name: String,
    folder: PathBuf,
    dirs: &'a Dirs,
    progress: &'a dyn Progress,
}

fn from_catalogue(
    flavour: &'static Flavour,
    entry: &Entry,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Build> {
    let name = format!("{} {}", flavour.name, entry.version);
    let getting = Getting { name, folder: folder_of(flavour, entry, dirs), dirs, progress };
    let (name, folder) = (&getting.name, &getting.folder);
    let _lock = lock::take(&folder.with_extension("lock"), name, &dirs.interrupt, progress)?;
    if !folder.join(COMPLETE).exists() {
        let note = get(entry, &getting)?;
        libraries::complete(folder, name, dirs, progress)?;
        fs::write(folder.join(COMPLETE), note).map_err(|error| unread(folder, &error))?;
    }
    let note = fs::read_to_string(folder.join(COMPLETE)).map_err(|error| unread(folder, &error))?;
    let (sum, checked_by) = note.trim().split_once("  ").unwrap_or((note.trim(), "unknown"));
    let facts = SubjectFacts {
        version: entry.version.clone(),
        origin: format!("{}, sha256 {sum}, checked by {checked_by}", entry.origin()),
        build: vec![entry.build.to_owned()],
        ..SubjectFacts::default()
    };
    build_of(flavour, folder, facts, sum, dirs)
}

/// Fetches and unpacks; returns the checksum and what that was checked by.
fn get(entry: &Entry, getting: &Getting<'_>) -> Outcome<String> {
    getting.progress.update(Update::Step(&format!("fetching {}", getting.name)));
    match &entry.source {
        Source::Maven { coordinates, kind, sha256 } => from_maven(coordinates, *kind, sha256, getting),
        Source::Debian { suites, package, pinned } => {
            let bundle = Bundle {
                name: &getting.name,
                suites,
                package,
                version: &entry.version,
                suffix: "",
                pinned: pinned.clone(),
                keep: wanted_of_debian,
                programs: &DEBIAN_PROGRAMS,
            };
            let provided = debian::get(&bundle, &getting.folder, getting.dirs, getting.progress)?;
            Ok(format!("{}  {}\n", provided.sha256, provided.checked_by))
        }
    }
}

fn from_maven(coordinates: &Coordinates, kind: Kind, sha256: &str, getting: &Getting<'_>) -> Outcome<String> {
    let Getting { name, folder, dirs, progress } = getting;
    let artifact = Artifact {
        name: coordinates.file_name(),
        url: coordinates.url(&maven::repository()?)?,
        trust: Trust::Pinned(sha256.to_owned()),
    };
    let fetched = fetch::fetch(&artifact, dirs, *progress)?;
    progress.update(Update::Step(&format!("unpacking {name}")));
    let job = Job { folder, choose: &parts::wanted, interrupt: &dirs.interrupt, progress: *progress };
    match kind {
        Kind::Files => unpack::zip(&fetched.path, &job)?,
        Kind::TarGz => unpack::tar_inside(&fetched.path, "Linux-amd64.tar.gz", &job)?,
    }
    Ok(format!("{}  {}\n", fetched.sha256, fetched.checked_by))
}

/// Servers of Debian's packages; each has one of them.
const DEBIAN_PROGRAMS: [&str; 2] = ["usr/sbin/mariadbd", "usr/sbin/mysqld"];

/// What is taken of a package besides libraries.
fn wanted_of_debian(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let english = ["/english/", "/charsets/"].iter().any(|part| text.contains(part));
    let shared = text.starts_with("usr/share/m") && (english || text.ends_with(".sql"));
    DEBIAN_PROGRAMS.contains(&&*text)
        || shared
        || (text.starts_with("usr/lib/mysql/plugin/") && text.ends_with(".so"))
}

fn from_folder(flavour: &'static Flavour, folder: &Path, release: &str, dirs: &Dirs) -> Outcome<Build> {
    let program = folder.join(parts::program(folder).unwrap_or_default());
    let checksum = checksum::sha256_of(&program).map_err(|error| unread(&program, &error))?;
    let facts = SubjectFacts {
        version: release.to_owned(),
        origin: format!("the folder {}, sha256 of {} {checksum}", folder.display(), program.display()),
        ..SubjectFacts::default()
    };
    build_of(flavour, folder, facts, &checksum, dirs)
}

fn build_of(
    flavour: &'static Flavour,
    folder: &Path,
    mut facts: SubjectFacts,
    checksum: &str,
    dirs: &Dirs,
) -> Outcome<Build> {
    let program = parts::program(folder)
        .ok_or_else(|| Fault::environment(format!("{} holds no server", folder.display())).hint(CLEAN))?;
    facts.build.extend(libraries::beside(folder));
    let name = format!("{} {}", flavour.name, facts.version);
    let (version, checksum) = (Version::of(&facts.version), checksum.to_owned());
    // A server goes to its own folder before it looks for anything.
    let folder = folder.canonicalize().map_err(|error| unread(folder, &error))?;
    Ok(Build { flavour, name, version, folder, program, facts, checksum, run_as: dirs.run_as })
}

const CLEAN: &str = "`humdrum clean`, then try again";

fn folder_of(flavour: &Flavour, entry: &Entry, dirs: &Dirs) -> PathBuf {
    // No dot, so that the lock's extension does not replace a part of the version.
    dirs::builds(dirs).join(format!("{}-{}", flavour.name, entry.version.replace('.', "-")))
}

fn unread(path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot use {}: {error}", path.display())).hint(CLEAN)
}
