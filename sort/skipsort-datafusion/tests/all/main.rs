//! Tests of the rule and its operator: beside DataFusion's own sorts (`differential.rs` and, of inputs that are sorted by a prefix,
//! `prefix.rs`, on tables of `tables.rs` with columns of `columns.rs`), what is refused and what is left behind (`refusals.rs`), inputs that go on (`streams.rs`),
//! and DataFusion's own sqllogictest files (`slt.rs`).

mod columns;
mod differential;
mod plans;
mod prefix;
mod refusals;
mod slt;
mod streams;
mod tables;
