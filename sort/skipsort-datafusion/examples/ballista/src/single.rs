//! The same query by DataFusion's own sort in one process, for the result that the cluster's must be equal to.

use std::sync::Arc;

use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{displayable, execute_stream};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};

use crate::args::Args;
use crate::digest::Digest;
use crate::{Result, SQL};

/// Runs it, and shows what came.
pub async fn run(args: &Args) -> Result {
    let memory = usize::try_from(args.bytes("memory", "4G")?)?;
    let mut runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(FairSpillPool::new(memory)));
    if let Some(folder) = args.optional("temp") {
        std::fs::create_dir_all(folder)?;
        runtime = runtime.with_temp_file_path(folder);
    }
    // Ballista reads strings as such and not as views.
    let config = SessionConfig::new()
        .set_bool("datafusion.execution.parquet.schema_force_view_types", false)
        .with_target_partitions(1)
        // What it spills it merges first, with the keys of all batches encoded, for which it keeps 10 MB by default and then fails.
        .with_sort_spill_reservation_bytes(memory / 2);
    let session = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
    session.register_parquet("t", args.text("data")?, ParquetReadOptions::default()).await?;
    let plan = session.sql(SQL).await?.create_physical_plan().await?;
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    println!("{}", Digest::of(execute_stream(plan, session.task_ctx())?).await?);
    println!("{}", shown.trim_end());
    Ok(())
}
