//! The query on the cluster. Rows are read as they come, and none is kept.

use std::sync::Arc;

use ballista::prelude::SessionContextExt;
use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::extension::SessionConfigExt;
use datafusion::arrow::array::AsArray;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use datafusion_proto::protobuf::LogicalPlanNode;

use crate::args::Args;
use crate::digest::Digest;
use crate::{LOOPBACK, Result, SQL};

/// Shows what the scheduler would run.
pub async fn plan(args: &Args) -> Result {
    let session = connect(args).await?;
    for batch in session.sql(&format!("EXPLAIN {SQL}")).await?.collect().await? {
        let text = |column: usize| {
            batch.column(column).as_string_opt::<i32>().ok_or("a plan is not what it was in Ballista 55")
        };
        let (kinds, plans) = (text(0)?, text(1)?);
        for (kind, plan) in kinds.iter().flatten().zip(plans.iter().flatten()) {
            println!("== {kind}\n{}", plan.trim_end());
        }
    }
    Ok(())
}

/// Runs it, and shows what came and what ran.
pub async fn run(args: &Args) -> Result {
    let session = connect(args).await?;
    let plan = session.sql(SQL).await?.create_physical_plan().await?;
    let stream = execute_stream(Arc::clone(&plan), session.task_ctx())?;
    println!("{}", Digest::of(stream).await?);
    let Some(query) = plan.downcast_ref::<DistributedQueryExec<LogicalPlanNode>>() else {
        return Err(format!("{} ran here and not on the cluster", plan.name()).into());
    };
    println!("{}", query.explain_executed_plan(&session.copied_config(), true).await?);
    Ok(())
}

/// A session on the cluster with the table, each file of which is a partition.
async fn connect(args: &Args) -> Result<SessionContext> {
    let port: u16 = args.text("scheduler")?.parse()?;
    let folder = std::fs::canonicalize(args.text("data")?)?;
    let files = std::fs::read_dir(&folder)?.count();
    let config = SessionConfig::new_with_ballista().with_target_partitions(files.max(1));
    let state = SessionStateBuilder::new().with_default_features().with_config(config).build();
    let session = SessionContext::remote_with_state(&format!("df://{LOOPBACK}:{port}"), state).await?;
    let folder = folder.to_str().ok_or("the folder's name is not UTF-8")?;
    session.register_parquet("t", folder, ParquetReadOptions::default()).await?;
    Ok(session)
}
