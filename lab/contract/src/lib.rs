//! The traits between the stages and the plug-in folders: what an engine, a workload and a probe must be able
//! to do, and the conformance suite that says whether one does.
//!
//! Stages know these traits; folders under `engines/`, `lab/workloads/` and `lab/probes/` implement them; only
//! `cli` knows both.

mod clock;
pub mod conformance;
mod engine;
mod probe;
mod progress;
mod server;
mod sql;
mod workload;

pub use clock::{Clock, HostClock};
pub use engine::{Configuration, Engine, House, Installation, Release, Sizing};
pub use probe::{Probe, ProbeContext, ProbeFactory};
pub use progress::{Interrupt, Progress, Silent, Update};
pub use server::{Connection, Process, Role, Server};
pub use sql::{Answer, Dialect, Param, ParamType, RowSource, SqlSession, Statement};
pub use workload::{Client, Workload};

/// Result of anything that can fail in the lab.
pub type Outcome<T> = Result<T, humdrum_model::Fault>;
