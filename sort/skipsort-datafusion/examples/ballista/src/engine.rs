//! The rule on the executor, for plans of Ballista's adaptive planner, which does not look at the rules of a session.

use std::sync::Arc;

use ballista_core::JobId;
use ballista_core::execution_plans::RuntimeStatsExec;
use ballista_executor::execution_engine::{DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor};
use datafusion::common::tree_node::TreeNode;
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::prelude::SessionConfig;
use skipsort_datafusion::{SkipSortConfig, SkipSortExec, SkipSortRule};

/// Ballista's own engine, which is given plans with other sorts.
pub struct SkipSortEngine {
    stages: DefaultExecutionEngine,
    rule: SkipSortRule,
}

impl Default for SkipSortEngine {
    fn default() -> Self {
        // Ballista's pool of connections is private, so that an engine of one's own has none.
        let stages = DefaultExecutionEngine::new();
        SkipSortEngine { stages, rule: SkipSortRule::new(SkipSortConfig::default()) }
    }
}

impl SkipSortEngine {
    /// The plan of a task with its sorts replaced.
    ///
    /// A plan that measures a range shuffle stays as it is: Ballista looks for the measurements through the operators that it knows by
    /// name, `SortExec` among them.
    fn replaced(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if plan.exists(|node| Ok(node.is::<RuntimeStatsExec>()))? {
            return Ok(plan);
        }
        self.rule.optimize(plan, config.options())
    }
}

impl ExecutionEngine for SkipSortEngine {
    fn create_query_stage_exec(
        &self,
        job_id: JobId,
        stage_id: usize,
        task_id: usize,
        global_output_partition_ids: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let plan = self.replaced(plan, config)?;
        if plan.exists(|node| Ok(node.is::<SkipSortExec>()))? {
            let shown = displayable(plan.as_ref()).indent(false).to_string();
            log::info!("task {task_id} of stage {stage_id} runs\n{shown}");
        }
        self.stages.create_query_stage_exec(
            job_id,
            stage_id,
            task_id,
            global_output_partition_ids,
            plan,
            work_dir,
            config,
        )
    }
}
