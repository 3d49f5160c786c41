//! Gets a library and remembers what it is: fetched once, unpacked once, shared by all runs.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Installation, Interrupt, Outcome, Progress, Release, Server, Sizing, Update};
use humdrum_engine_kit::cache::{self, Note};
use humdrum_engine_kit::source as kit;
use humdrum_model::{CHECKED_BY, Fault, Setting, Subject, SubjectFacts};
use humdrum_provision::fetch::{self, Artifact, Trust};
use humdrum_provision::{checksum, maven, unpack};

use crate::build::Build;
use crate::catalogue::{self, Entry};
use crate::launch::Launch;
use crate::options;
use crate::place::{self, Site};
use crate::recipe;
use crate::server::RocksdbServer;
use crate::source;

/// What `humdrum versions` says of a release.
pub(crate) fn release(entry: &Entry, dirs: &Dirs) -> Release {
    Release {
        version: entry.version.to_owned(),
        origin: catalogue::ORIGIN.to_owned(),
        pinned: true,
        cached: cache::is_whole(&folder_of(entry, dirs)),
    }
}

/// Gets the library of a subject.
///
/// # Errors
/// Usage for what `check` refuses; environment for network, disk and checksums.
pub(crate) fn install(
    subject: &Subject,
    dirs: &Dirs,
    launch: &Launch,
    progress: &dyn Progress,
) -> Outcome<Box<dyn Installation>> {
    let found = place::check(subject, dirs, launch)?;
    let release = found.release;
    let made_here = |file, facts, checksum| {
        let (release, run_as, launch) = (release.clone(), dirs.run_as, launch.clone());
        Build { file, release, facts, checksum, run_as, launch }
    };
    let build = match found.site {
        Site::Catalogue(entry) => from_catalogue(entry, dirs, launch, progress)?,
        Site::File(file) => from_file(file, release.clone(), dirs, launch)?,
        Site::Crate(entry, recipe) => {
            let built = source::build(entry, &recipe, dirs, progress)?;
            made_here(built.file, built.facts, built.checksum)
        }
        Site::Sources(wanted) => {
            let kit::Made { folder, facts, checksum } = kit::make(&wanted, dirs, progress)?;
            made_here(folder.join(recipe::LIBRARY), facts, checksum)
        }
    };
    Ok(Box::new(Installed { build, settings: found.settings }))
}

struct Installed {
    build: Build,
    settings: Vec<Setting>,
}

impl Installation for Installed {
    fn facts(&self) -> SubjectFacts {
        self.build.facts.clone()
    }

    fn place(&self) -> Option<PathBuf> {
        Some(self.build.file.clone())
    }

    fn create(&self, home: &Path, sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        let chosen = options::resolve(&self.settings, sizing)?;
        Ok(Box::new(RocksdbServer::create(&self.build, home, chosen)?))
    }
}

fn from_catalogue(entry: &Entry, dirs: &Dirs, launch: &Launch, progress: &dyn Progress) -> Outcome<Build> {
    let name = format!("rocksdb {}", entry.version);
    let folder = folder_of(entry, dirs);
    let note = cache::make_once(&folder, &name, dirs, progress, || {
        fetch_and_unpack(entry, &folder, dirs, progress)
    })?;
    let file = folder.join(catalogue::LIBRARY);
    let Note { sha256: checksum, checked_by } = note;
    let facts = SubjectFacts {
        version: entry.version.to_owned(),
        origin: format!("{}, sha256 of the jar {checksum}{CHECKED_BY}{checked_by}", catalogue::ORIGIN),
        build: made_by(&file),
        ..SubjectFacts::default()
    };
    let release = entry.version.to_owned();
    Ok(Build { file, release, facts, checksum, run_as: dirs.run_as, launch: launch.clone() })
}

fn fetch_and_unpack(entry: &Entry, folder: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Note> {
    let coordinates = entry.coordinates();
    let artifact = Artifact {
        name: coordinates.file_name(),
        url: coordinates.url(&maven::repository()?)?,
        trust: Trust::Pinned(entry.sha256.to_owned()),
    };
    progress.update(Update::Step(&format!("fetching rocksdb {}", entry.version)));
    let fetched = fetch::fetch(&artifact, dirs, progress)?;
    progress.update(Update::Step(&format!("unpacking rocksdb {}", entry.version)));
    unpack_library(&fetched.path, folder, &dirs.interrupt, progress)?;
    Ok(Note { sha256: fetched.sha256, checked_by: fetched.checked_by })
}

/// The library alone, of a jar with libraries for many machines.
fn unpack_library(jar: &Path, folder: &Path, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<()> {
    let choose = |path: &Path| (path == Path::new(catalogue::LIBRARY)).then(|| path.to_path_buf());
    unpack::zip(jar, &unpack::Job { folder, choose: &choose, interrupt, progress })?;
    if folder.join(catalogue::LIBRARY).is_file() {
        return Ok(());
    }
    Err(Fault::environment(format!("{} holds no {}", jar.display(), catalogue::LIBRARY)))
}

fn from_file(file: PathBuf, release: String, dirs: &Dirs, launch: &Launch) -> Outcome<Build> {
    let checksum = checksum::sha256_of(&file).map_err(|error| cache::unusable(&file, &error))?;
    let facts = SubjectFacts {
        version: release.clone(),
        origin: format!("the library {}, sha256 {checksum}", file.display()),
        build: made_by(&file),
        ..SubjectFacts::default()
    };
    Ok(Build { file, release, facts, checksum, run_as: dirs.run_as, launch: launch.clone() })
}

/// The compilers that stamped their names into a library: releases differ in it, and that is no news of theirs.
fn made_by(file: &Path) -> Vec<String> {
    let bytes = fs::read(file).unwrap_or_default();
    let mut stamps: Vec<String> = Vec::new();
    for start in ["GCC: (", "clang version "] {
        let mut rest = &bytes[..];
        while let Some(at) = rest.windows(start.len()).position(|window| window == start.as_bytes()) {
            let stamp: Vec<u8> = rest[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_graphic() || **byte == b' ')
                .copied()
                .collect();
            rest = &rest[at + start.len()..];
            let stamp = format!("compiled by {}", String::from_utf8_lossy(&stamp));
            if !stamps.contains(&stamp) {
                stamps.push(stamp);
            }
        }
    }
    stamps
}

fn folder_of(entry: &Entry, dirs: &Dirs) -> PathBuf {
    cache::folder("rocksdb", entry.version, dirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_found_each_once() {
        let file = tempfile::NamedTempFile::new().expect("file");
        let stamps = b"\x7fELF..\0GCC: (GNU) 7.3.1 20180303\0GCC: (GNU) 11.2.1\0GCC: (GNU) 7.3.1 20180303\0";
        fs::write(file.path(), stamps).expect("write");
        let expected = ["compiled by GCC: (GNU) 7.3.1 20180303", "compiled by GCC: (GNU) 11.2.1"];
        assert_eq!(made_by(file.path()), expected);
        assert!(made_by(Path::new("/no/such")).is_empty());
    }
}
