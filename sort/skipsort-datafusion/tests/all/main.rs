//! Tests of the rule and its operator: beside DataFusion's own sort (`differential.rs`, on tables of `tables.rs`), what is
//! refused and what is left behind (`refusals.rs`), and DataFusion's own sqllogictest files (`slt.rs`).

mod differential;
mod plans;
mod refusals;
mod slt;
mod tables;
