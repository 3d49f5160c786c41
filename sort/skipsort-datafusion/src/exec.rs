//! The operator: a `SortExec` in all that planning sees, with another `execute`.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{CardinalityEffect, ReplaceChildrenOptions};
use datafusion::physical_plan::filter_pushdown::{FilterDescription, FilterPushdownPhase};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, PlanProperties,
};
use futures::StreamExt;

use crate::SkipSortConfig;
use crate::external::can_carry;
use crate::intake::Intake;
use crate::keys::{KeyMaker, fields};
use crate::metrics::SortMetrics;

/// Sorts each partition of its input.
///
/// What it promises to other operators (order, partitions, statistics, dynamic filters) is what the `SortExec` says that it
/// stands for. That one is also who runs where there is nothing to sort (a sorted input), and for small limits.
#[derive(Clone, Debug)]
pub struct SkipSortExec {
    inner: Arc<SortExec>,
    config: SkipSortConfig,
    metrics: ExecutionPlanMetricsSet,
}

impl SkipSortExec {
    /// In place of this sort; none, where arrow-row does not encode its keys or its columns.
    pub fn replacing(sort: &SortExec, config: SkipSortConfig) -> Option<Self> {
        let schema = sort.input().schema();
        let encodes = |fields: &Vec<_>| datafusion::arrow::row::RowConverter::supports_fields(fields);
        let able = can_carry(&schema) && fields(sort.expr(), &schema).as_ref().is_ok_and(encodes);
        able.then(|| SkipSortExec::of(Arc::new(sort.clone()), config))
    }

    fn of(inner: Arc<SortExec>, config: SkipSortConfig) -> Self {
        SkipSortExec { inner, config, metrics: ExecutionPlanMetricsSet::new() }
    }

    /// The same around another plan, which is a sort if it comes from one.
    fn around(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(sort) = plan.downcast_ref::<SortExec>() else {
            return internal_err!("a SortExec became a {}", plan.name());
        };
        Ok(Arc::new(SkipSortExec::of(Arc::new(sort.clone()), self.config)))
    }

    fn inner(&self) -> Arc<dyn ExecutionPlan> {
        Arc::clone(&self.inner) as _
    }
}

impl DisplayAs for SkipSortExec {
    fn fmt_as(&self, t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(t, DisplayFormatType::TreeRender) {
            // It writes its own name, so that this is what remains of it.
            f.write_str("Skip")?;
        }
        self.inner.fmt_as(t, f)
    }
}

impl ExecutionPlan for SkipSortExec {
    fn name(&self) -> &'static str {
        "SkipSortExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        self.input_distribution_requirements().into_per_child()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.inner.input_distribution_requirements()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        self.inner.benefits_from_input_partitioning()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inner.children()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.inner.apply_expressions(f)
    }

    fn dynamic_expressions_produced(&self) -> Vec<Arc<dyn PhysicalExpr>> {
        self.inner.dynamic_expressions_produced()
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.around(&self.inner().replace_children(children, options)?)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        #[expect(deprecated, reason = "required as long as DataFusion has it")]
        let inner = self.inner().with_new_children(children)?;
        self.around(&inner)
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        self.around(&self.inner().reset_state()?)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (input, fetch) = (self.inner.input(), self.inner.fetch());
        let sorted = input.equivalence_properties().ordering_satisfy(self.inner.expr().clone())?;
        if sorted || fetch.is_some_and(|rows| rows <= self.config.top_k_most) {
            return self.inner.execute(partition, context);
        }
        let schema = input.schema();
        let keys = KeyMaker::new(self.inner.expr(), &schema)?;
        let mut input = input.execute(partition, Arc::clone(&context))?;
        let mut output = RecordBatchReceiverStreamBuilder::new(Arc::clone(&schema), 2);
        let metrics = SortMetrics::new(&self.metrics, partition);
        let mut intake = Intake::new(keys, schema, fetch, &context, output.tx(), metrics);
        output.spawn(async move {
            while let Some(batch) = input.next().await {
                intake.push(batch?)?;
            }
            drop(input);
            // Sorting takes longer than a task may keep a thread of the runtime. Dropping the stream ends it: then the
            // next batch finds nobody who takes it.
            datafusion::common::runtime::SpawnedTask::spawn_blocking(move || intake.finish())
                .join_unwind()
                .await
                .map_err(|error| datafusion::common::DataFusionError::External(Box::new(error)))?
        });
        Ok(output.build())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        let mut all = self.metrics.clone_inner();
        self.inner.metrics().iter().flat_map(MetricsSet::iter).for_each(|one| all.push(Arc::clone(one)));
        Some(all)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.inner.child_stats_requests(partition)
    }

    fn statistics_from_inputs(
        &self,
        input_stats: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.inner.statistics_from_inputs(input_stats, args)
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let inner = Arc::new(SortExec::with_fetch(&self.inner, limit));
        Some(Arc::new(SkipSortExec::of(inner, self.config)))
    }

    fn fetch(&self) -> Option<usize> {
        self.inner.fetch()
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        self.inner.cardinality_effect()
    }

    fn gather_filters_for_pushdown(
        &self,
        phase: FilterPushdownPhase,
        parent_filters: Vec<Arc<dyn PhysicalExpr>>,
        config: &ConfigOptions,
    ) -> Result<FilterDescription> {
        self.inner.gather_filters_for_pushdown(phase, parent_filters, config)
    }
}
