//! Strings and bytes, between arrays and records.

use datafusion::arrow::array::{Array, ArrayData, AsArray, GenericByteArray};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::datatypes::{ByteArrayType, DataType};
use datafusion::arrow::error::ArrowError;
use datafusion::common::Result;

/// Bytes of a row's number.
pub(crate) const NUMBER: usize = size_of::<u32>();

/// Bytes of the length of a string.
pub(crate) const LENGTH: usize = size_of::<u64>();

/// Appends heads, with the strings before them, row by row.
pub(crate) struct Heads<'b> {
    /// With the offset of their lengths.
    strings: Vec<(usize, Values<'b>)>,
    number: u32,
    row: usize,
    head: Vec<u8>,
}

impl<'b> Heads<'b> {
    /// Of a batch with these columns of strings, whose lengths are written there; the first row has this number.
    pub(crate) fn new(strings: Vec<(usize, Values<'b>)>, number: u32, head: usize) -> Self {
        Heads { strings, number, row: 0, head: vec![0; head] }
    }

    /// The next row's.
    #[inline]
    pub(crate) fn next(&mut self, text: &mut Vec<u8>) {
        self.head[..NUMBER].copy_from_slice(&self.number.to_ne_bytes());
        for (offset, strings) in &self.strings {
            let value = strings.value(self.row);
            self.head[*offset..offset + LENGTH].copy_from_slice(&(value.len() as u64).to_ne_bytes());
            text.extend_from_slice(value);
        }
        text.extend_from_slice(&self.head);
        self.number = self.number.wrapping_add(1);
        self.row += 1;
    }
}

/// The values of an array of strings or bytes.
pub(crate) enum Values<'b> {
    Small(&'b [i32], &'b [u8]),
    Large(&'b [i64], &'b [u8]),
}

impl<'b> Values<'b> {
    /// Of one of these types.
    pub(crate) fn of(array: &'b dyn Array) -> Self {
        match array.data_type() {
            DataType::Utf8 => Values::small(array.as_string::<i32>()),
            DataType::Binary => Values::small(array.as_binary::<i32>()),
            DataType::LargeUtf8 => Values::large(array.as_string::<i64>()),
            _ => Values::large(array.as_binary::<i64>()),
        }
    }

    fn small<T: ByteArrayType<Offset = i32>>(array: &'b GenericByteArray<T>) -> Self {
        Values::Small(array.value_offsets(), array.value_data())
    }

    fn large<T: ByteArrayType<Offset = i64>>(array: &'b GenericByteArray<T>) -> Self {
        Values::Large(array.value_offsets(), array.value_data())
    }

    /// Where the value before this row ends.
    #[inline]
    pub(crate) fn end(&self, row: usize) -> usize {
        match self {
            Values::Small(offsets, _) => offsets[row] as usize,
            Values::Large(offsets, _) => offsets[row] as usize,
        }
    }

    #[inline]
    fn value(&self, row: usize) -> &'b [u8] {
        let (Values::Small(_, values) | Values::Large(_, values)) = self;
        &values[self.end(row)..self.end(row + 1)]
    }
}

/// Strings of rows, and where each ends.
#[derive(Clone, Default)]
pub(crate) struct Gathered {
    values: Vec<u8>,
    ends: Vec<usize>,
}

impl Gathered {
    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) {
        self.values.extend_from_slice(value);
        self.ends.push(self.values.len());
    }

    /// An array of a type with such offsets, without nulls.
    pub(crate) fn array(self, large: bool, of: &DataType) -> Result<ArrayData> {
        let rows = self.ends.len();
        let ends = std::iter::once(&0).chain(&self.ends);
        let offsets = if large {
            Buffer::from_iter(ends.map(|&end| end as i64))
        } else {
            i32::try_from(self.values.len())
                .map_err(|_| ArrowError::OffsetOverflowError(self.values.len()))?;
            Buffer::from_iter(ends.map(|&end| end as i32))
        };
        let array =
            ArrayData::builder(of.clone()).len(rows).add_buffer(offsets).add_buffer(self.values.into());
        // SAFETY: the values are whole ones of arrays of this type, and the offsets are where they end.
        Ok(unsafe { array.build_unchecked() })
    }
}
