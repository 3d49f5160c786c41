//! Inputs that go on: rows of a group leave before the input ends, and an input whose rows nobody wants any more is dropped.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use datafusion::arrow::array::{AsArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::sorts::partial_sort::PartialSortExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::prelude::{SessionConfig, SessionContext, col};
use futures::StreamExt;
use skipsort_datafusion::{SkipSortExec, WithSkipSort};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(30);

/// A partition whose batches a test sends.
#[derive(Debug)]
struct Fed {
    schema: SchemaRef,
    batches: Mutex<Option<UnboundedReceiver<RecordBatch>>>,
}

impl PartitionStream for Fed {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batches = self.batches.lock().unwrap().take().expect("it runs once");
        let stream = futures::stream::unfold(batches, |mut batches| async move {
            let next: Option<Result<RecordBatch>> = batches.recv().await.map(Ok);
            next.map(|batch| (batch, batches))
        });
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream))
    }
}

fn fed() -> (UnboundedSender<RecordBatch>, Arc<dyn PartitionStream>) {
    let (send, batches) = unbounded_channel();
    let fields = vec![Field::new("n", DataType::Int64, false), Field::new("name", DataType::Utf8, false)];
    let schema = Arc::new(Schema::new(fields));
    (send, Arc::new(Fed { schema, batches: Mutex::new(Some(batches)) }))
}

/// The sort of an endless input, sorted by `n`, by `n` and `name`.
fn sort(fetch: Option<usize>) -> (UnboundedSender<RecordBatch>, SendableRecordBatchStream) {
    let (send, fed) = fed();
    let by = |name, at| PhysicalSortExpr::new_default(Arc::new(Column::new(name, at)));
    let schema = Arc::clone(fed.schema());
    let ordering = LexOrdering::new([by("n", 0)]);
    let input = StreamingTableExec::try_new(schema, vec![fed], None, ordering, true, None).unwrap();
    let order = LexOrdering::new([by("n", 0), by("name", 1)]).unwrap();
    let partial = PartialSortExec::new(order, Arc::new(input), 1).with_fetch(fetch);
    let partial: Arc<dyn ExecutionPlan> = Arc::new(partial);
    let sort = SkipSortExec::replacing(&partial, Default::default()).unwrap();
    (send, sort.execute(0, SessionContext::new().task_ctx()).unwrap())
}

fn batch(schema: &SchemaRef, rows: &[(i64, &str)]) -> RecordBatch {
    let numbers = Int64Array::from_iter_values(rows.iter().map(|(n, _)| *n));
    let names = StringArray::from_iter_values(rows.iter().map(|(_, name)| *name));
    RecordBatch::try_new(Arc::clone(schema), vec![Arc::new(numbers), Arc::new(names)]).unwrap()
}

/// The next batch, as text.
async fn next(stream: &mut SendableRecordBatchStream) -> Option<String> {
    let batch = timeout(LONG, stream.next()).await.expect("a batch in time")?.unwrap();
    let numbers = batch.column(0).as_primitive::<Int64Type>().values().iter();
    let names = batch.column(1).as_string::<i32>().iter().flatten();
    let rows: Vec<String> = numbers.zip(names).map(|(n, name)| format!("{n}{name}")).collect();
    Some(rows.join(" "))
}

#[tokio::test]
async fn groups_leave_while_the_input_goes_on() {
    let (send, mut stream) = sort(None);
    let schema = stream.schema();
    send.send(batch(&schema, &[(1, "b"), (1, "a"), (2, "d")])).unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("1a 1b"));
    send.send(batch(&schema, &[(2, "c")])).unwrap();
    send.send(batch(&schema, &[])).unwrap();
    send.send(batch(&schema, &[(3, "y"), (4, "z"), (4, "x"), (5, "e")])).unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("2c 2d 3y 4x 4z"));
    drop(send);
    assert_eq!(next(&mut stream).await.as_deref(), Some("5e"));
    assert_eq!(next(&mut stream).await, None);
}

#[tokio::test]
async fn a_limit_ends_the_input() {
    let (send, mut stream) = sort(Some(3));
    let schema = stream.schema();
    send.send(batch(&schema, &[(1, "b"), (1, "a"), (2, "d")])).unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("1a 1b"));
    send.send(batch(&schema, &[(2, "c"), (3, "x")])).unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("2c"));
    assert_eq!(next(&mut stream).await, None);
    timeout(LONG, send.closed()).await.expect("the input is dropped");
}

#[tokio::test]
async fn a_stream_that_is_dropped_drops_the_input() {
    let (send, mut stream) = sort(None);
    let schema = stream.schema();
    send.send(batch(&schema, &[(1, "b"), (2, "a")])).unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("1b"));
    drop(stream);
    timeout(LONG, send.closed()).await.expect("the input is dropped");
}

/// Of a sort without a prefix, that takes rows in as long as they come.
#[tokio::test]
async fn a_sort_that_is_dropped_while_rows_come_drops_the_input() {
    let (send, fed) = fed();
    let schema = Arc::clone(fed.schema());
    let input = StreamingTableExec::try_new(Arc::clone(&schema), vec![fed], None, None, true, None).unwrap();
    let order = LexOrdering::new([PhysicalSortExpr::new_default(Arc::new(Column::new("name", 1)))]).unwrap();
    let sort: Arc<dyn ExecutionPlan> = Arc::new(SortExec::new(order, Arc::new(input)));
    let sort = SkipSortExec::replacing(&sort, Default::default()).unwrap();
    let mut stream = sort.execute(0, SessionContext::new().task_ctx()).unwrap();
    send.send(batch(&schema, &[(1, "b"), (2, "a")])).unwrap();
    let waited = timeout(Duration::from_millis(100), stream.next()).await;
    assert!(waited.is_err(), "a row left before the input had ended");
    drop(stream);
    timeout(LONG, send.closed()).await.expect("the input is dropped");
}

#[tokio::test]
async fn partial_sorts_of_a_plan_are_replaced() {
    let config = SessionConfig::new().with_target_partitions(1);
    let session = SessionContext::new_with_config(config).with_skipsort(Default::default());
    let (_send, fed) = fed();
    let table = StreamingTable::try_new(Arc::clone(fed.schema()), vec![fed]).unwrap();
    let table = table.with_infinite_table(true).with_sort_order(vec![col("n").sort(true, false)]);
    session.register_table("t", Arc::new(table)).unwrap();
    let query = session.sql("SELECT * FROM t ORDER BY n, name").await.unwrap();
    let plan = query.create_physical_plan().await.unwrap();
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    assert!(shown.contains("SkipPartialSortExec:"), "{shown}");
}
