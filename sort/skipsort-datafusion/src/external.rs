//! Rows that do not fit into memory, by the external library; `carried.rs` says what they are in its files.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::execution::disk_manager::DiskManager;
use skipsort::TextRow;
use skipsort_external::{ExternalSorter, Meter, Options, Progress};

use crate::buffer::Buffer;
use crate::carried::{Form, Rows};
use crate::keys::KeyMaker;
use crate::storage::DiskStorage;

/// The least memory of an external sort, bytes.
pub(crate) const LEAST: usize = 1 << 20;

/// Batches that are merged before somebody takes them.
const AHEAD: usize = 2;

/// A sort that has begun to spill.
pub(crate) struct External {
    /// Partitions push in turns.
    sorter: Mutex<ExternalSorter>,
    threads: NonZeroUsize,
    form: Form,
    meter: Arc<Meter>,
}

/// How many rows leave: all of them, and in a batch.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) most: usize,
    pub(crate) size: usize,
}

impl External {
    /// With so many bytes of memory. The sort ends at its next batch when `stopped` says so.
    pub(crate) fn new(
        form: Form,
        memory: usize,
        threads: NonZeroUsize,
        disk: Arc<DiskManager>,
        stopped: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Self> {
        let go_on = move || if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let meter = Arc::new(Meter::watched(move |_| go_on()));
        let mut options = Options::new(memory);
        options.threads = threads;
        options.meter = Arc::clone(&meter);
        let sorter = ExternalSorter::new(options, DiskStorage(disk)).map_err(failed)?;
        Ok(External { sorter: Mutex::new(sorter), threads, form, meter })
    }

    fn sorter(&self) -> MutexGuard<'_, ExternalSorter> {
        self.sorter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sorts all rows of a buffer, or takes them in, and gives the buffer back without them.
    pub(crate) fn spill(&self, buffer: &mut Buffer, keys: &KeyMaker, size: usize) -> Result<()> {
        if !self.takes_batches() {
            buffer.sorted(|text, rows_and_spare, loader, _| {
                let payload = |row: TextRow| keys.layout.payload(row.start(), text.bytes());
                self.sorter().spill(text, rows_and_spare, loader, payload).map_err(failed)
            })?;
        } else {
            buffer.unsorted(keys, size, &mut |batch| self.push(batch, keys))?;
        }
        buffer.clear();
        Ok(())
    }

    /// Whether rows do not lie in memory as they do in files.
    pub(crate) fn takes_batches(&self) -> bool {
        matches!(self.form, Form::Encoded(..))
    }

    /// Takes a batch, where rows are encoded; what does not fit into memory goes to a file.
    pub(crate) fn push(&self, batch: &RecordBatch, keys: &KeyMaker) -> Result<()> {
        let Form::Encoded(converter, _) = &self.form else {
            return internal_err!("a batch for a sort of records");
        };
        let keys = keys.encoded(batch)?;
        let payload = converter.convert_columns(batch.columns())?;
        let mut sorter = self.sorter();
        for (key, row) in keys.iter().zip(payload.iter()) {
            sorter.push(key.data(), row.data()).map_err(failed)?;
        }
        Ok(())
    }

    /// Gives rows in order to `take`, in batches, until it returns false; and what was spilled.
    pub(crate) fn emit(
        self,
        keys: &KeyMaker,
        wanted: Wanted,
        take: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<Progress> {
        let External { sorter, threads, form, meter } = self;
        let sorter = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
        if threads.get() == 1 {
            merge_here(sorter, (&form, keys), wanted, take)?;
        } else {
            merge_beside(sorter, (&form, keys), wanted, take)?;
        }
        Ok(meter.seen())
    }
}

/// The thread that takes the batches merges the rows.
fn merge_here(
    sorter: ExternalSorter,
    (form, keys): (&Form, &KeyMaker),
    wanted: Wanted,
    take: &mut dyn FnMut(RecordBatch) -> bool,
) -> Result<()> {
    let mut sorted = sorter.finish().map_err(failed)?;
    let mut left = wanted.most;
    while left > 0 {
        let mut rows = Rows::default();
        while rows.len() < wanted.size.min(left) && sorted.advance().map_err(failed)? {
            form.take(sorted.row(), keys, &mut rows);
        }
        left -= rows.len();
        if rows.len() == 0 || !take(form.batch(&rows, keys)?) {
            break;
        }
    }
    Ok(())
}

/// Several threads merge the rows, and this one makes batches of them.
fn merge_beside(
    sorter: ExternalSorter,
    (form, keys): (&Form, &KeyMaker),
    wanted: Wanted,
    take: &mut dyn FnMut(RecordBatch) -> bool,
) -> Result<()> {
    let (send, rows) = sync_channel(AHEAD);
    std::thread::scope(|scope| {
        let merging = scope.spawn(move || merge(sorter, (form, keys), wanted, &send));
        let mut done = Ok(());
        while done.is_ok()
            && let Ok(rows) = rows.recv()
        {
            match form.batch(&rows, keys) {
                Ok(batch) => {
                    if !take(batch) {
                        break;
                    }
                }
                Err(error) => done = Err(error),
            }
        }
        // The merge ends when it finds nobody who takes what may still come.
        drop(rows);
        done.and(merging.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Sends the rows of batches, until nobody takes them.
fn merge(
    sorter: ExternalSorter,
    (form, keys): (&Form, &KeyMaker),
    wanted: Wanted,
    send: &SyncSender<Rows>,
) -> Result<()> {
    let (mut left, mut rows) = (wanted.most, Rows::default());
    let mut ended = left == 0;
    let merged = sorter.finish_into(|key, payload| {
        if ended {
            return Err(io::ErrorKind::Interrupted.into());
        }
        left -= 1;
        form.take((key, payload), keys, &mut rows);
        if rows.len() == wanted.size || left == 0 {
            ended = send.send(std::mem::take(&mut rows)).is_err() || left == 0;
        }
        Ok(())
    });
    if !ended {
        merged.map_err(failed)?;
        if rows.len() > 0 {
            // Nobody takes them, if that fails.
            let _ = send.send(rows);
        }
    }
    Ok(())
}

pub(crate) fn failed(error: skipsort_external::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
