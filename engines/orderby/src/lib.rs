//! The lab's end of workers that answer ordered queries: what engines with such workers share. What runs in the worker is
//! `engines/worker`.
//!
//! ```text
//!   server.rs     a worker process as a server       session.rs   the lab's end of a connection
//!   probe.rs      what a worker uses                 settings.rs  settings that a user typed
//! ```

mod probe;
mod server;
mod session;
pub mod settings;

pub use server::{Begin, Beginning, Build, OrderServer};
