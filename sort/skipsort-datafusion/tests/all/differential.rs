//! Random tables in random orders, sorted by DataFusion with the rule and without.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::{SortOptions, concat_batches};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::execution::memory_pool::{FairSpillPool, GreedyMemoryPool, MemoryPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use skipsort_datafusion::{SkipSortConfig, WithSkipSort};
use skipsort_testkit::rng::Rng;

use crate::columns::types;
use crate::prefix;
use crate::tables::{Table, same_order};

/// One query over one table in one session.
struct Case {
    table: Table,
    order: Vec<SortOptions>,
    limit: Option<usize>,
    batch_size: usize,
    partitions: usize,
    /// Bytes of the pool, and whether it is shared fairly.
    memory: Option<(usize, bool)>,
    top_k_most: usize,
    in_batches_most: usize,
}

impl Case {
    fn random(seed: u64, most_rows: usize) -> Self {
        let mut rng = Rng::new(seed);
        let all = types();
        let of = |rng: &mut Rng| all[rng.below(all.len())].clone();
        let keys = 1 + rng.below(4);
        let columns: Vec<DataType> = (0..keys + rng.below(3)).map(|_| of(&mut rng)).collect();
        Case::of(columns, keys, most_rows, &mut rng)
    }

    /// One column of strings or bytes is the key.
    fn of_strings(seed: u64, most_rows: usize) -> Self {
        let mut rng = Rng::new(seed);
        let all = types();
        let strings: Vec<&DataType> = all.iter().filter(|of| has_strings(of)).collect();
        let mut columns = vec![strings[rng.below(strings.len())].clone()];
        columns.extend((0..rng.below(2)).map(|_| all[rng.below(all.len())].clone()));
        Case::of(columns, 1, most_rows, &mut rng)
    }

    /// The first so many columns are the keys.
    fn of(columns: Vec<DataType>, keys: usize, most_rows: usize, rng: &mut Rng) -> Self {
        let rows = (most_rows as f64).powf(rng.unit()) as usize;
        let table = Table::random(&columns, rows, rng);
        let order =
            (0..keys).map(|_| SortOptions { descending: rng.below(2) == 0, nulls_first: rng.below(2) == 0 });
        Case {
            order: order.collect(),
            table,
            limit: (rng.below(3) == 0).then(|| rng.below(rows + 10)),
            batch_size: [1, 7, 100, 8192][rng.below(4)].max(rows / 200),
            partitions: 1 + rng.below(3),
            memory: (rng.below(2) == 0).then(|| (1 << (20 + rng.below(6)), rng.below(2) == 0)),
            top_k_most: [0, 10, 10_000][rng.below(3)],
            in_batches_most: [0, 100_000, 16 << 20][rng.below(3)],
        }
    }

    fn sql(&self, limit: Option<usize>) -> String {
        let key = |(column, order): (usize, &SortOptions)| {
            let direction = if order.descending { "DESC" } else { "ASC" };
            format!("c{column} {direction} NULLS {}", if order.nulls_first { "FIRST" } else { "LAST" })
        };
        let keys: Vec<String> = self.order.iter().enumerate().map(key).collect();
        let limit = limit.map(|rows| format!(" LIMIT {rows}")).unwrap_or_default();
        format!("SELECT * FROM t ORDER BY {}{limit}", keys.join(", "))
    }

    fn session(&self, table: &Table, batch_size: usize, memory: Option<(usize, bool)>) -> SessionContext {
        let config = SessionConfig::new().with_batch_size(batch_size).with_target_partitions(self.partitions);
        let runtime = RuntimeEnvBuilder::new();
        let runtime = match memory {
            None => runtime,
            Some((bytes, fair)) => {
                let pool: Arc<dyn MemoryPool> = match fair {
                    true => Arc::new(FairSpillPool::new(bytes)),
                    false => Arc::new(GreedyMemoryPool::new(bytes)),
                };
                runtime.with_memory_pool(pool)
            }
        };
        let session = SessionContext::new_with_config_rt(config, runtime.build_arc().unwrap());
        session.register_table("t", table.provider()).unwrap();
        session
    }

    async fn sorted(&self, session: &SessionContext, limit: Option<usize>) -> Result<RecordBatch> {
        let query = session.sql(&self.sql(limit)).await?;
        let schema = Arc::clone(query.schema().inner());
        let batches = query.collect().await?;
        let most = session.copied_config().batch_size();
        assert!(batches.iter().all(|batch| batch.num_rows() <= most), "a batch of more than {most} rows");
        Ok(concat_batches(&schema, &batches)?)
    }

    /// What DataFusion's sort of all rows begins with: its TopK of nested keys with nulls inside leaves rows out
    /// (55.2, `a_top_k_of_nested_keys_leaves_no_row_out` in `plans.rs`).
    async fn expected(&self) -> Result<RecordBatch> {
        let table = self.table.simple();
        let rows = table.partitions[0][0].num_rows();
        let all = self.sorted(&self.session(&table, rows + 1, None), None).await?;
        Ok(all.slice(0, self.limit.unwrap_or(usize::MAX).min(all.num_rows())))
    }

    /// Whether there was memory enough for the comparison.
    async fn check(&self) -> Result<bool, String> {
        let config = {
            let mut config = SkipSortConfig::default();
            config.top_k_most = self.top_k_most;
            config.in_batches_most = self.in_batches_most;
            config
        };
        let expected = self.expected().await.map_err(|error| format!("DataFusion: {error}"))?;
        let session = self.session(&self.table, self.batch_size, self.memory).with_skipsort(config);
        let ours = match self.sorted(&session, self.limit).await {
            Ok(ours) => ours,
            Err(error) if self.memory.is_some() && error.to_string().contains("Resources exhausted") => {
                return Ok(false);
            }
            Err(error) => return Err(error.to_string()),
        };
        let all = self.table.partitions.iter().flatten();
        let limited = self.limit.map(|_| concat_batches(&self.table.schema, all).unwrap());
        same_order(&expected, &ours, self.order.len(), limited.as_ref())?;
        Ok(true)
    }
}

fn has_strings(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => has_strings(values),
        of => of.is_string() || of.is_binary(),
    }
}

async fn run(make: impl Fn(u64, usize) -> Case, seed: u64, most_rows: usize) -> bool {
    let case = make(seed, most_rows);
    case.check().await.unwrap_or_else(|complaint| {
        let types: Vec<String> = case.table.schema.fields().iter().map(|field| field.data_type().to_string()).collect();
        panic!(
            "seed {seed} (most {most_rows}): {complaint}\n{}\ntypes {}\nmemory {:?}, batch {}, partitions {}, top_k {}, in batches {}",
            case.sql(case.limit), types.join(", "), case.memory, case.batch_size, case.partitions, case.top_k_most,
            case.in_batches_most
        )
    })
}

/// How many of the first cases had memory enough.
async fn compared(make: impl Fn(u64, usize) -> Case, cases: u64) -> u64 {
    let mut compared = 0;
    for seed in 0..cases {
        compared += u64::from(run(&make, seed, 5_000).await);
    }
    compared
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_tables_are_sorted_as_datafusion_sorts_them() {
    assert!(compared(Case::random, 60).await >= 50);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_column_of_strings_or_bytes_is_sorted_as_datafusion_sorts_it() {
    assert!(compared(Case::of_strings, 100).await >= 90);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs for SKIPSORT_MINUTES (1): cargo xtask datafusion fuzz --minutes 60"]
async fn fuzz() {
    let number = |name, or| std::env::var(name).map_or(or, |text| text.parse().expect(name));
    let (minutes, first) = (number("SKIPSORT_MINUTES", 1), number("SKIPSORT_SEED", 1_000));
    let start = Instant::now();
    let (mut cases, mut compared, mut told) = (0u64, 0u64, Instant::now());
    while start.elapsed() < Duration::from_secs(60 * minutes) {
        let seed = first + cases;
        // DataFusion's `PartialSortExec` takes long for many rows of one group.
        let enough = match cases % 4 {
            0 => prefix::run(seed, 20_000).await,
            1 => run(Case::of_strings, seed, 200_000).await,
            _ => run(Case::random, seed, 200_000).await,
        };
        compared += u64::from(enough);
        cases += 1;
        if told.elapsed() > Duration::from_secs(10) {
            told = Instant::now();
            eprintln!("{:5} s: {cases} cases, {compared} compared, no difference", start.elapsed().as_secs());
        }
    }
    eprintln!(
        "{cases} cases from seed {first}, {compared} compared ({} lacked memory), no difference",
        cases - compared
    );
}
