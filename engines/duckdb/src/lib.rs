//! DuckDB, 1.2 and later: every release by its own library, in a worker process of its own.
//!
//! ```text
//!   catalogue.rs   releases that can be fetched     place.rs     what a subject names
//!   install.rs     getting a library                launch.rs    how a worker is started
//!   worker/        the worker's process: the library's C interface, the table, the queries
//! ```

mod catalogue;
mod install;
mod launch;
mod place;
mod worker;

use std::process::ExitCode;

use humdrum_contract::{Configuration, Dirs, Engine, Installation, Outcome, Progress, Release};
use humdrum_model::{Interface, Subject, Timings};

pub use launch::Launch;

/// The engine.
#[derive(Clone, Debug, Default)]
pub struct Duckdb {
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

impl Engine for Duckdb {
    fn name(&self) -> &'static str {
        "duckdb"
    }

    fn about(&self) -> &'static str {
        "DuckDB 1.2 to 1.5; a release, or a libduckdb.so of your own"
    }

    fn interface(&self) -> Interface {
        Interface::OrderBy
    }

    fn releases(&self, dirs: &Dirs) -> Vec<Release> {
        catalogue::entries().iter().map(|entry| install::release(entry, dirs)).collect()
    }

    fn configurations(&self) -> Vec<Configuration> {
        Vec::new()
    }

    /// A worker starts in some 30 ms. Measured, a million rows: made and written in 3 s.
    fn timings(&self) -> Timings {
        Timings {
            create_seconds: 0.2,
            restart_seconds: 0.2,
            load_seconds_per_row: 4.0e-6,
            copy: None,
            ..Timings::NONE
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
