//! What EXPLAIN ANALYZE shows of a sort.

use std::time::Instant;

use datafusion::arrow::array::RecordBatch;
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, MetricBuilder, RecordOutput, SpillMetrics, Time,
};
use skipsort_external::Progress;

/// The metrics of one partition.
pub(crate) struct SortMetrics {
    pub(crate) baseline: BaselineMetrics,
    spill: SpillMetrics,
    first_row: Time,
    start: Instant,
    out: bool,
}

impl SortMetrics {
    pub(crate) fn new(set: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        SortMetrics {
            baseline: BaselineMetrics::new(set, partition),
            spill: SpillMetrics::new(set, partition),
            first_row: MetricBuilder::new(set).subset_time("time_to_first_row", partition),
            start: Instant::now(),
            out: false,
        }
    }

    /// A batch leaves.
    pub(crate) fn leaves(&mut self, batch: &RecordBatch) {
        if !std::mem::replace(&mut self.out, true) {
            self.first_row.add_elapsed(self.start);
        }
        batch.record_output(&self.baseline);
    }

    /// All runs have been written.
    pub(crate) fn spilled(&self, seen: Progress) {
        let count = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        self.spill.spill_file_count.add(count(seen.runs));
        self.spill.spilled_bytes.add(count(seen.bytes_spilled));
        self.spill.spilled_rows.add(count(seen.rows_read));
    }
}
