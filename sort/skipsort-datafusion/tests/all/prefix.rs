//! Random partitions that are sorted by a prefix of the order, beside DataFusion's `SortExec` and `PartialSortExec`; and how much memory
//! their groups take.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, UInt32Array};
use datafusion::arrow::compute::{SortOptions, concat_batches, take_record_batch};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::datasource::memory::{DataSourceExec, MemorySourceConfig};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::sorts::partial_sort::PartialSortExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, collect, collect_partitioned, displayable};
use datafusion::prelude::{SessionConfig, SessionContext, col};
use skipsort_datafusion::{SkipSortConfig, SkipSortExec, WithSkipSort};
use skipsort_testkit::rng::Rng;

use crate::columns::types;
use crate::tables::{Table, same_order};

/// One sort of partitions that are sorted by a prefix.
struct Case {
    schema: SchemaRef,
    partitions: Vec<Vec<RecordBatch>>,
    order: LexOrdering,
    prefix: usize,
    fetch: Option<usize>,
    /// Whether a single partition is sorted as one of several.
    preserve: bool,
    in_batches_most: usize,
    batch_size: usize,
    /// Bytes of the pool.
    memory: Option<usize>,
}

impl Case {
    fn random(seed: u64, most_rows: usize) -> Self {
        let mut rng = Rng::new(seed);
        let keys = 2 + rng.below(3);
        let prefix = 1 + rng.below(keys - 1);
        let columns: Vec<DataType> =
            (0..keys + rng.below(3)).map(|column| random_type(column < prefix, &mut rng)).collect();
        let rows = (most_rows as f64).powf(rng.unit()) as usize;
        let table = Table::random(&columns, rows, &mut rng);
        let mut sort = |column: usize| {
            let options = SortOptions { descending: rng.below(2) == 0, nulls_first: rng.below(2) == 0 };
            PhysicalSortExpr::new(Arc::new(Column::new(&format!("c{column}"), column)), options)
        };
        let order: Vec<PhysicalSortExpr> = (0..keys).map(&mut sort).collect();
        let mut presort =
            |batches: &Vec<RecordBatch>| sorted(&table.schema, batches, &order[..prefix], &mut rng);
        Case {
            partitions: table.partitions.iter().map(&mut presort).collect(),
            schema: table.schema.clone(),
            prefix,
            fetch: (rng.below(3) == 0).then(|| 1 + rng.below(rows + 10)),
            preserve: rng.below(2) == 0,
            in_batches_most: [0, 10_000, 16 << 20][rng.below(3)],
            batch_size: [1, 7, 100, 8192][rng.below(4)].max(rows / 100),
            memory: (rng.below(2) == 0).then(|| 1 << (20 + rng.below(6))),
            order: LexOrdering::new(order).unwrap(),
        }
    }

    /// DataFusion's two operators over these partitions.
    fn sorts(&self, partitions: &[Vec<RecordBatch>], fetch: Option<usize>) -> [Arc<dyn ExecutionPlan>; 2] {
        let sorted_by = LexOrdering::new(self.order[..self.prefix].to_vec()).unwrap();
        let schema = partitions.iter().flatten().next().map_or(Arc::clone(&self.schema), RecordBatch::schema);
        let source = MemorySourceConfig::try_new(partitions, schema, None).unwrap();
        let source = source.try_with_sort_information(vec![sorted_by]).unwrap();
        let input: Arc<dyn ExecutionPlan> = DataSourceExec::from_data_source(source);
        let preserve = self.preserve || partitions.len() > 1;
        let whole = SortExec::new(self.order.clone(), Arc::clone(&input))
            .with_preserve_partitioning(preserve)
            .with_fetch(fetch);
        let partial = PartialSortExec::new(self.order.clone(), input, self.prefix)
            .with_preserve_partitioning(preserve)
            .with_fetch(fetch);
        [Arc::new(whole), Arc::new(partial)]
    }

    /// The rows of each partition.
    async fn run(
        plan: &Arc<dyn ExecutionPlan>,
        batch_size: usize,
        memory: Option<usize>,
    ) -> Result<Vec<RecordBatch>> {
        let config = SessionConfig::new().with_batch_size(batch_size);
        let runtime = RuntimeEnvBuilder::new();
        let runtime = match memory {
            Some(bytes) => runtime.with_memory_limit(bytes, 1.0),
            None => runtime,
        };
        let session = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
        let partitions = collect_partitioned(Arc::clone(plan), session.task_ctx()).await?;
        partitions.iter().map(|batches| Ok(concat_batches(&plan.schema(), batches)?)).collect()
    }

    fn same(&self, expected: &[RecordBatch], ours: &[RecordBatch]) -> Result<(), String> {
        assert_eq!((expected.len(), ours.len()), (self.partitions.len(), self.partitions.len()));
        for ((expected, ours), all) in expected.iter().zip(ours).zip(&self.partitions) {
            let limited = self.fetch.map(|_| concat_batches(&self.schema, all).unwrap());
            same_order(expected, ours, self.order.len(), limited.as_ref())?;
        }
        Ok(())
    }

    /// The first rows of each partition by `SortExec`. With a limit it would leave out rows that are not among the first of all partitions.
    async fn expected(&self, simple: &[Vec<RecordBatch>]) -> Result<Vec<RecordBatch>> {
        let [whole, _] = self.sorts(simple, None);
        let rows: usize = simple.iter().flatten().map(RecordBatch::num_rows).sum();
        let first =
            |batch: RecordBatch| batch.slice(0, self.fetch.unwrap_or(usize::MAX).min(batch.num_rows()));
        Ok(Case::run(&whole, rows + 1, None).await?.into_iter().map(first).collect())
    }

    /// Whether there was memory enough for the comparison.
    async fn check(&self) -> Result<bool, String> {
        // No limit is left to DataFusion's own.
        let mut config = SkipSortConfig::default();
        config.top_k_most = 0;
        config.in_batches_most = self.in_batches_most;
        let simple: Vec<Vec<RecordBatch>> = self
            .partitions
            .iter()
            .map(|batches| Table { schema: Arc::clone(&self.schema), partitions: vec![batches.clone()] })
            .map(|table| table.simple().partitions.remove(0))
            .collect();
        let expected = self.expected(&simple).await.map_err(|error| format!("SortExec: {error}"))?;
        // DataFusion's `PartialSortExec` does not find the groups of every type, and copies for each of its batches what the slices in it
        // refer to: all buffers of views, all values of lists, 22 GB of 20,000 rows.
        let rows = simple.iter().flatten().map(RecordBatch::num_rows).sum::<usize>();
        let partial = &self.sorts(&simple, self.fetch)[1];
        if rows <= 2_000
            && let Ok(partial) = Case::run(partial, self.batch_size, None).await
        {
            self.same(&expected, &partial).map_err(|what| format!("DataFusion's own differ: {what}"))?;
        }
        for sort in self.sorts(&self.partitions, self.fetch) {
            let ours: Arc<dyn ExecutionPlan> =
                Arc::new(SkipSortExec::replacing(&sort, config).ok_or("not replaced")?);
            let shown = displayable(ours.as_ref()).one_line().to_string();
            if !shown.contains("prefix") {
                return Err(format!("the prefix is not known: {shown}"));
            }
            let rows = match Case::run(&ours, self.batch_size, self.memory).await {
                Err(error) if self.memory.is_some() && error.to_string().contains("Resources exhausted") => {
                    return Ok(false);
                }
                rows => rows.map_err(|error| format!("{shown}: {error}"))?,
            };
            self.same(&expected, &rows).map_err(|what| format!("{shown}: {what}"))?;
        }
        Ok(true)
    }
}

/// Half of the columns of a prefix have few values, and so groups of many rows.
fn random_type(of_prefix: bool, rng: &mut Rng) -> DataType {
    let few = [DataType::Boolean, DataType::Int8, DataType::UInt8, DataType::Null];
    let all = types();
    if of_prefix && rng.below(2) == 0 {
        few[rng.below(few.len())].clone()
    } else {
        all[rng.below(all.len())].clone()
    }
}

/// The rows in this order, in batches of random lengths.
fn sorted(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    order: &[PhysicalSortExpr],
    rng: &mut Rng,
) -> Vec<RecordBatch> {
    let whole = concat_batches(schema, batches).unwrap();
    let field = |(column, sort): (usize, &PhysicalSortExpr)| {
        SortField::new_with_options(schema.field(column).data_type().clone(), sort.options)
    };
    let converter = RowConverter::new(order.iter().enumerate().map(field).collect()).unwrap();
    let keys = converter.convert_columns(&whole.columns()[..order.len()]).unwrap();
    let mut rows: Vec<u32> = (0..whole.num_rows() as u32).collect();
    rows.sort_by(|&a, &b| keys.row(a as usize).cmp(&keys.row(b as usize)));
    let whole = take_record_batch(&whole, &UInt32Array::from(rows)).unwrap();
    let (mut parts, mut at, most) = (Vec::new(), 0, 1 + rng.below(3_000));
    while at < whole.num_rows() {
        let many = rng.below(most + 1).min(whole.num_rows() - at);
        parts.push(whole.slice(at, many));
        at += many;
    }
    parts
}

/// Whether there was memory enough for the case of this number.
pub async fn run(seed: u64, most_rows: usize) -> bool {
    let case = Case::random(seed, most_rows);
    case.check().await.unwrap_or_else(|complaint| panic!("seed {seed} (most {most_rows}): {complaint}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sorted_prefixes_are_sorted_as_datafusion_sorts_them() {
    let mut compared = 0;
    for seed in 0..80 {
        compared += usize::from(run(seed, 5_000).await);
    }
    assert!(compared >= 50, "{compared} of 80 cases had memory enough");
}

const ROWS: i64 = 400_000;

fn name(row: i64) -> String {
    format!("https://www.example.org/{:08}", row * 7_919 % ROWS)
}

/// Sorts a table of some 40 MB in a session of 8 MiB that knows that it is sorted by its column `part`, of which it has so many groups.
/// The result is how many runs were spilled.
async fn spilled(parts: i64) -> usize {
    let runtime = RuntimeEnvBuilder::new().with_memory_limit(8 << 20, 1.0).build_arc().unwrap();
    let config = SessionConfig::new().with_target_partitions(1);
    let session = SessionContext::new_with_config_rt(config, runtime).with_skipsort(Default::default());
    let part = |row: i64| row / (ROWS / parts);
    let batch = |first: i64| {
        let numbers = Int64Array::from_iter_values((first..first + 8_000).map(part));
        let names = StringArray::from_iter_values((first..first + 8_000).map(name));
        RecordBatch::try_from_iter([("part", Arc::new(numbers) as _), ("name", Arc::new(names) as _)])
            .unwrap()
    };
    let batches: Vec<RecordBatch> = (0..ROWS / 8_000).map(|number| batch(number * 8_000)).collect();
    let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
    let table = table.with_sort_order(vec![vec![col("part").sort(true, false)]]);
    session.register_table("t", Arc::new(table)).unwrap();
    let query = session.sql("SELECT * FROM t ORDER BY part, name").await.unwrap();
    let plan = query.create_physical_plan().await.unwrap();
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    assert!(
        shown.contains("SkipSortExec:") && shown.contains(", sort_prefix=[part@0 ASC NULLS LAST]"),
        "{shown}"
    );
    let batches = collect(Arc::clone(&plan), session.task_ctx()).await.unwrap();
    let sorted = concat_batches(&plan.schema(), &batches).unwrap();
    let mut expected: Vec<(i64, String)> = (0..ROWS).map(|row| (part(row), name(row))).collect();
    expected.sort();
    let (numbers, names): (Vec<i64>, Vec<String>) = expected.into_iter().unzip();
    let expected: [ArrayRef; 2] = [Arc::new(Int64Array::from(numbers)), Arc::new(StringArray::from(names))];
    for (column, expected) in sorted.columns().iter().zip(&expected) {
        assert!(column.as_ref() == expected.as_ref(), "{parts} groups: {}", expected.data_type());
    }
    plan.metrics().unwrap().spill_count().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_holds_one_group() {
    assert_eq!(spilled(1_000).await, 0);
    // Groups of 20,000 rows, which are two batches and a half, are still less than the pool.
    assert_eq!(spilled(20).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_that_is_too_large_spills() {
    assert!(spilled(1).await > 1);
    assert!(spilled(2).await > 2);
}
