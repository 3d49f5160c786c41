//! The traits between the stages and the plug-in folders: what an engine, a workload and a probe must do, and
//! a conformance suite for engines.
//!
//! Stages use these traits; folders under `engines/`, `lab/workloads/` and `lab/probes/` implement them; only
//! `cli` depends on both.

mod clock;
pub mod conformance;
mod counted;
mod dialect;
mod engine;
mod gauge;
#[cfg(unix)]
mod host_clock;
mod kv;
mod orderby;
mod outcome;
mod probe;
mod process;
mod progress;
mod queue_sql;
mod random;
mod row_hash;
mod schema_sql;
mod server;
mod sort;
mod sql;
mod steps;
mod survey;
mod workload;

pub use clock::Clock;
pub use counted::{
    Counted, CountedStatement, Placeholders, SAMPLING_MARK, StatementCounter, TableColumn, TableName,
    ValueKind, does_not_count,
};
pub use dialect::{Dialect, PlanQuestion, RunQuestion, WaitedQuestion, first_column};
pub use engine::{
    BuildPlan, Configuration, Dirs, Engine, Installation, Release, Sizing, Takes, Tool, not_built,
};
pub use gauge::{Chore, Gauge, Question, Wait, number_at};
#[cfg(unix)]
pub use host_clock::HostClock;
pub use kv::{KvBatch, KvContents, KvData, KvDone, KvOperation, KvSession, KvStore};
pub use orderby::{
    OrderBatch, OrderColumn, OrderDone, OrderKey, OrderMade, OrderQuery, OrderSession, OrderTable,
};
pub use outcome::Outcome;
pub use probe::{Probe, ProbeContext, ProbeFactory, ThreadWork};
pub use process::{Process, Role};
pub use progress::{Interrupt, Progress, Silent, Update};
pub use queue_sql::QueueSql;
pub use random::Random;
pub use row_hash::RowHash;
pub use schema_sql::SchemaSql;
pub use server::{Connection, Server};
pub use sort::{SortBatch, SortDone, SortKeys, SortMade, SortSession};
pub use sql::{
    Answer, Column, Fetched, Param, ParamType, Pipeline, RowSource, SqlSession, Statement, TextRows,
};
pub use steps::{ClientStreams, Counts, StatementStream, StepSeat, StepWork, Steps};
pub use survey::{DumpProgram, Survey};
pub use workload::{Batch, BatchDone, Client, Operation, Seat, Workload};
