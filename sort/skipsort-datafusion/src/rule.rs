//! The optimizer rule.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

use crate::SkipSortConfig;
use crate::exec::SkipSortExec;
use crate::merge::MergeExec;

/// Puts a [`SkipSortExec`] where a plan has a `SortExec` or a `PartialSortExec`, those below merge joins and window functions among them;
/// and where a plan would merge what it sorts, one sort of all partitions.
///
/// It has to be the last rule: DataFusion's own look for `SortExec`.
#[derive(Debug)]
pub struct SkipSortRule(SkipSortConfig);

impl SkipSortRule {
    /// A rule that replaces what the configuration says.
    pub fn new(config: SkipSortConfig) -> Self {
        SkipSortRule(config)
    }
}

impl PhysicalOptimizerRule for SkipSortRule {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            if let Some(sort) = SkipSortExec::replacing(&node, self.0) {
                return Ok(Transformed::yes(Arc::new(sort) as Arc<dyn ExecutionPlan>));
            }
            Ok(match MergeExec::replacing(&node) {
                Some(merge) => Transformed::yes(Arc::new(merge) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "SkipSort"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
