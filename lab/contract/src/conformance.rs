//! One suite for every engine that speaks SQL, and one for those that keep keys and values: an engine's tests call
//! `sql` or `kv` with a server of their own, and an engine that passes can be measured. They assert what the stages
//! rely on, no more.

mod common;
mod kv;
mod sql;

pub use kv::kv;
pub use sql::{copies, sql};
