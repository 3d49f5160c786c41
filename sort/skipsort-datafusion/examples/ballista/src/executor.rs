//! An executor with a bounded memory. It reads the plans that the scheduler sends, so it has the codec.

use std::net::TcpListener;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::execution_engine::ExecutionEngine;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};

use crate::args::Args;
use crate::codec::codec;
use crate::engine::SkipSortEngine;
use crate::{LOOPBACK, Result};

/// Serves until the process ends.
pub async fn run(args: &Args) -> Result {
    // Ballista tells others the port that it was asked for, so it cannot be asked for any.
    let port = match args.number::<u16>("port", 0)? {
        0 => TcpListener::bind((LOOPBACK, 0))?.local_addr()?.port(),
        port => port,
    };
    // Runs and shuffle files are in this folder.
    let folder = args.text("work-dir")?;
    std::fs::create_dir_all(folder)?;
    let by_executor = args.is_second("rule", ["scheduler", "executor"])?;
    let engine = by_executor.then(|| Arc::new(SkipSortEngine::default()) as Arc<dyn ExecutionEngine>);
    let config = ExecutorProcessConfig {
        bind_host: LOOPBACK.into(),
        external_host: Some(LOOPBACK.into()),
        port,
        // It asks for tasks, so nobody calls it; Ballista sends the number all the same.
        grpc_port: 0,
        scheduler_host: LOOPBACK.into(),
        scheduler_port: args.text("scheduler")?.parse()?,
        scheduler_connect_timeout_seconds: 30,
        vcores: args.number("vcores", 2)?,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(folder.into()),
        // Each task has a pool of its own, a core's share of these bytes.
        memory_pool_size: Some(args.bytes("memory", "512M")?),
        override_physical_codec: Some(codec()),
        override_execution_engine: engine,
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await?;
    Ok(())
}
