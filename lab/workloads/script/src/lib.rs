//! A user's own workload: a folder of scripts in pgbench's language.
//!
//! `parse.rs` reads a script into commands, with `sql.rs` for its statements and `expression.rs` for what follows `\set`
//! and `\if`. `evaluate.rs` computes expressions. `folder.rs` reads the folder of a workload with its scripts, and
//! `written.rs` its `workload.toml`. `workload.rs` makes it a workload of the lab: `machine.rs` runs a script from one
//! statement to the next, `client.rs` sends them (`pipeline.rs` says where pipelines may be), `tables.rs` creates, fills and
//! sums up the tables, `condition.rs` checks what must hold of them after all work, `data.rs` makes their rows, and `dump.rs`
//! restores those of a dump. Random numbers
//! come from the seed of an operation, so that every subject gets the same values. The manual of pgbench is the
//! specification of the language.

mod checksum;
mod client;
mod condition;
mod control;
mod data;
mod draw;
mod dump;
mod effect;
mod evaluate;
mod example;
mod expression;
mod folder;
mod function;
#[cfg(fuzzing)]
pub mod fuzzing;
mod given;
mod hash;
mod machine;
mod names;
mod operator;
mod parse;
mod permute;
mod pipeline;
mod sample;
mod source;
mod sql;
mod tables;
mod token;
mod value;
mod workload;
mod written;

pub use condition::Condition;
pub use effect::Effect;
pub use evaluate::Variables;
pub use example::example;
pub use expression::Expression;
pub use folder::{Folder, ScriptTest};
pub use given::Given;
pub use names::Names;
pub use parse::{Action, Command, Script};
pub use pipeline::Mark;
pub use sample::{Opener, Samples};
pub use source::Source;
pub use sql::{Keep, Piece, Sql};
pub use value::Value;
pub use workload::Own;
pub use written::{NamedScale, Protocol};
