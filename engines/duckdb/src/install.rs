//! Gets a library and remembers what it is: fetched once, unpacked once, shared by all runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use humdrum_contract::{Dirs, Installation, Outcome, Progress, Release, Server, Sizing, Update};
use humdrum_engine_kit::cache::{self, Note};
use humdrum_engine_orderby::{Begin, Build, OrderServer};
use humdrum_model::{CHECKED_BY, Fault, Subject, SubjectFacts};
use humdrum_provision::{checksum, npm, program, unpack};

use crate::catalogue::{self, Entry};
use crate::launch::Launch;
use crate::place::{self, Site};
use crate::worker;

const PINNED: &str = "SHA-256 of the catalogue";

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
    let (file, origin, checksum) = match found.site {
        Site::Catalogue(entry) => {
            let folder = folder_of(entry, dirs);
            let name = format!("duckdb {}", entry.version);
            let Note { sha256, checked_by } =
                cache::make_once(&folder, &name, dirs, progress, || fetch(entry, &folder, dirs, progress))?;
            let origin =
                format!("{}, sha256 of the package {sha256}{CHECKED_BY}{checked_by}", catalogue::ORIGIN);
            (folder.join(catalogue::LIBRARY), origin, sha256)
        }
        Site::File(file) => {
            let sum = checksum::sha256_of(&file).map_err(|error| cache::unusable(&file, &error))?;
            let origin = format!("the library {}, sha256 {sum}", file.display());
            (file, origin, sum)
        }
    };
    let facts = SubjectFacts { version: found.release, origin, ..SubjectFacts::default() };
    let begin = begin(file.clone(), launch.clone());
    let (settings, run_as) = (found.settings, dirs.run_as);
    let build = Build { engine: "duckdb", facts, checksum, settings, run_as, begin: Arc::new(begin) };
    Ok(Box::new(Installed { file, build }))
}

/// The library is what is measured: where it happens to lie in memory must not pass for its speed, so it is copied.
fn begin(file: PathBuf, launch: Launch) -> impl Fn(&Path) -> Outcome<Begin> {
    move |folder| {
        let library = program::place_alone(&file, folder)?;
        let env = vec![(worker::LIBRARY.into(), library.into())];
        Ok(Begin { program: launch.program.clone(), args: launch.args.clone(), env })
    }
}

fn fetch(entry: &Entry, folder: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Note> {
    progress.update(Update::Step(&format!("fetching duckdb {}", entry.version)));
    let package = entry.package();
    let file = npm::fetch(&package, dirs, progress)?;
    progress.update(Update::Step(&format!("unpacking duckdb {}", entry.version)));
    let choose = catalogue::unpacked;
    unpack::tgz(&file, &unpack::Job { folder, choose: &choose, interrupt: &dirs.interrupt, progress })?;
    if !folder.join(catalogue::LIBRARY).is_file() {
        return Err(Fault::environment(format!("{} holds no {}", file.display(), catalogue::LIBRARY)));
    }
    Ok(Note { sha256: package.sha256.to_owned(), checked_by: PINNED.to_owned() })
}

fn folder_of(entry: &Entry, dirs: &Dirs) -> PathBuf {
    cache::folder("duckdb", entry.version, dirs)
}

struct Installed {
    file: PathBuf,
    build: Build,
}

impl Installation for Installed {
    fn facts(&self) -> SubjectFacts {
        self.build.facts.clone()
    }

    fn place(&self) -> Option<PathBuf> {
        Some(self.file.clone())
    }

    fn create(&self, home: &Path, _sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        Ok(Box::new(OrderServer::create(self.build.clone(), home)?))
    }
}
