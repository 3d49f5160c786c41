//! A table in memory, and sessions that query it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use datafusion::datasource::MemTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use humdrum_contract::{OrderMade, OrderQuery, OrderTable};
use humdrum_engine_worker::orderby::{
    About, Answer, Orders, Queries, Store, TABLE, Table, Timed, Trouble, select,
};
use skipsort_datafusion::{SkipSortConfig, WithSkipSort};
use tokio::runtime::Runtime;

use crate::rows::{self, Batches};

const SKIPSORT: &str = "skipsort";
const TOP_K_MOST: &str = "skipsort.top_k_most";
const IN_BATCHES_MOST: &str = "skipsort.in_batches_most";
/// What DataFusion keeps back for the merge of spilled runs: 10 MiB, more than all the memory of a small table's query.
const RESERVED: &str = "datafusion.execution.sort_spill_reservation_bytes";

/// What all sessions share.
#[derive(Clone)]
struct Shared {
    config: SessionConfig,
    /// The user chose what is kept back.
    reserved_typed: bool,
    skipsort: Option<SkipSortConfig>,
    /// What is spilled goes there.
    folder: PathBuf,
    table: Arc<Mutex<Option<Arc<MemTable>>>>,
}

/// DataFusion with a table.
pub(crate) struct FusionStore(Shared);

impl FusionStore {
    /// Reads the settings; the table comes later.
    ///
    /// # Errors
    /// What DataFusion says of a setting.
    pub(crate) fn new(orders: &Orders) -> std::result::Result<Self, String> {
        // One, because the lab binds what serves a client to one processor.
        let mut config = SessionConfig::new().with_target_partitions(1);
        let mut skipsort = None;
        for (key, value) in &orders.settings {
            match key.as_str() {
                SKIPSORT => skipsort = Some(skipsort.unwrap_or_default()),
                TOP_K_MOST | IN_BATCHES_MOST => {
                    let chosen: &mut SkipSortConfig = skipsort.get_or_insert_default();
                    let number = value.parse().map_err(|_| format!("`{key}={value}` is no number"))?;
                    match key.as_str() {
                        TOP_K_MOST => chosen.top_k_most = number,
                        _ => chosen.in_batches_most = number,
                    }
                }
                _ => config.options_mut().set(key, value).map_err(|error| said(&error))?,
            }
        }
        let reserved_typed = orders.settings.iter().any(|(key, _)| key == RESERVED);
        let folder = orders.folder.join("spilled");
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        Ok(Self(Shared { config, reserved_typed, skipsort, folder, table: Arc::default() }))
    }
}

/// What DataFusion says, in one line.
fn said(error: &DataFusionError) -> String {
    error.strip_backtrace().replace('\n', " ")
}

fn refused(error: DataFusionError) -> Trouble {
    Trouble::Refused(said(&error))
}

impl Store for FusionStore {
    fn about(&self) -> std::result::Result<About, Trouble> {
        let entries = self.0.config.options().entries();
        let mut settings: Vec<(String, String)> =
            entries.into_iter().filter_map(|entry| Some((entry.key, entry.value?))).collect();
        if let Some(config) = self.0.skipsort {
            settings.push((TOP_K_MOST.to_owned(), config.top_k_most.to_string()));
            settings.push((IN_BATCHES_MOST.to_owned(), config.in_batches_most.to_string()));
        }
        settings.sort();
        Ok(About { version: datafusion::DATAFUSION_VERSION.to_owned(), settings })
    }

    fn make(&self, table: OrderTable) -> std::result::Result<OrderMade, Trouble> {
        let mut place = self.0.table.lock().unwrap_or_else(PoisonError::into_inner);
        // Its memory is needed for the next one.
        *place = None;
        let mut batches = Batches::new();
        let made = Table::new(table).each(|row| batches.add(row)).map_err(refused)?;
        let batches = batches.finish().map_err(refused)?;
        *place = Some(Arc::new(MemTable::try_new(rows::schema(), vec![batches]).map_err(refused)?));
        Ok(made)
    }

    fn open(&self) -> std::result::Result<Box<dyn Queries>, Trouble> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.map_err(|error| Trouble::Refused(format!("no runtime: {error}")))?;
        Ok(Box::new(Session {
            shared: self.0.clone(),
            runtime,
            context: SessionContext::new(),
            sql: String::new(),
            first_row: false,
        }))
    }
}

struct Session {
    shared: Shared,
    /// Of this thread alone.
    runtime: Runtime,
    context: SessionContext,
    sql: String,
    first_row: bool,
}

impl Queries for Session {
    fn choose(&mut self, query: &OrderQuery, memory_bytes: Option<u64>) -> std::result::Result<(), Trouble> {
        self.context = context(&self.shared, memory_bytes).map_err(refused)?;
        (self.sql, self.first_row) = (select(query), query.first_row);
        Ok(())
    }

    fn run(&mut self, answer: Option<&mut Answer>) -> std::result::Result<Timed, Trouble> {
        self.runtime.block_on(once(&self.context, &self.sql, self.first_row, answer))
    }
}

/// A session's context: the table, the rule of skipsort, and no more memory than a query may have.
fn context(shared: &Shared, memory_bytes: Option<u64>) -> Result<SessionContext> {
    let mut config = shared.config.clone();
    let mut runtime = RuntimeEnvBuilder::new().with_temp_file_path(&shared.folder);
    if let Some(bytes) = memory_bytes.map(|bytes| bytes as usize) {
        runtime = runtime.with_memory_limit(bytes, 1.0);
        let execution = &mut config.options_mut().execution;
        if !shared.reserved_typed {
            execution.sort_spill_reservation_bytes = execution.sort_spill_reservation_bytes.min(bytes / 4);
        }
    }
    let context = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
    let context = match shared.skipsort {
        Some(config) => context.with_skipsort(config),
        None => context,
    };
    let table = shared.table.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let missing = || DataFusionError::Execution("no table was made yet".to_owned());
    context.register_table(TABLE, table.ok_or_else(missing)?)?;
    Ok(context)
}

/// Runs a query once. Batches are dropped as they come.
async fn once(
    context: &SessionContext,
    sql: &str,
    first_row: bool,
    mut answer: Option<&mut Answer>,
) -> std::result::Result<Timed, Trouble> {
    let mut count = 0;
    let began = Instant::now();
    let frame = context.sql(sql).await.map_err(refused)?;
    let mut stream = frame.execute_stream().await.map_err(refused)?;
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(refused)?;
        count += batch.num_rows() as u64;
        if let Some(answer) = &mut answer {
            rows::each(&batch, |row| answer.take(row)).map_err(Trouble::Wrong)?;
        }
        if first_row && count > 0 {
            break;
        }
    }
    // What is left of a stream goes when it is dropped, which is not measured.
    Ok(Timed { rows: count, ns: began.elapsed().as_nanos() as u64 })
}

#[cfg(test)]
mod tests {
    use humdrum_contract::{OrderColumn, OrderKey};

    use super::*;

    fn store(settings: &[(&str, &str)]) -> std::result::Result<FusionStore, String> {
        let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let folder = std::env::temp_dir().join(format!("humdrum-datafusion-{}", std::process::id()));
        FusionStore::new(&Orders { socket: "/none".into(), folder, settings })
    }

    fn query(limit: Option<u64>, first_row: bool) -> OrderQuery {
        let key = |column, descending| OrderKey { column, descending };
        OrderQuery {
            columns: vec![OrderColumn::Id, OrderColumn::Name, OrderColumn::Url],
            keys: vec![key(OrderColumn::Name, true), key(OrderColumn::Url, false)],
            limit,
            first_row,
            memory_percent: None,
        }
    }

    /// Rows and checksum of a query, with its order checked.
    fn answer(store: &FusionStore, query: &OrderQuery, memory: Option<u64>) -> (u64, u64) {
        let mut session = store.open().expect("a session");
        session.choose(query, memory).expect("a query");
        let mut answer = Answer::new(query);
        session.run(Some(&mut answer)).expect("an answer in order");
        (answer.rows(), answer.checksum())
    }

    #[test]
    fn both_sorts_give_the_same_answers_also_with_little_memory() {
        let table = OrderTable { rows: 300_000, seed: 1 };
        // A quarter of fewer rows is too little for a batch of DataFusion's own sort.
        let [own, skip] = [&[][..], &[(SKIPSORT, "on"), (TOP_K_MOST, "0")]].map(|settings| {
            let store = store(settings).expect("settings");
            let made = store.make(table).expect("a table");
            assert_eq!(made, store.make(table).expect("the same table"));
            let all = query(None, false);
            let little = Some(made.bytes / 4);
            let answers = [
                (all.clone(), None),
                (all, little),
                (query(Some(10), false), None),
                (query(None, true), None),
            ];
            answers.map(|(query, memory)| answer(&store, &query, memory))
        });
        assert_eq!(own, skip);
        assert_eq!(own.map(|(rows, _)| rows), [300_000, 300_000, 10, 1]);
        assert_eq!(own[0], own[1], "memory changes no answer");
    }

    #[test]
    fn settings_that_datafusion_does_not_take_are_refused() {
        assert!(store(&[("datafusion.no.such", "1")]).map(|_| ()).expect_err("unknown").contains("no"));
        assert!(store(&[(TOP_K_MOST, "many")]).is_err());
        let store = store(&[("datafusion.execution.batch_size", "77")]).expect("a setting");
        let about = store.about().expect("settings");
        assert!(about.settings.contains(&("datafusion.execution.batch_size".into(), "77".into())));
        assert!(about.version.starts_with("55.") && about.settings.is_sorted());
    }
}
