//! Too little memory, a full disk, a query that nobody waits for: a clear error, and no file and no memory kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{Int64Type, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::exec_err;
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

/// How the rows come: in so many partitions, and with lists, which files have encoded, or without.
type Rows = (usize, bool);

const ALL: [Rows; 4] = [(1, false), (3, false), (1, true), (3, true)];

/// All of them, with memory for a part of the rows, and for all.
fn spilled_and_not() -> impl Iterator<Item = (Rows, usize)> {
    ALL.into_iter().flat_map(|rows| [(rows, 8 << 20), (rows, 1 << 30)])
}

/// A session with so much memory and room on disk, over a table of some 40 MB in one partition.
fn session(memory: usize, disk: DiskManagerBuilder) -> (SessionContext, Arc<RuntimeEnv>) {
    session_of((1, false), memory, disk)
}

fn session_of(
    (partitions, lists): Rows,
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
            let numbers = Int64Array::from_iter_values(rows.clone());
            let mut columns: Vec<(&str, ArrayRef)> =
                vec![("name", Arc::new(names)), ("n", Arc::new(numbers))];
            if lists {
                let of_row = |row: i64| Some([Some(row), None]);
                let list = ListArray::from_iter_primitive::<Int64Type, _, _>(rows.map(of_row));
                columns.push(("list", Arc::new(list)));
            }
            RecordBatch::try_from_iter(columns).unwrap()
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
    given_back_but_for(runtime, 0).await;
}

/// So many bytes of files may still be counted.
async fn given_back_but_for(runtime: &RuntimeEnv, counted: u64) {
    let (pool, disk) = (&runtime.memory_pool, &runtime.disk_manager);
    let files = || {
        let of = |path: &std::path::PathBuf| std::fs::read_dir(path).unwrap().count();
        disk.temp_dir_paths().iter().map(of).sum::<usize>()
    };
    for _ in 0..200 {
        if (pool.reserved(), files()) == (0, 0) && disk.used_disk_space() <= counted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} bytes of memory, {} of disk, {} files", pool.reserved(), disk.used_disk_space(), files());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn little_memory_spills() {
    for partitions in [1, 3] {
        little_memory_spills_of(partitions).await;
    }
}

async fn little_memory_spills_of(partitions: usize) {
    let (session, runtime) = session_of((partitions, false), 8 << 20, DiskManagerBuilder::default());
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
    for rows in ALL {
        let (session, runtime) = session_of(rows, 8 << 20, disk.clone());
        let error = refused(&session).await;
        assert!(error.contains("the session's DiskManager is disabled"), "{error}");
        given_back(&runtime).await;
    }
}

#[tokio::test]
async fn a_full_disk_is_an_error() {
    for rows in ALL {
        let disk = DiskManagerBuilder::default().with_max_temp_directory_size(1 << 20);
        let (session, runtime) = session_of(rows, 8 << 20, disk);
        let error = refused(&session).await;
        assert!(
            error.contains("cannot write run 0 in") && error.contains("max_temp_directory_size"),
            "{error}"
        );
        given_back(&runtime).await;
    }
}

/// The system refuses to write more, here because of a limit on the sizes of files: that is of a process, so it is another one.
#[test]
fn a_file_that_the_system_does_not_write_is_an_error() {
    const CHILD: &str = "SKIPSORT_TEST_FILE_LIMIT";
    if std::env::var_os(CHILD).is_none() {
        let name = "refusals::a_file_that_the_system_does_not_write_is_an_error";
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let ended = child.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        assert!(String::from_utf8_lossy(&ended.stdout).contains("1 passed"));
        return;
    }
    let most = libc::rlimit { rlim_cur: 1 << 20, rlim_max: 1 << 20 };
    // SAFETY: of this process alone, which ends with the test; without the signal a write fails in place of ending it.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const most), 0);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        for rows in ALL {
            let (session, runtime) = session_of(rows, 8 << 20, DiskManagerBuilder::default());
            let error = refused(&session).await;
            assert!(error.contains("cannot write run 0 in") && error.contains("File too large"), "{error}");
            // DataFusion 55.2 counts a write before it fails, and keeps it (`FileSpillWriter::write`).
            given_back_but_for(&runtime, 1 << 20).await;
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_nobody_waits_for_ends() {
    for (rows, memory) in spilled_and_not() {
        let (session, runtime) = session_of(rows, memory, DiskManagerBuilder::default());
        let query = session.sql("SELECT * FROM t ORDER BY name").await.unwrap();
        let mut stream = query.execute_stream().await.unwrap();
        assert!(stream.next().await.unwrap().is_ok());
        drop(stream);
        given_back(&runtime).await;
    }
}

/// A partition that waits after each batch, as one of files does, and may fail after the last.
#[derive(Debug)]
struct Waits(Vec<RecordBatch>, bool);

impl PartitionStream for Waits {
    fn schema(&self) -> &SchemaRef {
        self.0[0].schema_ref()
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let fails = self.1.then(|| exec_err!("the input is gone"));
        let batches = futures::stream::iter(self.0.clone().into_iter().map(Ok).chain(fails));
        let batches = batches.then(|batch| async {
            tokio::task::yield_now().await;
            batch
        });
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(PartitionStream::schema(self)), batches))
    }
}

/// The rows of the table come as from files; the last partition may fail after its last batch.
async fn rows_wait(session: &SessionContext, fails: bool) {
    let batches = session.table("t").await.unwrap().collect_partitioned().await.unwrap();
    let (schema, last) = (batches[0][0].schema(), batches.len() - 1);
    let parts = batches.into_iter().enumerate();
    let parts = parts.map(|(number, batches)| Arc::new(Waits(batches, fails && number == last)) as _);
    session.deregister_table("t").unwrap();
    let table = StreamingTable::try_new(schema, parts.collect()).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
}

/// Dropped while it takes rows in, sorts, spills, merges: whatever it does at these moments.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_is_dropped_before_its_first_row_leaves_nothing() {
    for (partitions, memory) in [(1, 8 << 20), (1, 1 << 30), (3, 8 << 20), (3, 1 << 30)] {
        let (session, runtime) = session_of((partitions, false), memory, DiskManagerBuilder::default());
        rows_wait(&session, false).await;
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

/// Its error is that of the query, whatever had been sorted or spilled.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_input_that_fails_leaves_nothing() {
    for (rows, memory) in spilled_and_not() {
        let (session, runtime) = session_of(rows, memory, DiskManagerBuilder::default());
        rows_wait(&session, true).await;
        let error = refused(&session).await;
        assert!(error.contains("the input is gone"), "{error}");
        given_back(&runtime).await;
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
