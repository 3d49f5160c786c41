//! A conformance suite for engines that speak SQL, and one for key-value engines. An engine's tests call
//! `sql` or `kv` with a server of their own; an engine that passes can be measured. The suites assert only
//! what the stages rely on.

mod common;
mod kv;
mod sql;

pub use kv::kv;
pub use sql::{copies, sql};
