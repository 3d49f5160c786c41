//! Sorting more rows than fit into memory.
//!
//! Rows are pushed into memory (`sorter.rs`) or read there (`records/`), sorted and spilled (`spill.rs`, `emit.rs`), and
//! merged (`merge/`) into an iterator (`sorted.rs`) or by all threads into an output (`output/`). `run/` has the format
//! of runs, `storage/` where they are kept, `memory/` how much of it is used.
//!
#![doc = include_str!("../README.md")]

mod bytes;
mod crew;
mod emit;
mod error;
mod memory;
mod merge;
mod options;
mod order;
mod output;
mod progress;
pub mod records;
mod run;
mod sorted;
mod sorter;
mod source;
mod spill;
mod storage;

pub use error::{Error, Result, RunName};
pub use options::Options;
pub use progress::{Meter, Phase, Progress};
pub use sorted::{Row, Sorted};
pub use sorter::ExternalSorter;
pub use storage::{FileStorage, MemoryStorage, Storage, StoredRun};
