//! The scheduler. It plans queries, so the rule is one of its sessions; and it sends plans, so it has the codec.

use std::sync::Arc;

use ballista_core::config::{BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, TaskSchedulingPolicy};
use ballista_core::extension::SessionConfigExt;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::SessionBuilder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use skipsort_datafusion::{SkipSortConfig, SkipSortRule};
use tokio::net::TcpListener;

use crate::args::Args;
use crate::codec::codec;
use crate::{LOOPBACK, Result};

/// An executor that has not asked for work for so long is lost. One whose cores are all busy asks every 5 seconds.
const LOST_AFTER_SECONDS: u64 = 30;

/// How often the scheduler looks for lost executors.
const LOOK_EVERY_SECONDS: u64 = 5;

/// Serves until the process ends.
pub async fn run(args: &Args) -> Result {
    let adaptive = args.is_second("planner", ["static", "adaptive"])?;
    let asked: u16 = args.number("port", 0)?;
    let listener = TcpListener::bind((LOOPBACK, asked)).await?;
    let port = listener.local_addr()?.port();
    let config = Arc::new(SchedulerConfig {
        bind_host: LOOPBACK.into(),
        external_host: LOOPBACK.into(),
        bind_port: port,
        // Executors ask for tasks, and need no port on which they are given them.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: LOST_AFTER_SECONDS,
        expire_dead_executor_interval_seconds: LOOK_EVERY_SECONDS,
        // A result would be deleted while a slow client reads it.
        finished_job_data_clean_up_interval_seconds: 0,
        override_session_builder: Some(session_builder(adaptive)),
        override_physical_codec: Some(codec()),
        ..SchedulerConfig::default()
    });
    config.validate()?;
    let cluster = BallistaCluster::new_from_config(&config).await?;
    let server = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config).await?;
    // The port is written at once or not at all, because who waits for the file reads it as soon as it is there.
    let file = args.text("port-file")?;
    let half = format!("{file}.part");
    std::fs::write(&half, port.to_string())?;
    std::fs::rename(half, file)?;
    start_grpc_service_with_listener(listener, server).await?;
    Ok(())
}

/// Sessions with the rule, for all clients.
///
/// The adaptive planner, which is Ballista's default, has its own list of rules and does not look at the session's; with it, the
/// executors have to replace the sorts (`engine.rs`).
fn session_builder(adaptive: bool) -> SessionBuilder {
    Arc::new(move |config: SessionConfig| -> datafusion::error::Result<SessionState> {
        let config = config
            .with_ballista_adaptive_query_planner(adaptive)
            // An executor that asks for tasks counts each as one core, however many partitions it has, and its memory with it.
            .set_usize(BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, 1);
        let state = default_session_builder(config)?;
        if adaptive {
            return Ok(state);
        }
        let id = state.session_id().to_owned();
        let rule = Arc::new(SkipSortRule::new(SkipSortConfig::default()));
        let builder = SessionStateBuilder::new_from_existing(state).with_physical_optimizer_rule(rule);
        // A builder gives a session another name unless it is told.
        Ok(builder.with_session_id(id).build())
    })
}
