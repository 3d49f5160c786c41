//! PostgreSQL, 9.6 and later: where its builds come from, how its servers are made alike, and how to talk to
//! them. README.md beside this crate tells the same to people.

mod catalogue;
mod configurations;
mod dialect;
mod examine;
mod external;
mod facts;
mod install;
mod log;
mod place;
mod queue;
mod server;
mod session;
mod settings_check;
mod url;

use humdrum_contract::{Configuration, Dirs, Engine, Installation, Outcome, Progress, Release, Sizing};
use humdrum_model::{CopyTimings, Interface, Subject, Timings};

pub use dialect::Postgres as PostgresDialect;
pub use session::{Endpoint, Target, connect};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Postgres;

/// Half of what two servers took together on two processors, as told by
/// `humdrum compare a=postgres@17.7 b=postgres@17.7+fpw0 --tests update-nonindex,insert --scale medium --budget 110s -v`
/// beside a compiler on one of them: load and check a million rows 13 s, end 0.2 s, copy 1.1 s, start, read in and check
/// 5.3 s, pay 1.5 s. Idle, it is two thirds of that.
const TIMINGS: Timings = Timings {
    create_seconds: 1.0,
    restart_seconds: 0.25,
    load_seconds_per_row: 4.5e-6,
    copy: Some(CopyTimings { seconds: 0.1, seconds_per_row: 2.0e-6 }),
    settle_seconds: 0.3,
    settle_seconds_per_row: 0.0,
};

impl Engine for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn about(&self) -> &'static str {
        "PostgreSQL 9.6 to 18; a release, a folder of an installed build, or a running server by URL"
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    fn releases(&self, dirs: &Dirs) -> Vec<Release> {
        catalogue::entries().iter().map(|entry| install::release(entry, dirs)).collect()
    }

    fn configurations(&self) -> Vec<Configuration> {
        configurations::list()
    }

    fn timings(&self) -> Timings {
        TIMINGS
    }

    fn cache_bytes(&self, sizing: &Sizing) -> u64 {
        shared_mib(sizing) << 20
    }

    fn check(&self, subject: &Subject, dirs: &Dirs) -> Outcome<String> {
        place::check(subject, dirs).map(|found| found.release)
    }

    fn install(
        &self,
        subject: &Subject,
        dirs: &Dirs,
        progress: &dyn Progress,
    ) -> Outcome<Box<dyn Installation>> {
        install::install(subject, dirs, progress)
    }
}

/// MiB of the shared buffers: the reference gives them 23 of 32 GB; the rest is for sessions and the kernel.
fn shared_mib(sizing: &Sizing) -> u64 {
    (sizing.memory_bytes.min(32 << 30) * 23 / 32 / (1 << 20)).max(32)
}
