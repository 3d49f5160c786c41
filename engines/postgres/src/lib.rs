//! PostgreSQL, 9.6 and later: the sources of its builds, the settings that make its servers comparable, and
//! its sessions. Code of all engines with servers is in `kit`. README.md of this crate is for users.

mod catalogue;
mod cluster;
mod configurations;
mod counter;
mod dialect;
mod examine;
mod facts;
mod folders;
mod log;
mod postgres;
mod queue;
mod recipe;
mod schema;
mod survey;
mod url;

use humdrum_engine_kit::SqlEngine;

pub use postgres::Postgres;

/// The engine.
pub const ENGINE: SqlEngine<Postgres> = SqlEngine(&Postgres);

#[cfg(test)]
mod tests;
