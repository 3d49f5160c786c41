//! Inputs that are sorted by a prefix of the order: rows leave, sorted, as soon as the prefix has moved on, so that memory holds one group
//! of equal prefixes and one batch.
//!
//! ```text
//!   prefix     1 1 1 2 2 3 3      3 3 3 3      3 4 4
//!   batches    -------------      -------      -----
//!   sorted     [1 1 1 2 2] [3 3    3 3 3 3      3] [4 4]
//! ```
//!
//! Groups that end in the same batch are sorted at once by the whole order: their prefixes are what this sort skips.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::row::{RowConverter, Rows};
use datafusion::common::runtime::{JoinSet, SpawnedTask};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_plan::stream::{RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter};
use futures::future::Either;
use futures::{StreamExt, TryStreamExt, stream};

use crate::intake::Intake;
use crate::keys::{columns, fields};

/// Finds where groups end.
pub(crate) struct Groups {
    prefix: Vec<PhysicalSortExpr>,
    converter: RowConverter,
    /// The prefix of the last row so far, encoded.
    last: Option<Box<[u8]>>,
}

impl Groups {
    /// Groups of rows that do not differ in these expressions.
    pub(crate) fn new(prefix: &[PhysicalSortExpr], schema: &Schema) -> Result<Self> {
        let converter = RowConverter::new(fields(prefix, schema)?)?;
        Ok(Groups { prefix: prefix.to_vec(), converter, last: None })
    }

    /// If a group ends in or before this next batch: how many of its rows, the first ones, belong to groups that have ended. The rows of
    /// all earlier batches do too. `None` if the batch only goes on with the last group, or begins the first.
    fn ended(&mut self, batch: &RecordBatch) -> Result<Option<usize>> {
        let Some(end) = batch.num_rows().checked_sub(1) else {
            return Ok(None);
        };
        let rows = self.converter.convert_columns(&columns(&self.prefix, batch)?)?;
        let last = rows.row(end).data();
        if self.last.as_deref() == Some(last) {
            return Ok(None);
        }
        let first = self.last.replace(last.into()).is_none();
        let begin = begin_of_last(&rows, end);
        Ok((begin > 0 || !first).then_some(begin))
    }
}

/// The first row whose prefix is that of the last row. Prefixes ascend, whatever the order of their columns: it is encoded with them.
fn begin_of_last(rows: &Rows, end: usize) -> usize {
    let last = rows.row(end).data();
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low.midpoint(high);
        if rows.row(middle).data() < last {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Takes in the input and sends its rows sorted, group by group.
pub(crate) async fn sort(
    mut input: SendableRecordBatchStream,
    intake: Arc<Intake>,
    mut groups: Groups,
) -> Result<()> {
    while let Some(batch) = input.next().await {
        let batch = batch?;
        let ended = {
            let _timer = intake.elapsed.timer();
            groups.ended(&batch)?
        };
        let Some(ended) = ended else {
            intake.push(&batch)?;
            continue;
        };
        intake.push(&batch.slice(0, ended))?;
        if !finished(&intake).await? {
            return Ok(());
        }
        intake.push(&batch.slice(ended, batch.num_rows() - ended))?;
    }
    drop(input);
    finished(&intake).await?;
    Ok(())
}

/// Takes in the input and sends its rows sorted. The input runs where the output is waited for, as that of a `SortExec` does.
pub(crate) fn sort_one(
    input: SendableRecordBatchStream,
    intake: Arc<Intake>,
    mut output: RecordBatchReceiverStreamBuilder,
) -> SendableRecordBatchStream {
    let schema = input.schema();
    let sorted = async move {
        take_in(input, &intake).await?;
        if intake.has_few() {
            // Their memory is reserved until the stream is gone.
            let batches = stream::iter(intake.sorted().0);
            return Ok(Either::Left(batches.inspect(move |_| _ = &intake)));
        }
        output.spawn(async move { finished(&intake).await.map(|_| ()) });
        Ok::<_, DataFusionError>(Either::Right(output.build()))
    };
    Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(sorted).try_flatten()))
}

/// Takes in all inputs and sends their rows sorted.
pub(crate) async fn sort_all(inputs: Vec<SendableRecordBatchStream>, intake: Arc<Intake>) -> Result<()> {
    let mut tasks = JoinSet::new();
    for input in inputs {
        let intake = Arc::clone(&intake);
        tasks.spawn(async move { take_in(input, &intake).await });
    }
    while let Some(taken) = tasks.join_next().await {
        taken.map_err(|error| DataFusionError::External(Box::new(error)))??;
    }
    finished(&intake).await?;
    Ok(())
}

async fn take_in(mut input: SendableRecordBatchStream, intake: &Intake) -> Result<()> {
    while let Some(batch) = input.next().await {
        intake.push(&batch?)?;
    }
    Ok(())
}

/// Sorting takes longer than a task may keep a thread of the runtime. Dropping the stream ends it: then the next batch finds nobody who
/// takes it.
async fn finished(intake: &Arc<Intake>) -> Result<bool> {
    let more = if intake.has_few() {
        let (batches, mut more) = intake.sorted();
        for batch in batches {
            more &= intake.output.send(batch).await.is_ok();
        }
        more
    } else {
        let sorting = Arc::clone(intake);
        let sorted = SpawnedTask::spawn_blocking(move || sorting.finish()).join_unwind().await;
        sorted.map_err(|error| DataFusionError::External(Box::new(error)))?
    };
    intake.give_back();
    Ok(more)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Int64Array};
    use datafusion::arrow::compute::SortOptions;
    use datafusion::physical_expr::expressions::Column;

    use super::*;

    /// What `ended` says of batches of this column, one after the other.
    fn ends(batches: &[&[Option<i64>]], options: SortOptions) -> Vec<Option<usize>> {
        let batch = |column: &[Option<i64>]| {
            let column: ArrayRef = Arc::new(Int64Array::from(column.to_vec()));
            RecordBatch::try_from_iter_with_nullable([("n", column, true)]).unwrap()
        };
        let batches: Vec<RecordBatch> = batches.iter().map(|column| batch(column)).collect();
        let prefix = [PhysicalSortExpr::new(Arc::new(Column::new("n", 0)), options)];
        let mut groups = Groups::new(&prefix, &batches[0].schema()).unwrap();
        batches.iter().map(|batch| groups.ended(batch).unwrap()).collect()
    }

    #[test]
    fn groups_end_where_the_prefix_moves_on() {
        let ascending = SortOptions { descending: false, nulls_first: true };
        let batches: [&[Option<i64>]; 9] = [
            &[],
            &[None, None],
            &[None, Some(1), Some(1), Some(2), Some(2), Some(3), Some(3)],
            &[Some(3)],
            &[],
            &[Some(3), Some(3)],
            &[Some(3), Some(4), Some(4)],
            &[Some(5)],
            &[Some(6), Some(7)],
        ];
        let expected = [None, None, Some(5), None, None, None, Some(1), Some(0), Some(1)];
        assert_eq!(ends(&batches, ascending), expected);
        assert_eq!(ends(&[&[Some(1), Some(2)]], ascending), [Some(1)]);
    }

    #[test]
    fn the_order_of_the_prefix_may_descend() {
        let descending = SortOptions { descending: true, nulls_first: false };
        let batches: [&[Option<i64>]; 3] = [&[Some(9), Some(9), Some(8)], &[Some(8), None], &[None]];
        assert_eq!(ends(&batches, descending), [Some(2), Some(1), None]);
    }
}
