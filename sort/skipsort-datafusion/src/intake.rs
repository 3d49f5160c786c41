//! Batches come in: kept while the pool has memory for them, given to the external library from then on.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::runtime_env::RuntimeEnv;
use tokio::sync::mpsc::Sender;

use crate::buffer::{Buffer, ROW};
use crate::external::{External, LEAST};
use crate::keys::{self, KeyMaker};
use crate::metrics::SortMetrics;

/// The rows of one partition, or of one of its groups after the other.
pub(crate) struct Intake {
    keys: KeyMaker,
    schema: SchemaRef,
    size: usize,
    /// Rows that are still wanted.
    most: usize,
    runtime: Arc<RuntimeEnv>,
    memory: MemoryReservation,
    rows: Rows,
    output: Sender<Result<RecordBatch>>,
    pub(crate) metrics: SortMetrics,
}

enum Rows {
    Kept(Box<Buffer>),
    Spilled(Box<External>),
}

impl Intake {
    pub(crate) fn new(
        keys: KeyMaker,
        schema: SchemaRef,
        most: Option<usize>,
        context: &TaskContext,
        output: Sender<Result<RecordBatch>>,
        metrics: SortMetrics,
    ) -> Self {
        let runtime = context.runtime_env();
        let memory = MemoryConsumer::new("SkipSortExec").with_can_spill(true).register(&runtime.memory_pool);
        Intake {
            keys,
            schema,
            size: context.session_config().batch_size(),
            most: most.unwrap_or(usize::MAX),
            runtime,
            memory,
            rows: Rows::Kept(Box::default()),
            output,
            metrics,
        }
    }

    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let elapsed = self.metrics.baseline.elapsed_compute().clone();
        let _timer = elapsed.timer();
        if let Rows::Spilled(external) = &mut self.rows {
            return external.push(&batch, &self.keys);
        }
        let keys = self.keys.keys(&batch)?;
        let layout = &self.keys.layout;
        let bytes = layout.bytes(&batch)? + keys::bytes(keys.as_ref()) + batch.num_rows() * ROW;
        let refused = self.memory.try_grow(bytes).err();
        match &mut self.rows {
            Rows::Kept(buffer)
                if refused.is_none() && buffer.count + batch.num_rows() <= u32::MAX as usize =>
            {
                buffer.push(&batch, keys.as_ref(), layout)
            }
            _ => {
                drop(keys);
                self.spill(refused)?;
                self.push_spilled(&batch)
            }
        }
    }

    fn push_spilled(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.rows {
            Rows::Spilled(external) => external.push(batch, &self.keys),
            Rows::Kept(_) => Ok(()),
        }
    }

    /// Gives what is kept to the external library, whose memory grows as that of the batches is given back.
    fn spill(&mut self, refused: Option<DataFusionError>) -> Result<()> {
        let memory = (self.memory.size() / 5 * 4).max(LEAST);
        let enough = memory <= self.memory.size() || self.memory.try_resize(memory).is_ok();
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
        let mut external =
            External::new(&self.keys, Arc::clone(&self.schema), memory, disk, move || output.is_closed())?;
        if let Rows::Kept(buffer) = &mut self.rows {
            let buffer = std::mem::take(&mut **buffer);
            let keys = &self.keys;
            buffer.unsorted(&keys.layout, self.size, &mut |batch| external.push(batch, keys))?;
        }
        self.memory.try_resize(memory)?;
        self.rows = Rows::Spilled(Box::new(external));
        Ok(())
    }

    /// Sorts, and sends batches until there is nobody who takes them. What it returns takes in the rows after these; none, if no more are
    /// wanted.
    pub(crate) fn finish(mut self) -> Option<Self> {
        let elapsed = self.metrics.baseline.elapsed_compute().clone();
        let mut timer = elapsed.timer();
        let rows = std::mem::replace(&mut self.rows, Rows::Kept(Box::default()));
        let (output, metrics) = (&self.output, &mut self.metrics);
        let (mut left, mut wanted) = (self.most, true);
        let mut take = |batch: RecordBatch| {
            metrics.leaves(&batch);
            left -= batch.num_rows();
            timer.stop();
            wanted = output.blocking_send(Ok(batch)).is_ok();
            timer.restart();
            wanted
        };
        let sent = match rows {
            Rows::Kept(mut buffer) => {
                let sent = buffer.emit(&self.keys, self.most, self.size, &mut take).map(|()| None);
                buffer.clear();
                self.rows = Rows::Kept(buffer);
                sent
            }
            Rows::Spilled(external) => external.emit(&self.keys, self.most, self.size, &mut take).map(Some),
        };
        // The pool has its memory back before whoever waits for the last batch goes on.
        self.memory.free();
        match sent {
            Ok(Some(seen)) => self.metrics.spilled(seen),
            Ok(None) => {}
            Err(error) => {
                // Nobody is left to be told where this fails.
                let _ = self.output.blocking_send(Err(error));
                wanted = false;
            }
        }
        self.most = left;
        (wanted && left > 0).then_some(self)
    }
}
