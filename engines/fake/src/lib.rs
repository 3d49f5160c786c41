//! A scripted engine on a virtual clock.
//!
//! It understands the SQL of the lab's workloads without holding data (`fake-kv` keeps keys and values). A
//! model gives the latency of each statement, and a virtual clock advances by it. So a whole comparison runs
//! in milliseconds and always in the same way. Settings inject slowdowns, noise, crashes, hangs and wrong
//! answers (`script.rs` lists them). It tests that the lab finds changes and failures; it shows nothing about
//! real servers.

mod clock;
mod counted;
mod counter;
mod define;
mod dialect;
mod engine;
mod explain;
mod kv;
mod latency;
mod noise;
mod pipeline;
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
