//! A conformance suite for engines that speak SQL, one for key-value engines, and one for engines that answer ordered queries.
//! An engine's tests call `sql`, `kv` or `orderby` with a server of their own; an engine that passes can be measured. The suites assert only
//! what the stages rely on.

mod common;
mod kv;
mod orderby;
mod sql;

pub use kv::kv;
pub use orderby::orderby;
pub use sql::{copies, sql};
