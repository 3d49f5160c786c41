//! Gets a build: fetched once, unpacked once, shared by all runs.

use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Installation, Outcome, Progress, Release, Server, Sizing, Update};
use humdrum_model::{CHECKED_BY, Fault, Setting, Subject, SubjectFacts};
use humdrum_provision::debian::{self, Bundle, Package};
use humdrum_provision::fetch::{self, Artifact, Trust};
use humdrum_provision::unpack::{self, Job};
use humdrum_provision::{checksum, maven};

use crate::build::Build;
use crate::cache::{self, Note};
use crate::catalogue::{Archive, Entry, Maven, Source};
use crate::external::External;
use crate::kind::SqlKind;
use crate::place::{self, Site};
use crate::profile::Profile;
use crate::server::SqlServer;
use crate::settings;
use crate::source;
use crate::version::Version;

/// What `humdrum versions` says of a release.
pub(crate) fn release(profile: &Profile, entry: &Entry, dirs: &Dirs) -> Release {
    Release {
        version: entry.version.clone(),
        origin: profile.catalogue.origin_of(entry),
        pinned: entry.pinned(),
        cached: cache::is_whole(&cache::folder(profile.name, &entry.version, dirs)),
    }
}

/// Gets the build of a subject.
///
/// # Errors
/// Usage for what `place::check` refuses; environment for network, disk and checksums.
pub(crate) fn install<K: SqlKind>(
    kind: &'static K,
    subject: &Subject,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Box<dyn Installation>> {
    let found = place::check(kind, subject, dirs)?;
    let mut build = match found.site {
        Site::External(login) => {
            login.notes.iter().for_each(|note| progress.update(Update::Note(note)));
            return Ok(Box::new(External::new(kind, login)));
        }
        Site::Catalogue(entry) => {
            let name = format!("{} {}", kind.profile().name, entry.version);
            let folder = cache::folder(kind.profile().name, &entry.version, dirs);
            Getting { kind, entry: &entry, name, folder, dirs, progress }.build()?
        }
        Site::Folder(folder) => from_folder(kind, &folder, &found.release, dirs)?,
        Site::Source(wanted) => {
            let made = source::make(&wanted, dirs, progress)?;
            build_of(kind, &made.folder, made.facts, made.checksum, dirs)?
        }
    };
    if let Some(allocator) = found.allocator {
        let preload = allocator.get(dirs, progress)?;
        build.facts.build.push(preload.about());
        build.preload = Some(preload);
    }
    Ok(Box::new(Installed { kind, build, settings: found.settings }))
}

struct Installed<K: 'static> {
    kind: &'static K,
    build: Build,
    settings: Vec<Setting>,
}

impl<K: SqlKind> Installation for Installed<K> {
    fn facts(&self) -> SubjectFacts {
        self.build.facts.clone()
    }

    fn place(&self) -> Option<PathBuf> {
        Some(self.build.root.clone())
    }

    fn create(&self, home: &Path, sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        let Profile { name, options, .. } = self.kind.profile();
        let given = settings::resolve(name, options, &self.settings, self.build.version, sizing)?;
        let asked = settings::asked(options, &self.settings);
        Ok(Box::new(SqlServer::create(self.kind, &self.build, home, given, asked)?))
    }
}

/// A release of the catalogue that is being got.
struct Getting<'a, K: 'static> {
    kind: &'static K,
    entry: &'a Entry,
    name: String,
    folder: PathBuf,
    dirs: &'a Dirs,
    progress: &'a dyn Progress,
}

impl<K: SqlKind> Getting<'_, K> {
    fn build(&self) -> Outcome<Build> {
        let (entry, catalogue) = (self.entry, &self.kind.profile().catalogue);
        let note = cache::make_once(&self.folder, &self.name, self.dirs, self.progress, || self.get())?;
        let Note { sha256, checked_by } = note;
        let facts = SubjectFacts {
            version: entry.version.clone(),
            origin: format!("{}, sha256 {sha256}{CHECKED_BY}{checked_by}", catalogue.origin_of(entry)),
            build: vec![entry.build.to_owned()],
            ..SubjectFacts::default()
        };
        build_of(self.kind, &self.folder, facts, sha256, self.dirs)
    }

    /// Fetches and unpacks.
    fn get(&self) -> Outcome<Note> {
        self.progress.update(Update::Step(&format!("fetching {}", self.name)));
        let note = match &self.entry.source {
            Source::Maven(artifact) => self.fetch_artifact(artifact)?,
            Source::Debian { suites, package, pinned } => self.fetch_packages(suites, package, pinned)?,
        };
        self.kind.complete(&self.folder, &self.name, self.dirs, self.progress)?;
        Ok(note)
    }

    fn fetch_artifact(&self, maven: &Maven) -> Outcome<Note> {
        let trust = maven.sha256.map_or(Trust::Registry, |sum| Trust::Pinned(sum.to_owned()));
        let url = maven.coordinates.url(&maven::repository()?)?;
        let artifact = Artifact { name: maven.coordinates.file_name(), url, trust };
        let fetched = fetch::fetch(&artifact, self.dirs, self.progress)?;
        if maven.sha256.is_none() {
            let note = format!("{}: checked by {}", self.name, fetched.checked_by);
            self.progress.update(Update::Note(&note));
        }
        self.progress.update(Update::Step(&format!("unpacking {}", self.name)));
        let choose = self.kind.profile().folders.wanted;
        let (folder, interrupt) = (&*self.folder, &self.dirs.interrupt);
        let job = Job { folder, choose: &choose, interrupt, progress: self.progress };
        match maven.archive {
            Archive::Files => unpack::zip(&fetched.path, &job)?,
            Archive::TarInside(ending) => unpack::tar_inside(&fetched.path, ending, &job)?,
        }
        Ok(Note { sha256: fetched.sha256, checked_by: fetched.checked_by })
    }

    fn fetch_packages(&self, suites: &[&str], package: &str, pinned: &[Package]) -> Outcome<Note> {
        let Profile { catalogue, folders, .. } = self.kind.profile();
        let (version, suffix) = catalogue.makers_version(&self.entry.version);
        let programs = (folders.debian_programs)(version);
        let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
        let bundle = Bundle {
            name: &self.name,
            suites,
            package,
            version,
            suffix,
            pinned: pinned.to_vec(),
            keep: folders.wanted_of_debian,
            programs: &programs,
        };
        let provided = debian::get(&bundle, &self.folder, self.dirs, self.progress)?;
        Ok(Note { sha256: provided.sha256, checked_by: provided.checked_by })
    }
}

fn from_folder<K: SqlKind>(kind: &K, folder: &Path, release: &str, dirs: &Dirs) -> Outcome<Build> {
    let folders = &kind.profile().folders;
    let below = (folders.program)(folder).unwrap_or_default();
    let program = folder.join(&below);
    let checksum = checksum::sha256_of(&program).map_err(|error| cache::unusable(&program, &error))?;
    let shown = if folders.shows_whole_path { &program } else { &below };
    let facts = SubjectFacts {
        version: release.to_owned(),
        origin: format!("the folder {}, sha256 of {} {checksum}", folder.display(), shown.display()),
        ..SubjectFacts::default()
    };
    build_of(kind, folder, facts, checksum, dirs)
}

fn build_of<K: SqlKind>(
    kind: &K,
    folder: &Path,
    mut facts: SubjectFacts,
    checksum: String,
    dirs: &Dirs,
) -> Outcome<Build> {
    let profile = kind.profile();
    let program = (profile.folders.program)(folder).ok_or_else(|| {
        Fault::environment(format!("{} holds no server", folder.display())).hint(cache::CLEAN)
    })?;
    facts.build.extend(kind.added(folder));
    let release = facts.version.clone();
    let (name, version) = (format!("{} {release}", profile.name), Version::of(&release));
    let root = folder.canonicalize().map_err(|error| cache::unusable(folder, &error))?;
    Ok(Build { name, release, version, root, program, facts, checksum, preload: None, run_as: dirs.run_as })
}
