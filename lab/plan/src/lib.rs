//! Stage 1: command line or TOML to a checked plan and its schedule.
//!
//! `Request` is what a user asked for, from either source. `check` turns it into a `Plan` that can be run, or
//! refuses it and says what to type instead. `design` computes the design that fits a budget. `next_session`
//! returns the next session. This crate does not measure and does not use the network.

mod builds;
mod check;
mod design;
mod dry_run;
mod experiment;
mod for_host;
mod fresh;
mod from;
mod fsync_delay;
mod injection;
mod judging;
mod matrix;
mod memory;
mod neighbours;
mod newer;
mod numbers;
mod order;
mod overrides;
mod policy;
mod quantity;
mod request;
mod scale;
mod schedule;
mod shard;
mod slices;
mod spans;
mod steps;
mod subject;
mod suggest;
mod tests_wanted;
mod turns;

pub use check::check;
pub use design::{
    Measured, affordable_seconds, design, once_seconds, session_overhead_seconds, sums_contents,
};
pub use dry_run::{Need, Outlook, dry_run, log_need, spread};
pub use experiment::Experiment;
pub use for_host::ForHost;
pub use from::{from, patch};
pub use injection::{injected, injection};
pub use matrix::Matrix;
pub use neighbours::neighbours;
pub use newer::{Newer, newer, newest};
pub use order::{block_seed, order};
pub use overrides::Overrides;
pub use policy::{POLICY_FILE, Policy};
pub use quantity::{parse_bytes, parse_count, parse_duration, parse_fraction};
pub use request::{Request, SUITE_DEFAULT};
pub use scale::parse_scale;
pub use schedule::{
    SLICE_CHECK_FACTOR, SessionPlan, Spent, next_session, planned_overhead_seconds, session_subjects,
    slice_check_tests,
};
pub use shard::{parse_shard, shard};
pub use spans::spans;
pub use steps::{StepNeed, chunk, chunks, dry_run_steps};
pub use subject::parse_subject;
pub use suggest::{closest, did_you_mean};
pub use tests_wanted::test_names;
pub use turns::turns;
