//! Batches come in: kept while the pool has memory for them; what is kept is sorted and goes to a file whenever it has no more.
//! Few rows stay in their batches, which costs least. Where more come, all become records (`records.rs`), which are found sooner.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::physical_plan::metrics::Time;
use tokio::sync::mpsc::Sender;

use crate::buffer::{Buffer, ROW};
use crate::carried::Form;
use crate::external::{External, LEAST, Wanted};
use crate::keys::KeyMaker;
use crate::metrics::SortMetrics;

/// Memory that batches may have for each byte of their rows before it counts as one.
const SHARED: usize = 8;

/// Bytes of rows that one thread sorts in less time than it takes to start others.
const ALONE: usize = 128 << 10;

/// The rows of one sort, or of one of its groups after the other. Several partitions may push at once.
pub(crate) struct Intake {
    keys: KeyMaker,
    /// For rows that stay in their batches, which may have so many bytes.
    few: KeyMaker,
    few_most: usize,
    schema: SchemaRef,
    size: usize,
    threads: NonZeroUsize,
    runtime: Arc<RuntimeEnv>,
    memory: MemoryReservation,
    /// Bytes of what is kept, of those that are reserved.
    used: Mutex<usize>,
    rows: RwLock<Rows>,
    pub(crate) output: Sender<Result<RecordBatch>>,
    pub(crate) elapsed: Time,
    left: Mutex<Left>,
}

struct Rows {
    kept: Buffer,
    /// Bytes of the rows, while they stay in their batches.
    in_batches: Option<AtomicUsize>,
    /// Those that were spilled.
    external: Option<External>,
}

impl Rows {
    fn none() -> Self {
        Rows { kept: Buffer::new(), in_batches: Some(AtomicUsize::new(0)), external: None }
    }

    /// Where all further rows go, encoded, once some have been spilled that do not lie in memory as they do in files.
    fn encoded(&self) -> Option<&External> {
        self.external.as_ref().filter(|external| external.takes_batches())
    }
}

/// What of the output is still to come.
struct Left {
    rows: usize,
    metrics: SortMetrics,
}

impl Intake {
    /// For a sort of so many threads, of which `most` rows are wanted.
    pub(crate) fn new(
        (keys, few, few_most): (KeyMaker, KeyMaker, usize),
        schema: SchemaRef,
        most: Option<usize>,
        threads: NonZeroUsize,
        context: &TaskContext,
        output: Sender<Result<RecordBatch>>,
        metrics: SortMetrics,
    ) -> Self {
        let runtime = context.runtime_env();
        let memory = MemoryConsumer::new("SkipSortExec").with_can_spill(true).register(&runtime.memory_pool);
        Intake {
            keys,
            few,
            few_most,
            schema,
            size: context.session_config().batch_size(),
            threads,
            runtime,
            memory,
            used: Mutex::new(0),
            rows: RwLock::new(Rows::none()),
            output,
            elapsed: metrics.baseline.elapsed_compute().clone(),
            left: Mutex::new(Left { rows: most.unwrap_or(usize::MAX), metrics }),
        }
    }

    pub(crate) fn push(&self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let _timer = self.elapsed.timer();
        {
            let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(external) = rows.encoded() {
                return external.push(batch, &self.keys);
            }
            if !self.too_many(&rows, batch)? && self.keep(&rows, batch, Self::grow)?.is_none() {
                return Ok(());
            }
        }
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        self.squeeze(&mut rows, batch)
    }

    /// Whether rows stay in their batches, and with this one are too many for that.
    fn too_many(&self, rows: &Rows, batch: &RecordBatch) -> Result<bool> {
        let Some(in_batches) = &rows.in_batches else { return Ok(false) };
        let memory = self.few.layout.other_bytes(batch)?;
        let bytes = self.keys.layout.record_bytes(batch).max(memory / SHARED);
        Ok(in_batches.fetch_add(bytes, Ordering::Relaxed) + bytes > self.few_most)
    }

    /// Keeps a batch, if its bytes may be used; or says that there is no room.
    fn keep(
        &self,
        rows: &Rows,
        batch: &RecordBatch,
        reserve: impl FnOnce(&Self, usize) -> Result<()>,
    ) -> Result<Option<Refused>> {
        // Few rows are put together before they leave.
        let (keys, times) = if rows.in_batches.is_some() { (&self.few, 2) } else { (&self.keys, 1) };
        let values = keys.keys(batch)?;
        let records = keys.layout.record_bytes(batch) + keys.bytes(values.as_ref());
        let bytes = records + times * keys.layout.other_bytes(batch)? + batch.num_rows() * ROW;
        if let Err(refused) = reserve(self, bytes) {
            return Ok(Some(Refused(Some(refused))));
        }
        let kept = rows.kept.push(batch, values.as_ref(), records, keys)?;
        Ok(if kept { None } else { Some(Refused(None)) })
    }

    /// More of the memory is used.
    fn grow(&self, bytes: usize) -> Result<()> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let more = (*used + bytes).saturating_sub(self.memory.size());
        if more > 0 {
            self.memory.try_grow(more)?;
        }
        *used += bytes;
        Ok(())
    }

    /// Makes records of rows that stay in their batches.
    fn lay_out(&self, rows: &mut Rows) -> Result<()> {
        let batches = rows.kept.take_batches();
        rows.in_batches = None;
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = 0;
        batches.into_iter().try_for_each(|batch| self.squeeze(rows, &batch))
    }

    /// Keeps a batch that has no room as things are: rows become records; what is kept is spilled; the batch is taken in parts. Another
    /// partition may have done so since.
    fn squeeze(&self, rows: &mut Rows, batch: &RecordBatch) -> Result<()> {
        if rows.in_batches.is_some() {
            self.lay_out(rows)?;
        }
        if let Some(external) = rows.encoded() {
            return external.push(batch, &self.keys);
        }
        let Some(Refused(refused)) = self.keep(rows, batch, Self::grow)? else { return Ok(()) };
        let had_rows = rows.kept.has_rows();
        let external = match rows.external.take() {
            Some(external) => external,
            None => self.external(refused)?,
        };
        self.spill(&mut rows.kept, &external)?;
        rows.external = Some(external);
        match batch.num_rows() {
            _ if had_rows || rows.encoded().is_some() => self.squeeze(rows, batch),
            // Memory of the process, and not of the pool: a row has to be somewhere.
            1 => match self.keep(rows, batch, |_, _| Ok(()))? {
                None => Ok(()),
                Some(_) => internal_err!("a row is larger than a sort may be"),
            },
            count => {
                self.squeeze(rows, &batch.slice(0, count / 2))?;
                self.squeeze(rows, &batch.slice(count / 2, count - count / 2))
            }
        }
    }

    fn spill(&self, kept: &mut Buffer, external: &External) -> Result<()> {
        external.spill(kept, &self.keys, self.size)?;
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = 0;
        Ok(())
    }

    /// Where rows are spilled, with the memory that has been reserved.
    fn external(&self, refused: Option<DataFusionError>) -> Result<External> {
        let memory = self.memory.size().max(LEAST);
        let enough = self.memory.try_resize(memory).is_ok();
        let disk = Arc::clone(&self.runtime.disk_manager);
        if let Some(refused) = refused
            && !(enough && disk.tmp_files_enabled())
        {
            return Err(refused.context(if enough {
                "the rows to be sorted are more than the memory pool allows, and the session's DiskManager is disabled"
                    .to_string()
            } else {
                format!(
                    "the memory pool has not the {LEAST} bytes that a sort needs to spill; raise \
                     datafusion.runtime.memory_limit, or lower datafusion.execution.target_partitions"
                )
            }));
        }
        let output = self.output.clone();
        let form = Form::of(&self.keys, &self.schema)?;
        External::new(form, memory, self.threads, disk, move || output.is_closed())
    }

    /// Whether so few rows came that they are sorted at once by the thread that asks: those of one partition, which no other thread
    /// would help with, as long as they are in their batches; and those of several, if starting threads would take longer.
    pub(crate) fn has_few(&self) -> bool {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let most = if self.threads.get() == 1 { usize::MAX } else { ALONE };
        rows.in_batches.as_ref().is_some_and(|bytes| bytes.load(Ordering::Relaxed) <= most)
    }

    /// Sorts, and sends batches until there is nobody who takes them. False, if no rows after these are wanted.
    pub(crate) fn finish(&self) -> bool {
        self.finish_into(self.threads, &mut |batch| self.output.blocking_send(batch).is_ok())
    }

    /// Gives the pool its memory back, before whoever waits for the end of the rows goes on.
    pub(crate) fn give_back(&self) {
        self.memory.free();
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = 0;
    }

    /// Few rows, sorted, whose memory stays reserved; and whether rows after these are wanted.
    pub(crate) fn sorted(&self) -> (Vec<Result<RecordBatch>>, bool) {
        let mut batches = Vec::new();
        let more = self.finish_into(NonZeroUsize::MIN, &mut |batch| {
            batches.push(batch);
            true
        });
        (batches, more)
    }

    fn finish_into(
        &self,
        threads: NonZeroUsize,
        send: &mut (dyn FnMut(Result<RecordBatch>) -> bool + Send),
    ) -> bool {
        let mut timer = self.elapsed.timer();
        let mut rows =
            std::mem::replace(&mut *self.rows.write().unwrap_or_else(PoisonError::into_inner), Rows::none());
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Left { rows: most, metrics } = &mut *left;
        let (wanted, mut taken) = (Wanted { most: *most, size: self.size }, true);
        let mut take = |batch: RecordBatch| {
            metrics.leaves(&batch);
            *most -= batch.num_rows();
            timer.stop();
            taken = send(Ok(batch));
            timer.restart();
            taken
        };
        let sent = match rows.external {
            None => {
                let few = rows.in_batches.is_some();
                let keys = (if few { &self.few } else { &self.keys }, few);
                rows.kept.emit(keys, wanted, threads, &mut take).map(|()| None)
            }
            Some(external) => self.spill(&mut rows.kept, &external).and_then(|()| {
                drop(rows.kept);
                external.emit(&self.keys, wanted, &mut take).map(Some)
            }),
        };
        match sent {
            Ok(Some(seen)) => metrics.spilled(seen),
            Ok(None) => {}
            Err(error) => {
                // Nobody is left to be told where this fails.
                let _ = send(Err(error));
                taken = false;
            }
        }
        taken && *most > 0
    }
}

/// A batch that there is no room for, and what the memory pool says of it.
struct Refused(Option<DataFusionError>);
