//! Stage 5: the results file, and the history of this host.
//!
//! A run has one SQLite file. Every block is committed when it ends, so that a killed run keeps all its blocks. The
//! tables can be read with the sqlite3 shell; `schema.sql` explains them.
//!
//! In addition, a small SQLite file in the cache folder holds results of all runs on this host (`history`), and how often
//! verdicts were wrong where the truth was known (`selftests`).

mod amend;
mod append;
mod begun;
pub mod certificate;
mod examinations;
mod faults;
mod folder;
mod head;
pub mod history;
mod host_readings;
mod json;
mod judgement;
mod lock;
mod migrate;
mod open;
mod pooled;
mod read;
mod run_rates;
mod runs;
pub mod selftests;
mod shards;
mod site_folder;
mod states;
mod steps;
mod store;

pub use begun::Begun;
pub use folder::{ResultsFolder, bisect_folder, selftest_folder, today, write_whole};
pub use history::History;
pub use judgement::{as_host, only_shards_judgement};
pub use migrate::SCHEMA;
pub use shards::{KeptShards, shards_in};
pub use site_folder::SiteFolder;
pub use store::Store;
