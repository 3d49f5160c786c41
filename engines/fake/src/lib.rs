//! A scripted engine on a virtual clock.
//!
//! Speaks the SQL of the lab's workloads without holding data (`fake-kv`: keeps keys and values instead): a model of latency says how long each statement
//! takes, and a virtual clock moves by that much. So a whole comparison runs in milliseconds, always in the
//! same way, and slowdowns, noise, crashes, hangs and wrong answers can be ordered (`script.rs` lists them).
//! It proves that the alarm rings; it says nothing about any real server.

mod clock;
mod dialect;
mod engine;
mod kv;
mod latency;
mod noise;
mod probe;
mod queue;
mod script;
mod server;
mod session;
mod state;
mod stores;
mod turns;
mod work;

pub use engine::{Fake, FakeKv};
