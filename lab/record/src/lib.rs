//! Stage 5: the results file.
//!
//! A run has one SQLite file. Every block is committed when it ends, so that a killed run keeps all its blocks. The
//! tables can be read with the sqlite3 shell; `schema.sql` explains them.

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
