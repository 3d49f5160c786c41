//! Rows that do not fit into memory, by the external library: all columns travel with their key, encoded by arrow-row.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::disk_manager::DiskManager;
use skipsort_external::{ExternalSorter, Meter, Options, Progress, Sorted};

use crate::keys::KeyMaker;
use crate::storage::DiskStorage;

/// The least memory of an external sort, bytes.
pub(crate) const LEAST: usize = 1 << 20;

/// A sort that has begun to spill.
pub(crate) struct External {
    sorter: ExternalSorter,
    payload: RowConverter,
    schema: SchemaRef,
    meter: Arc<Meter>,
}

/// Whether a row's columns survive the way through a file: those of arrow-row do, but for dictionaries inside of others.
pub(crate) fn can_carry(schema: &Schema) -> bool {
    let plain = |of: &DataType| match of {
        DataType::Dictionary(_, values) => !values.is_nested(),
        of => !has_encoded(of),
    };
    !schema.fields().is_empty()
        && schema.fields().iter().all(|field| plain(field.data_type()))
        && RowConverter::supports_fields(&payload(schema))
}

/// Whether there is a dictionary, or runs, anywhere: arrow-row gives back their values.
fn has_encoded(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) | DataType::Union(..) | DataType::Map(..) => {
            true
        }
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _) => has_encoded(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_encoded(field.data_type())),
        _ => false,
    }
}

fn payload(schema: &Schema) -> Vec<SortField> {
    schema.fields().iter().map(|field| SortField::new(field.data_type().clone())).collect()
}

impl External {
    /// With so many bytes of memory. The sort ends at its next batch when `stopped` says so.
    pub(crate) fn new(
        schema: SchemaRef,
        memory: usize,
        disk: Arc<DiskManager>,
        stopped: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Self> {
        let go_on = move || if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let meter = Arc::new(Meter::watched(move |_| go_on()));
        let mut options = Options::new(memory);
        options.threads = std::num::NonZeroUsize::MIN;
        options.meter = Arc::clone(&meter);
        let sorter = ExternalSorter::new(options, DiskStorage(disk)).map_err(failed)?;
        Ok(External { sorter, payload: RowConverter::new(payload(&schema))?, schema, meter })
    }

    /// Takes a batch; what does not fit into memory goes to a file.
    pub(crate) fn push(&mut self, batch: &RecordBatch, keys: &KeyMaker) -> Result<()> {
        let keys = keys.encoded(batch)?;
        let payload = self.payload.convert_columns(batch.columns())?;
        for (key, row) in keys.iter().zip(payload.iter()) {
            self.sorter.push(key.data(), row.data()).map_err(failed)?;
        }
        Ok(())
    }

    /// Gives the first `most` rows in order to `take`, in batches of `size` rows, until it returns false; and what was
    /// spilled.
    pub(crate) fn emit(
        self,
        most: usize,
        size: usize,
        take: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<Progress> {
        let mut sorted = self.sorter.finish().map_err(failed)?;
        let seen = self.meter.seen();
        let (mut left, mut bytes, mut ends) = (most, Vec::new(), Vec::new());
        while left > 0 {
            next_rows(&mut sorted, size.min(left), &mut bytes, &mut ends)?;
            left -= ends.len();
            if ends.is_empty() || !take(decoded(&self.payload, &self.schema, &bytes, &ends)?) {
                break;
            }
        }
        Ok(seen)
    }
}

/// The payloads of at most so many rows, one behind the other, and where each ends.
fn next_rows(sorted: &mut Sorted, most: usize, bytes: &mut Vec<u8>, ends: &mut Vec<usize>) -> Result<()> {
    bytes.clear();
    ends.clear();
    while ends.len() < most && sorted.advance().map_err(failed)? {
        bytes.extend_from_slice(sorted.payload());
        ends.push(bytes.len());
    }
    Ok(())
}

fn decoded(payload: &RowConverter, schema: &SchemaRef, bytes: &[u8], ends: &[usize]) -> Result<RecordBatch> {
    let parser = payload.parser();
    let starts = std::iter::once(&0).chain(ends);
    let rows = starts.zip(ends).map(|(&start, &end)| parser.parse(&bytes[start..end]));
    let columns = payload.convert_rows(rows)?;
    let typed = |(column, field): (ArrayRef, &Arc<datafusion::arrow::datatypes::Field>)| {
        if column.data_type() == field.data_type() { Ok(column) } else { cast(&column, field.data_type()) }
    };
    let columns = columns.into_iter().zip(schema.fields()).map(typed).collect::<Result<Vec<_>, _>>()?;
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

fn failed(error: skipsort_external::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
