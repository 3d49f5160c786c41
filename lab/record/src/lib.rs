//! Stage 5: the results file.
//!
//! One SQLite file per run. Every block is committed as it ends, so that a run which is killed keeps all that
//! it measured; every table can be read with the sqlite3 shell (`schema.sql` explains them) for ever.

mod amend;
mod append;
mod examinations;
mod faults;
mod folder;
mod json;
mod lock;
mod migrate;
mod open;
mod read;
mod states;
mod steps;
mod store;

pub use folder::{ResultsFolder, write_whole};
pub use migrate::SCHEMA;
pub use store::Store;
