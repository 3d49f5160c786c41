//! The operator: in all that planning sees the sort that it stands for, with another `execute`.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use datafusion::arrow::row::RowConverter;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{CardinalityEffect, ReplaceChildrenOptions};
use datafusion::physical_plan::filter_pushdown::{FilterDescription, FilterPushdownPhase};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::sorts::partial_sort::PartialSortExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, PlanProperties,
};

use crate::SkipSortConfig;
use crate::carried::can_carry;
use crate::groups::{self, Groups};
use crate::intake::Intake;
use crate::keys::{KeyMaker, fields};
use crate::metrics::SortMetrics;

/// Sorts each partition of its input.
///
/// What it promises to other operators (order, partitions, statistics, dynamic filters) is what the `SortExec` or `PartialSortExec` says
/// that it stands for. A `SortExec` also runs itself where there is nothing to sort (a sorted input), and for small limits. An input
/// that is sorted by a prefix of the order is sorted group by group of equal prefixes.
#[derive(Clone, Debug)]
pub struct SkipSortExec {
    /// A `SortExec` or a `PartialSortExec`.
    inner: Arc<dyn ExecutionPlan>,
    order: LexOrdering,
    /// By how many expressions of the order the input is sorted.
    prefix: usize,
    config: SkipSortConfig,
    metrics: ExecutionPlanMetricsSet,
}

impl SkipSortExec {
    /// In place of this `SortExec` or `PartialSortExec`; none for other operators, and where arrow-row does not encode the keys or the
    /// columns.
    pub fn replacing(sort: &Arc<dyn ExecutionPlan>, config: SkipSortConfig) -> Option<Self> {
        let schema = sort.schema();
        let keys = fields(order_of(sort)?, &schema).ok()?;
        let able = can_carry(&schema) && RowConverter::supports_fields(&keys);
        if able { SkipSortExec::around(Arc::clone(sort), config).ok() } else { None }
    }

    fn around(inner: Arc<dyn ExecutionPlan>, config: SkipSortConfig) -> Result<Self> {
        let Some(order) = order_of(&inner).cloned() else {
            return internal_err!("a sort became a {}", inner.name());
        };
        let prefix = sorted_prefix(inner.children()[0], &order)?;
        Ok(SkipSortExec { inner, order, prefix, config, metrics: ExecutionPlanMetricsSet::new() })
    }

    /// The same around another plan, which is a sort if it comes from one.
    fn with_inner(&self, inner: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SkipSortExec::around(inner, self.config)?))
    }

    /// The sort that it stands for.
    pub(crate) fn inner(&self) -> Arc<dyn ExecutionPlan> {
        Arc::clone(&self.inner)
    }

    fn input(&self) -> &Arc<dyn ExecutionPlan> {
        self.inner.children()[0]
    }

    /// Whether it sorts all partitions at once for who would merge them in this order, as far as `fetch`.
    pub(crate) fn merges(&self, order: &LexOrdering, fetch: Option<usize>) -> bool {
        // A limit of each partition is one of all where the merge has none that is larger.
        let limited = self.inner.fetch().is_none_or(|each| fetch.is_some_and(|all| all <= each));
        *order == self.order && self.prefix == 0 && limited && !self.runs_inner()
    }

    /// Sorts all partitions of the input at once, by as many threads; the first `fetch` rows are wanted.
    pub(crate) fn execute_all(
        &self,
        fetch: Option<usize>,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let partitions = self.input().output_partitioning().partition_count();
        let input = |partition| self.input().execute(partition, Arc::clone(context));
        let inputs = (0..partitions).map(input).collect::<Result<Vec<_>>>()?;
        let threads = NonZeroUsize::new(partitions).unwrap_or(NonZeroUsize::MIN);
        let (mut output, intake) = self.intake(0, fetch, threads, context)?;
        output.spawn(groups::sort_all(inputs, intake));
        Ok(output.build())
    }

    /// Where a sort takes its rows in, and the stream that it sends them to.
    fn intake(
        &self,
        partition: usize,
        fetch: Option<usize>,
        threads: NonZeroUsize,
        context: &TaskContext,
    ) -> Result<(RecordBatchReceiverStreamBuilder, Arc<Intake>)> {
        let schema = self.input().schema();
        let few = KeyMaker::beside_batches(&self.order, &schema)?;
        let keys = (KeyMaker::new(&self.order, &schema)?, few, self.config.in_batches_most);
        let output = RecordBatchReceiverStreamBuilder::new(Arc::clone(&schema), 2);
        let metrics = SortMetrics::new(&self.metrics, partition);
        let intake = Intake::new(keys, schema, fetch, threads, context, output.tx(), metrics);
        Ok((output, Arc::new(intake)))
    }

    /// Whether the sort that it stands for runs itself. Only a `SortExec` has a TopK.
    fn runs_inner(&self) -> bool {
        let schema = self.input().schema();
        // DataFusion's TopK of nested keys skips rows that its filter takes to be beyond the limit: those with a null inside.
        let nested =
            self.order.iter().any(|sort| sort.expr.data_type(&schema).is_ok_and(|of| of.is_nested()));
        let top_k_most = if self.inner.is::<SortExec>() && !nested { self.config.top_k_most } else { 0 };
        self.prefix == self.order.len() || self.inner.fetch().is_some_and(|rows| rows <= top_k_most)
    }

    #[cfg(feature = "proto")]
    pub(crate) fn config(&self) -> SkipSortConfig {
        self.config
    }
}

/// The order of a sort.
fn order_of(plan: &Arc<dyn ExecutionPlan>) -> Option<&LexOrdering> {
    match plan.downcast_ref::<SortExec>() {
        Some(sort) => Some(sort.expr()),
        None => plan.downcast_ref::<PartialSortExec>().map(PartialSortExec::expr),
    }
}

/// By how many expressions of the order the input is sorted, in each partition.
fn sorted_prefix(input: &Arc<dyn ExecutionPlan>, order: &LexOrdering) -> Result<usize> {
    let known = input.equivalence_properties();
    // Asked first, because a constraint of a table may answer it for the whole and for no prefix.
    if known.ordering_satisfy(order.clone())? {
        return Ok(order.len());
    }
    let mut sorted = 0;
    while sorted < order.len() && known.ordering_satisfy(order[..=sorted].to_vec())? {
        sorted += 1;
    }
    Ok(sorted)
}

impl DisplayAs for SkipSortExec {
    fn fmt_as(&self, t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(t, DisplayFormatType::TreeRender) {
            return self.inner.fmt_as(t, f);
        }
        // It writes its own name, so that this is what remains of it.
        f.write_str("Skip")?;
        self.inner.fmt_as(t, f)?;
        // A sort with a limit and a partial sort have written their prefix.
        let silent = self.inner.is::<SortExec>() && self.inner.fetch().is_none();
        if silent && (1..self.order.len()).contains(&self.prefix) {
            let prefix: Vec<String> = self.order[..self.prefix].iter().map(ToString::to_string).collect();
            write!(f, ", sort_prefix=[{}]", prefix.join(", "))?;
        }
        Ok(())
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
        self.with_inner(self.inner().replace_children(children, options)?)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        #[expect(deprecated, reason = "required as long as DataFusion has it")]
        let inner = self.inner().with_new_children(children)?;
        self.with_inner(inner)
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        self.with_inner(self.inner().reset_state()?)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if self.runs_inner() {
            return self.inner.execute(partition, context);
        }
        let input = self.input().execute(partition, Arc::clone(&context))?;
        let (mut output, intake) = self.intake(partition, self.inner.fetch(), NonZeroUsize::MIN, &context)?;
        if self.prefix == 0 {
            return Ok(groups::sort_one(input, intake, output));
        }
        let groups = Groups::new(&self.order[..self.prefix], &self.input().schema())?;
        output.spawn(groups::sort(input, intake, groups));
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
        self.with_inner(self.inner.with_fetch(limit)?).ok()
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
