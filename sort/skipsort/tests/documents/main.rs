//! Documents that are made from sources and records, and must agree with them.

mod made;
mod public_api;
mod readme;
mod unsafe_table;
mod verdicts;
