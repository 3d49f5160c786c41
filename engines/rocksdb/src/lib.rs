//! RocksDB, 6.29 and later: every release by its own library, all driven by one client.
//!
//! The reference's client is built anew with each release, so that client and engine change together. Here
//! each subject is a small worker process (`worker/`) that loads that subject's library through its C
//! interface; the client in it is the same for all. README.md of this crate is for users.

mod build;
mod catalogue;
mod events;
mod examine;
mod install;
mod launch;
mod options;
mod options_file;
mod place;
mod probe;
mod quantities;
mod recipe;
mod server;
mod session;
mod source;
mod wire;
mod worker;

use std::process::ExitCode;

use humdrum_contract::{
    BuildPlan, Configuration, Dirs, Engine, Installation, Outcome, Progress, Release, not_built,
};
use humdrum_engine_kit::source as kit;
use humdrum_model::{Interface, Place, Subject, Timings};

pub use launch::Launch;

/// The engine.
#[derive(Clone, Debug, Default)]
pub struct Rocksdb {
    /// How workers are started.
    pub launch: Launch,
}

/// Plays the worker, if this process was started as one; to be called before anything else by every program that
/// uses the engine. `None`: it was not, go on.
pub fn play_worker() -> Option<ExitCode> {
    let asked = std::env::args_os().nth(1).is_some_and(|argument| argument == worker::ARGUMENT);
    if asked { worker::main().map(ExitCode::from) } else { None }
}

/// The same whatever the arguments are, and ends the process: for test programs, whose arguments are their own.
pub fn play_worker_by_environment() {
    if let Some(code) = worker::main() {
        std::process::exit(code.into());
    }
}

impl Engine for Rocksdb {
    fn name(&self) -> &'static str {
        "rocksdb"
    }

    fn about(&self) -> &'static str {
        "RocksDB 6.29 to 11.8; a release, a build of its sources, or a librocksdb.so of your own"
    }

    fn interface(&self) -> Interface {
        Interface::Kv
    }

    fn releases(&self, dirs: &Dirs) -> Vec<Release> {
        catalogue::entries().iter().map(|entry| install::release(entry, dirs)).collect()
    }

    fn configurations(&self) -> Vec<Configuration> {
        options::list()
    }

    /// Measured, four releases with `iobuf` and four million keys on two processors: in a session they loaded in 40 to 44 s,
    /// and paid for five tests that write in 8 to 17 s, most of it for `overwrite`.
    fn timings(&self) -> Timings {
        Timings {
            create_seconds: 0.1,
            restart_seconds: 0.3,
            load_seconds_per_row: 2.8e-6,
            copy: None,
            settle_seconds: 0.1,
            settle_seconds_per_row: 2.0e-7,
        }
    }

    fn least_memory(&self, _connections: u32) -> u64 {
        options::least_memory_bytes()
    }

    /// A crate has most releases; of others there may be a source package.
    fn sources_of(&self, release: &str) -> Option<Place> {
        Some(match source::find(release) {
            Ok(_) => Place::Source { path: source::CRATE.into(), revision: Some(release.to_owned()) },
            Err(_) => kit::place_of(release),
        })
    }

    fn pinned(&self, subject: &Subject, dirs: &Dirs) -> Outcome<Option<Place>> {
        match subject.place {
            Place::Source { .. } => Ok(place::check(subject, dirs, &self.launch)?.site.pinned()),
            _ => Ok(None),
        }
    }

    fn build_plan(&self, subject: &Subject, dirs: &Dirs, progress: &dyn Progress) -> Outcome<BuildPlan> {
        match place::check(subject, dirs, &self.launch)?.site {
            place::Site::Crate(entry, recipe) => Ok(source::plan(entry, &recipe, dirs)),
            place::Site::Sources(wanted) => kit::plan(&wanted, dirs, progress),
            place::Site::Catalogue(_) | place::Site::File(_) => Err(not_built(subject)),
        }
    }

    fn check(&self, subject: &Subject, dirs: &Dirs) -> Outcome<String> {
        place::check(subject, dirs, &self.launch).map(|found| found.release)
    }

    fn install(
        &self,
        subject: &Subject,
        dirs: &Dirs,
        progress: &dyn Progress,
    ) -> Outcome<Box<dyn Installation>> {
        install::install(subject, dirs, &self.launch, progress)
    }
}
