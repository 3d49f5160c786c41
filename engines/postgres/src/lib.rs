//! PostgreSQL, 9.6 and later: where its builds come from, how its servers are made alike, and how to talk to
//! them. What all engines with servers share lies in `kit`. README.md beside this crate tells the same to people.

mod catalogue;
mod cluster;
mod configurations;
mod dialect;
mod examine;
mod facts;
mod folders;
mod log;
mod postgres;
mod queue;
mod url;

use humdrum_engine_kit::SqlEngine;

pub use postgres::Postgres;

/// The engine.
pub const ENGINE: SqlEngine<Postgres> = SqlEngine(&Postgres);

#[cfg(test)]
mod tests;
