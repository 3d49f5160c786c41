//! Stage 5: the results file, and the history of this host.
//!
//! One SQLite file per run. Every block is committed as it ends, so that a run which is killed keeps all that
//! it measured; every table can be read with the sqlite3 shell (`schema.sql` explains them) for ever.
//!
//! Beside them one small SQLite file in the cache folder: what all runs on this host found (`history`).

mod amend;
mod append;
mod examinations;
mod faults;
pub mod history;
mod json;
mod lock;
mod migrate;
mod open;
mod read;
mod states;
mod steps;
mod store;

pub use history::History;
pub use migrate::SCHEMA;
pub use store::Store;
