//! PostgreSQL, 9.6 and later: where its builds come from, how its servers are made alike, and how to talk to
//! them. README.md beside this crate tells the same to people.

mod catalogue;
mod configurations;
mod dialect;
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

use humdrum_contract::{Configuration, Engine, House, Installation, Outcome, Progress, Release};
use humdrum_model::{Interface, Subject};

pub use dialect::Postgres as PostgresDialect;
pub use session::{Endpoint, Target, connect};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Postgres;

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

    fn releases(&self, house: &House) -> Vec<Release> {
        catalogue::entries().iter().map(|entry| install::release(entry, house)).collect()
    }

    fn configurations(&self) -> Vec<Configuration> {
        configurations::list()
    }

    fn check(&self, subject: &Subject, house: &House) -> Outcome<String> {
        place::check(subject, house).map(|found| found.release)
    }

    fn install(
        &self,
        subject: &Subject,
        house: &House,
        progress: &dyn Progress,
    ) -> Outcome<Box<dyn Installation>> {
        install::install(subject, house, progress)
    }
}
