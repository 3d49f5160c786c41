//! The operator above a sort of several partitions: one sort of all of them by several threads, where DataFusion sorts each and then
//! merges them by one.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::sort_expr::OrderingRequirements;
use datafusion::physical_plan::execution_plan::{CardinalityEffect, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use futures::StreamExt;
use futures::stream::poll_fn;

use crate::exec::SkipSortExec;

/// Stands for a `SortPreservingMergeExec` over a [`SkipSortExec`], and is one for all who ask: planners that cut a plan there find it,
/// and a plan that is serialized has DataFusion's own.
#[derive(Debug)]
pub(crate) struct MergeExec {
    /// A `SortPreservingMergeExec`.
    inner: Arc<dyn ExecutionPlan>,
    /// Rows that came from the one sort.
    metrics: ExecutionPlanMetricsSet,
}

impl MergeExec {
    /// In place of this merge, if what it merges is sorted by this crate; none for other operators.
    pub(crate) fn replacing(merge: &Arc<dyn ExecutionPlan>) -> Option<Self> {
        // It passes for what it stands for, and would stand for itself where the rule runs again.
        let is_one = (merge.as_ref() as &dyn Any).is::<MergeExec>();
        let of = merge.downcast_ref::<SortPreservingMergeExec>().filter(|_| !is_one)?;
        let sort = of.input().downcast_ref::<SkipSortExec>()?;
        sort.merges(of.expr(), of.fetch())
            .then(|| MergeExec { inner: Arc::clone(merge), metrics: Default::default() })
    }

    /// The same around another merge; or the merge itself, if this crate does not sort what it merges.
    fn with_inner(inner: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        match MergeExec::replacing(&inner) {
            Some(merge) => Arc::new(merge),
            None => inner,
        }
    }
}

impl DisplayAs for MergeExec {
    fn fmt_as(&self, t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(t, DisplayFormatType::TreeRender) {
            // It writes its own name, so that this is what remains of it.
            f.write_str("Skip")?;
        }
        self.inner.fmt_as(t, f)
    }
}

impl ExecutionPlan for MergeExec {
    fn name(&self) -> &'static str {
        "SkipSortPreservingMergeExec"
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(self.inner.as_ref())
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        match self.inner.children()[0].downcast_ref::<SkipSortExec>() {
            Some(sort) if partition == 0 => {
                let rows = BaselineMetrics::new(&self.metrics, partition);
                let mut sorted = sort.execute_all(self.inner.fetch(), &context)?;
                let counted = poll_fn(move |task| rows.record_poll(sorted.poll_next_unpin(task)));
                Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), counted)))
            }
            _ => self.inner.execute(partition, context),
        }
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.inner.properties()
    }

    fn required_input_distribution(&self) -> Vec<datafusion::physical_plan::Distribution> {
        self.input_distribution_requirements().into_per_child()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.inner.input_distribution_requirements()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.inner.required_input_ordering()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.inner.maintains_input_order()
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

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(MergeExec::with_inner(Arc::clone(&self.inner).replace_children(children, options)?))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        #[expect(deprecated, reason = "required as long as DataFusion has it")]
        let inner = Arc::clone(&self.inner).with_new_children(children)?;
        Ok(MergeExec::with_inner(inner))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(MergeExec::with_inner(Arc::clone(&self.inner).reset_state()?))
    }

    /// Those of the merge, if that was asked for instead.
    fn metrics(&self) -> Option<MetricsSet> {
        let own = self.metrics.clone_inner();
        if own.iter().next().is_some() { Some(own) } else { self.inner.metrics() }
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

    fn supports_limit_pushdown(&self) -> bool {
        self.inner.supports_limit_pushdown()
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        self.inner.with_fetch(limit).map(MergeExec::with_inner)
    }

    fn fetch(&self) -> Option<usize> {
        self.inner.fetch()
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        self.inner.cardinality_effect()
    }

    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        self.inner.try_swapping_with_projection(projection)
    }

    fn with_preserve_order(&self, preserve_order: bool) -> Option<Arc<dyn ExecutionPlan>> {
        self.inner.with_preserve_order(preserve_order).map(MergeExec::with_inner)
    }

    #[cfg(feature = "proto")]
    fn try_to_proto(
        &self,
        ctx: &datafusion::physical_plan::proto::ExecutionPlanEncodeCtx<'_>,
    ) -> Result<Option<datafusion_proto::protobuf::PhysicalPlanNode>> {
        self.inner.try_to_proto(ctx)
    }
}
