//! The traits between the stages and the plug-in folders: what an engine, a workload and a probe must be able
//! to do, and the conformance suite that says whether one does.
//!
//! Stages know these traits; folders under `engines/`, `lab/workloads/` and `lab/probes/` implement them; only
//! `cli` knows both.

mod clock;
pub mod conformance;
mod engine;
mod housekeeping;
mod kv;
mod overdue;
mod probe;
mod progress;
mod queue_sql;
mod random;
mod row_hash;
mod server;
mod socket;
mod sql;
mod steps;
mod waiting;
mod workload;

pub use clock::{Clock, HostClock};
pub use engine::{Configuration, Dirs, Engine, Installation, Release, Sizing};
pub use housekeeping::{housekeep, quantities};
pub use kv::{KvBatch, KvContents, KvData, KvDone, KvOperation, KvSession, KvStore};
pub use probe::{Probe, ProbeContext, ProbeFactory};
pub use progress::{Interrupt, Progress, Silent, Update};
pub use queue_sql::QueueSql;
pub use random::Random;
pub use row_hash::RowHash;
pub use server::{Connection, Process, Role, Server};
pub use socket::{Endpoint, Socket};
pub use sql::{
    Answer, Chore, Dialect, Gauge, Param, ParamType, PlanQuestion, Question, RowSource, SqlSession,
    Statement, TextRows, Wait, number_at,
};
pub use steps::{ClientStreams, Counts, StatementStream, StepSeat, StepWork, Steps};
pub use workload::{Batch, BatchDone, Client, Operation, Seat, Workload};

/// Result of anything that can fail in the lab.
pub type Outcome<T> = Result<T, humdrum_model::Fault>;
