//! Rows that do not fit into memory, by the external library: each travels as its record (`records.rs`) behind its key; or, where
//! columns have no place in a record, encoded by arrow-row.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::disk_manager::DiskManager;
use skipsort_external::{ExternalSorter, Meter, Options, Progress, Sorted};

use crate::keys::{self, KeyMaker};
use crate::records::Buffers;
use crate::storage::DiskStorage;

/// The least memory of an external sort, bytes.
pub(crate) const LEAST: usize = 1 << 20;

/// A sort that has begun to spill.
pub(crate) struct External {
    sorter: ExternalSorter,
    /// Where columns have no place in a record.
    encoded: Option<(RowConverter, SchemaRef)>,
    meter: Arc<Meter>,
}

/// What stands before the keys of a plain column: of a null, and of a value.
type Marks = Option<[u8; 2]>;

fn marks(keys: &KeyMaker) -> Marks {
    keys.plain.map(|nulls_first| if nulls_first { [0, 1] } else { [1, 0] })
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
        keys: &KeyMaker,
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
        let encoded = match keys.layout.is_whole() {
            true => None,
            false => Some((RowConverter::new(payload(&schema))?, schema)),
        };
        Ok(External { sorter, encoded, meter })
    }

    /// Takes a batch; what does not fit into memory goes to a file.
    pub(crate) fn push(&mut self, batch: &RecordBatch, keys: &KeyMaker) -> Result<()> {
        let Some((converter, _)) = &self.encoded else {
            return self.push_records(batch, keys);
        };
        let keys = keys.encoded(batch)?;
        let payload = converter.convert_columns(batch.columns())?;
        for (key, row) in keys.iter().zip(payload.iter()) {
            self.sorter.push(key.data(), row.data()).map_err(failed)?;
        }
        Ok(())
    }

    fn push_records(&mut self, batch: &RecordBatch, keys: &KeyMaker) -> Result<()> {
        let (mut text, mut starts) = (Vec::new(), Vec::with_capacity(batch.num_rows()));
        let mut heads = keys.layout.heads(batch, 0);
        for _ in 0..batch.num_rows() {
            heads.next(&mut text);
            starts.push(text.len());
        }
        keys.layout.write(batch, &starts, &mut text, &mut Buffers::default());
        let (array, marks) = (keys.keys(batch)?, marks(keys));
        let (mut row, mut begin, mut marked, mut pushed) = (0, 0, Vec::new(), Ok(()));
        keys::each(array.as_ref(), &mut |key| {
            let payload = &text[begin..starts[row]];
            (begin, row) = (starts[row], row + 1);
            if pushed.is_err() {
                return;
            }
            marked.clear();
            marked.extend(marks.map(|marks| marks[usize::from(key.is_some())]));
            marked.extend_from_slice(key.unwrap_or_default());
            pushed = self.sorter.push(&marked, payload);
        });
        pushed.map_err(failed)
    }

    /// Gives the first `most` rows in order to `take`, in batches of `size` rows, until it returns false; and what was
    /// spilled.
    pub(crate) fn emit(
        self,
        keys: &KeyMaker,
        most: usize,
        size: usize,
        take: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<Progress> {
        let mut sorted = self.sorter.finish().map_err(failed)?;
        let seen = self.meter.seen();
        let mut left = most;
        while left > 0 {
            let batch = match &self.encoded {
                Some((converter, schema)) => encoded_batch(&mut sorted, size.min(left), converter, schema),
                None => record_batch(&mut sorted, size.min(left), keys),
            };
            let Some(batch) = batch? else { break };
            left -= batch.num_rows();
            if !take(batch) {
                break;
            }
        }
        Ok(seen)
    }
}

/// The next rows, at most so many; none at the end.
fn encoded_batch(
    sorted: &mut Sorted,
    most: usize,
    payload: &RowConverter,
    schema: &SchemaRef,
) -> Result<Option<RecordBatch>> {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    while ends.len() < most && sorted.advance().map_err(failed)? {
        bytes.extend_from_slice(sorted.payload());
        ends.push(bytes.len());
    }
    if ends.is_empty() { Ok(None) } else { decoded(payload, schema, &bytes, &ends).map(Some) }
}

/// The next rows, at most so many; none at the end.
fn record_batch(sorted: &mut Sorted, most: usize, keys: &KeyMaker) -> Result<Option<RecordBatch>> {
    let (layout, marks) = (&keys.layout, marks(keys));
    let (mut text, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    while starts.len() < most && sorted.advance().map_err(failed)? {
        text.extend_from_slice(sorted.payload());
        starts.push(text.len());
        let key = match (marks, sorted.key()) {
            (Some([null, _]), [mark, key @ ..]) => (*mark != null).then_some(key),
            (_, key) => Some(key),
        };
        // Only a column that is made from the keys needs them.
        let key = key.filter(|_| layout.has_key());
        text.extend_from_slice(key.unwrap_or_default());
        ends.push(key.map(|_| text.len()));
    }
    if starts.is_empty() {
        return Ok(None);
    }
    let key = |(&start, end): (&usize, &Option<usize>)| end.map(|end| &text[start..end]);
    let keys: Vec<Option<&[u8]>> = starts.iter().zip(&ends).map(key).collect();
    layout.batch(&starts, &text, &Buffers::default(), &keys, &[]).map(Some)
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
