//! Rows as they lie in memory while they are sorted: what a row has stands before its key, so that one visit finds it all, and
//! not one visit for each column.
//!
//! ```text
//!   [ strings ][ number 4 | nulls | values | lengths of strings ][ key ]
//!              |<------------------- head --------------------->|^ where the row starts for the sort
//! ```
//!
//! The number leads to columns of other types, which stay in their batches. A column that is the key is made from it.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayData, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use datafusion::arrow::buffer::{MutableBuffer, NullBuffer};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::utils::memory::get_record_batch_memory_size;

use crate::key_column::KeyColumn;
use crate::strings::{Gathered, Heads, LENGTH, NUMBER, Values};
use crate::{fixed, key_column, prefetch};

/// Rows of which all columns are taken before those of the next ones: what they need stays in the second cache.
const BLOCK: usize = 1024;

/// Where a row has what.
pub(crate) struct Layout {
    schema: SchemaRef,
    /// A column that is made from the keys.
    key: Option<KeyColumn>,
    fixed: Vec<Fixed>,
    strings: Vec<Strings>,
    /// Columns that stay in batches.
    others: Vec<usize>,
    /// Bytes between strings and key.
    head: usize,
}

/// A column whose values are in the rows.
struct Fixed {
    column: usize,
    width: usize,
    /// From the beginning of the head.
    offset: usize,
}

/// A column of strings or bytes, which are in the rows.
struct Strings {
    column: usize,
    /// Of the length, from the beginning of the head.
    offset: usize,
}

impl Layout {
    /// Of rows of this schema, one column of which may be the key.
    pub(crate) fn of(schema: &SchemaRef, key: Option<KeyColumn>) -> Self {
        let (mut fixed, mut strings, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let columns = schema.fields().iter().map(|field| field.data_type()).enumerate();
        for (column, of) in columns.filter(|(column, _)| key.is_none_or(|key| key.column != *column)) {
            match (key_column::is_made(of), of.primitive_width()) {
                (true, _) => strings.push(Strings { column, offset: 0 }),
                (false, Some(width)) => fixed.push(Fixed { column, width, offset: 0 }),
                (false, None) => others.push(column),
            }
        }
        let mut head = NUMBER + (fixed.len() + strings.len()).div_ceil(8);
        let mut place = |offset: &mut usize, width| {
            *offset = head;
            head += width;
        };
        fixed.iter_mut().for_each(|of| place(&mut of.offset, of.width));
        strings.iter_mut().for_each(|of| place(&mut of.offset, LENGTH));
        Layout { schema: Arc::clone(schema), key, fixed, strings, others, head }
    }

    /// Of rows whose columns all stay in batches.
    pub(crate) fn in_batches(schema: &SchemaRef) -> Self {
        let others = (0..schema.fields().len()).collect();
        Layout {
            schema: Arc::clone(schema),
            key: None,
            fixed: Vec::new(),
            strings: Vec::new(),
            others,
            head: NUMBER,
        }
    }

    /// Whether a column is made from the keys.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Whether a record has all of a row.
    pub(crate) fn is_whole(&self) -> bool {
        self.others.is_empty()
    }

    /// The columns of a batch that are not in its rows.
    pub(crate) fn others(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        Ok(batch.project(&self.others)?)
    }

    /// Bytes of a batch's records without their keys.
    pub(crate) fn record_bytes(&self, batch: &RecordBatch) -> usize {
        self.arrays(batch).map(|array| array.bytes()).sum::<usize>() + batch.num_rows() * self.head
    }

    /// Bytes of a batch that are kept beside its records.
    pub(crate) fn other_bytes(&self, batch: &RecordBatch) -> Result<usize> {
        Ok(get_record_batch_memory_size(&self.others(batch)?))
    }

    /// The record of the row that starts there, without its key.
    pub(crate) fn payload<'t>(&self, start: usize, text: &'t [u8]) -> &'t [u8] {
        let head = start - self.head;
        let strings: usize = self.strings.iter().map(|strings| self.length(strings, start, text)).sum();
        &text[head - strings..start]
    }

    fn length(&self, strings: &Strings, start: usize, text: &[u8]) -> usize {
        u64::from_ne_bytes(fixed::array_at(text, start - self.head + strings.offset)) as usize
    }

    /// The heads of a batch's records, the first of which has this number.
    pub(crate) fn heads<'b>(&self, batch: &'b RecordBatch, first: u32) -> Heads<'b> {
        let strings = self.strings.iter().map(|strings| strings.offset).zip(self.arrays(batch)).collect();
        Heads::new(strings, first, self.head)
    }

    fn arrays<'b>(&self, batch: &'b RecordBatch) -> impl Iterator<Item = Values<'b>> {
        self.strings.iter().map(move |strings| Values::of(batch.column(strings.column).as_ref()))
    }

    /// Where rows are null.
    fn write_nulls(&self, at: usize, array: &dyn Array, starts: &[usize], text: &mut [u8]) {
        if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
            for (_, start) in starts.iter().enumerate().filter(|(row, _)| nulls.is_null(*row)) {
                text[start - self.head + NUMBER + at / 8] |= 1 << (at % 8);
            }
        }
    }

    /// Writes what a batch has of fixed widths, and which of its strings are null, into the heads of its rows.
    pub(crate) fn write(&self, batch: &RecordBatch, starts: &[usize], text: &mut [u8]) {
        for (at, strings) in self.strings.iter().enumerate() {
            self.write_nulls(self.fixed.len() + at, batch.column(strings.column), starts, text);
        }
        for (at, fixed) in self.fixed.iter().enumerate() {
            self.write_nulls(at, batch.column(fixed.column), starts, text);
            let array = batch.column(fixed.column).to_data();
            let values = array.buffers()[0].slice(array.offset() * fixed.width);
            fixed::scatter(fixed.width, &values, starts, self.head - fixed.offset, text);
        }
    }

    /// The numbers of rows.
    pub(crate) fn numbers(&self, starts: &[usize], text: &[u8]) -> impl Iterator<Item = u32> {
        starts.iter().map(|start| u32::from_ne_bytes(fixed::array_at(text, start - self.head)))
    }

    /// The rows that start there, whose keys and other columns these are.
    pub(crate) fn batch(
        &self,
        starts: &[usize],
        text: &[u8],
        keys: &[Option<&[u8]>],
        others: &[ArrayRef],
    ) -> Result<RecordBatch> {
        let mut columns: Vec<Option<ArrayRef>> = vec![None; self.schema.fields().len()];
        let (values, strings) = self.gather(starts, text);
        for (at, (fixed, values)) in self.fixed.iter().zip(values).enumerate() {
            columns[fixed.column] = Some(self.array(at, starts, text, values));
        }
        for (at, (of, strings)) in self.strings.iter().zip(strings).enumerate() {
            let array = strings.array(self.schema.field(of.column).data_type())?;
            columns[of.column] =
                Some(make_array(self.with_nulls(self.fixed.len() + at, of.column, array, starts, text)));
        }
        for (column, array) in self.others.iter().zip(others) {
            columns[*column] = Some(Arc::clone(array));
        }
        if let Some(KeyColumn { column, direction }) = self.key {
            let of = self.schema.field(column).data_type();
            columns[column] = Some(key_column::array(of, direction, keys)?);
        }
        let columns = columns.into_iter().flatten().collect();
        let options = RecordBatchOptions::new().with_row_count(Some(starts.len()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }

    /// The values of each column.
    fn gather(&self, starts: &[usize], text: &[u8]) -> (Vec<MutableBuffer>, Vec<Gathered>) {
        let room = |fixed: &Fixed| MutableBuffer::with_capacity(starts.len() * fixed.width);
        let mut values: Vec<MutableBuffer> = self.fixed.iter().map(room).collect();
        let mut strings = vec![Gathered::default(); self.strings.len()];
        let mut ends = Vec::with_capacity(BLOCK);
        for starts in starts.chunks(BLOCK) {
            starts.iter().for_each(|start| prefetch::lines(&text[start - self.head..*start]));
            for (fixed, values) in self.fixed.iter().zip(&mut values) {
                fixed::gather(fixed.width, text, starts, self.head - fixed.offset, values);
            }
            // Strings end where the head begins, the last one first.
            ends.clear();
            ends.extend(starts.iter().map(|start| start - self.head));
            for (of, strings) in self.strings.iter().zip(&mut strings).rev() {
                for (end, start) in ends.iter_mut().zip(starts) {
                    let length = self.length(of, *start, text);
                    strings.push(&text[*end - length..*end]);
                    *end -= length;
                }
            }
        }
        (values, strings)
    }

    fn array(&self, at: usize, starts: &[usize], text: &[u8], values: MutableBuffer) -> ArrayRef {
        let fixed = &self.fixed[at];
        let array = ArrayData::builder(self.schema.field(fixed.column).data_type().clone())
            .len(starts.len())
            .add_buffer(values.into());
        // SAFETY: the values are those of arrays of this type, in a buffer that is aligned for any.
        make_array(self.with_nulls(at, fixed.column, unsafe { array.build_unchecked() }, starts, text))
    }

    /// The same array, with the nulls of these rows.
    fn with_nulls(
        &self,
        at: usize,
        column: usize,
        array: ArrayData,
        starts: &[usize],
        text: &[u8],
    ) -> ArrayData {
        if !self.schema.field(column).is_nullable() {
            return array;
        }
        let place = NUMBER + at / 8;
        let valid = |start: &usize| text[start - self.head + place] >> (at % 8) & 1 == 0;
        let nulls: NullBuffer = starts.iter().map(valid).collect();
        let array = array.into_builder().nulls(Some(nulls).filter(|nulls| nulls.null_count() > 0));
        // SAFETY: as before, with as many nulls as it has rows.
        unsafe { array.build_unchecked() }
    }
}
