//! Too little memory, a full disk, a query that nobody waits for: a clear error, and no file and no memory kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::datasource::MemTable;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use skipsort_datafusion::WithSkipSort;

const ROWS: i64 = 400_000;

/// A session with so much memory and room on disk, over a table of some 40 MB in one partition.
fn session(memory: usize, disk: DiskManagerBuilder) -> (SessionContext, Arc<RuntimeEnv>) {
    session_of(1, memory, disk)
}

fn session_of(
    partitions: usize,
    memory: usize,
    disk: DiskManagerBuilder,
) -> (SessionContext, Arc<RuntimeEnv>) {
    let runtime = RuntimeEnvBuilder::new().with_memory_limit(memory, 1.0).with_disk_manager_builder(disk);
    let runtime = runtime.build_arc().unwrap();
    let config = SessionConfig::new().with_target_partitions(partitions);
    let session =
        SessionContext::new_with_config_rt(config, Arc::clone(&runtime)).with_skipsort(Default::default());
    let batches: Vec<RecordBatch> = (0..ROWS / 8_000)
        .map(|batch| {
            let rows = batch * 8_000..(batch + 1) * 8_000;
            let name = |row: i64| Some(format!("https://www.example.org/{:08}", row * 7_919 % ROWS));
            let names: StringArray = rows.clone().map(name).collect();
            let numbers = Int64Array::from_iter_values(rows);
            RecordBatch::try_from_iter([("name", Arc::new(names) as _), ("n", Arc::new(numbers) as _)])
                .unwrap()
        })
        .collect();
    let schema = batches[0].schema();
    let partitions: Vec<Vec<RecordBatch>> =
        batches.chunks(batches.len().div_ceil(partitions)).map(<[RecordBatch]>::to_vec).collect();
    let table = MemTable::try_new(schema, partitions).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
    (session, runtime)
}

async fn refused(session: &SessionContext) -> String {
    let query = session.sql("SELECT * FROM t ORDER BY name").await.unwrap();
    query.collect().await.unwrap_err().to_string()
}

/// All is given back; tasks that were dropped may need a moment for it.
async fn given_back(runtime: &RuntimeEnv) {
    for _ in 0..200 {
        let files = runtime.disk_manager.temp_dir_paths();
        let files = files.iter().map(|path| std::fs::read_dir(path).unwrap().count()).sum::<usize>();
        if (runtime.memory_pool.reserved(), runtime.disk_manager.used_disk_space(), files) == (0, 0, 0) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!(
        "{} bytes of memory, {} of disk",
        runtime.memory_pool.reserved(),
        runtime.disk_manager.used_disk_space()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn little_memory_spills() {
    for partitions in [1, 3] {
        little_memory_spills_of(partitions).await;
    }
}

async fn little_memory_spills_of(partitions: usize) {
    let (session, runtime) = session_of(partitions, 8 << 20, DiskManagerBuilder::default());
    let query = session.sql("SELECT name FROM t ORDER BY name").await.unwrap();
    let plan = query.create_physical_plan().await.unwrap();
    let batches = datafusion::physical_plan::collect(Arc::clone(&plan), session.task_ctx()).await.unwrap();
    // One sort has all partitions, below the operator that stands for their merge.
    let sort = if partitions == 1 { &plan } else { plan.children()[0] };
    let spilled = sort.metrics().unwrap();
    assert!(spilled.spilled_bytes().unwrap() > 1 << 20 && spilled.spill_count().unwrap() > 1, "{spilled}");
    assert_eq!(spilled.spilled_rows(), Some(ROWS as usize));
    let names =
        batches.iter().flat_map(|batch| batch.column(0).as_any().downcast_ref::<StringArray>().unwrap());
    let expected = (0..ROWS).map(|row| format!("https://www.example.org/{row:08}"));
    assert!(names.map(|name| name.unwrap().to_string()).eq(expected));
    given_back(&runtime).await;
}

#[tokio::test]
async fn less_memory_than_a_batch_is_an_error() {
    let (session, runtime) = session(100 << 10, DiskManagerBuilder::default());
    let error = refused(&session).await;
    assert!(error.contains("raise datafusion.runtime.memory_limit"), "{error}");
    given_back(&runtime).await;
}

#[tokio::test]
async fn no_disk_is_an_error() {
    let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
    let (session, runtime) = session(8 << 20, disk);
    let error = refused(&session).await;
    assert!(error.contains("the session's DiskManager is disabled"), "{error}");
    given_back(&runtime).await;
}

#[tokio::test]
async fn a_full_disk_is_an_error() {
    let (session, runtime) =
        session(8 << 20, DiskManagerBuilder::default().with_max_temp_directory_size(1 << 20));
    let error = refused(&session).await;
    assert!(error.contains("cannot write run 0 in") && error.contains("max_temp_directory_size"), "{error}");
    given_back(&runtime).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_nobody_waits_for_ends() {
    for (partitions, memory) in [(1, 8 << 20), (1, 1 << 30), (3, 8 << 20), (3, 1 << 30)] {
        let (session, runtime) = session_of(partitions, memory, DiskManagerBuilder::default());
        let query = session.sql("SELECT * FROM t ORDER BY name").await.unwrap();
        let mut stream = query.execute_stream().await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
        drop(stream);
        given_back(&runtime).await;
    }
}

/// A partition that waits after each batch, as one of files does.
#[derive(Debug)]
struct Waits(Vec<RecordBatch>);

impl PartitionStream for Waits {
    fn schema(&self) -> &SchemaRef {
        self.0[0].schema_ref()
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let batches = futures::stream::iter(self.0.clone()).then(|batch| async {
            tokio::task::yield_now().await;
            Ok(batch)
        });
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(PartitionStream::schema(self)), batches))
    }
}

/// Dropped while it takes rows in, sorts, spills, merges: whatever it does at these moments.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_is_dropped_before_its_first_row_leaves_nothing() {
    for (partitions, memory) in [(1, 8 << 20), (1, 1 << 30), (3, 8 << 20), (3, 1 << 30)] {
        let (session, runtime) = session_of(partitions, memory, DiskManagerBuilder::default());
        let batches = session.table("t").await.unwrap().collect_partitioned().await.unwrap();
        let schema = batches[0][0].schema();
        let waits = batches.into_iter().map(|batches| Arc::new(Waits(batches)) as _).collect();
        session.deregister_table("t").unwrap();
        session.register_table("t", Arc::new(StreamingTable::try_new(schema, waits).unwrap())).unwrap();
        let mut whole = None;
        let mut busy = 0;
        for moment in 0..9 {
            let query = session.sql("SELECT * FROM t ORDER BY name").await.unwrap();
            let (mut rows, began) = (query.execute_stream().await.unwrap(), Instant::now());
            let wait = whole.map_or(Duration::MAX, |whole: Duration| whole * moment / 9);
            let first = tokio::time::timeout(wait, rows.next()).await;
            whole.get_or_insert(began.elapsed());
            busy += usize::from(first.is_err() && runtime.memory_pool.reserved() > 0);
            drop(rows);
            given_back(&runtime).await;
        }
        assert!(busy > 0, "{partitions} partitions, {memory} bytes: none was dropped while it worked");
    }
}

#[tokio::test]
async fn memory_of_few_rows_is_reserved_until_they_are_gone() {
    let (session, runtime) = session(64 << 20, DiskManagerBuilder::default());
    // Sorted at once, when the first batch is asked for.
    let query = session.sql("SELECT * FROM t WHERE n < 40000 ORDER BY name").await.unwrap();
    let mut rows = query.execute_stream().await.unwrap();
    assert!(rows.next().await.is_some_and(|batch| batch.is_ok()));
    assert!(runtime.memory_pool.reserved() > 2 << 20, "{}", runtime.memory_pool.reserved());
    drop(rows);
    given_back(&runtime).await;
}
