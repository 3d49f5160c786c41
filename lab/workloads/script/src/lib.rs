//! A user's own workload: a folder of scripts in pgbench's language. This crate reads and computes; it knows no server.
//!
//! `parse.rs` reads a script into commands, with `sql.rs` for its statements and `expression.rs` for what follows `\set`
//! and `\if`. `evaluate.rs` computes expressions. `folder.rs` reads the folder of a workload, with its
//! scripts. Random numbers come from the seed of an operation, so that every
//! subject gets the same values. The manual of pgbench is the specification of the language.

mod control;
mod draw;
mod evaluate;
mod expression;
mod folder;
mod function;
mod hash;
mod names;
mod operator;
mod parse;
mod permute;
mod source;
mod sql;
mod token;
mod value;

pub use evaluate::Variables;
pub use expression::Expression;
pub use folder::{Folder, ScriptTest};
pub use names::Names;
pub use parse::{Action, Command, Script};
pub use source::Source;
pub use sql::{Piece, Sql};
pub use value::Value;
