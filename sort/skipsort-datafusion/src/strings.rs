//! Strings and bytes, between arrays and records.

use datafusion::arrow::array::{
    Array, ArrayData, AsArray, BinaryViewArray, GenericByteArray, LargeBinaryArray, LargeStringArray,
    StringViewArray,
};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::datatypes::{ByteArrayType, DataType};
use datafusion::arrow::error::ArrowError;
use datafusion::common::Result;

use crate::region::Stretch;

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
    pub(crate) fn next(&mut self, text: &mut Stretch<'_, u8>) {
        self.head[..NUMBER].copy_from_slice(&self.number.to_ne_bytes());
        for (offset, strings) in &self.strings {
            let value = strings.value(self.row);
            self.head[*offset..offset + LENGTH].copy_from_slice(&(value.len() as u64).to_ne_bytes());
            text.push_all(value);
        }
        text.push_all(&self.head);
        self.number = self.number.wrapping_add(1);
        self.row += 1;
    }
}

/// The values of an array of strings or bytes.
pub(crate) enum Values<'b> {
    Small(&'b [i32], &'b [u8]),
    Large(&'b [i64], &'b [u8]),
    Strings(&'b StringViewArray),
    Bytes(&'b BinaryViewArray),
}

impl<'b> Values<'b> {
    /// Of one of these types.
    pub(crate) fn of(array: &'b dyn Array) -> Self {
        match array.data_type() {
            DataType::Utf8 => Values::small(array.as_string::<i32>()),
            DataType::Binary => Values::small(array.as_binary::<i32>()),
            DataType::LargeUtf8 => Values::large(array.as_string::<i64>()),
            DataType::LargeBinary => Values::large(array.as_binary::<i64>()),
            DataType::Utf8View => Values::Strings(array.as_string_view()),
            _ => Values::Bytes(array.as_binary_view()),
        }
    }

    fn small<T: ByteArrayType<Offset = i32>>(array: &'b GenericByteArray<T>) -> Self {
        Values::Small(array.value_offsets(), array.value_data())
    }

    fn large<T: ByteArrayType<Offset = i64>>(array: &'b GenericByteArray<T>) -> Self {
        Values::Large(array.value_offsets(), array.value_data())
    }

    /// Bytes of all values.
    pub(crate) fn bytes(&self) -> usize {
        let of_views = |rows: usize| (0..rows).map(|row| self.value(row).len()).sum();
        match self {
            Values::Small(offsets, _) => (offsets[offsets.len() - 1] - offsets[0]) as usize,
            Values::Large(offsets, _) => (offsets[offsets.len() - 1] - offsets[0]) as usize,
            Values::Strings(array) => of_views(array.len()),
            Values::Bytes(array) => of_views(array.len()),
        }
    }

    /// Views of nulls may lead anywhere.
    #[inline]
    fn value(&self, row: usize) -> &'b [u8] {
        match self {
            Values::Small(offsets, values) => &values[offsets[row] as usize..offsets[row + 1] as usize],
            Values::Large(offsets, values) => &values[offsets[row] as usize..offsets[row + 1] as usize],
            Values::Strings(array) if array.is_valid(row) => array.value(row).as_bytes(),
            Values::Bytes(array) if array.is_valid(row) => array.value(row),
            Values::Strings(_) | Values::Bytes(_) => &[],
        }
    }
}

/// Strings of rows, and where each ends.
#[derive(Clone, Default)]
pub(crate) struct Gathered {
    values: Vec<u8>,
    ends: Vec<usize>,
}

impl Gathered {
    /// Without rows, with room for so many and their bytes.
    pub(crate) fn with_capacity(rows: usize, bytes: usize) -> Self {
        Gathered { values: Vec::with_capacity(bytes), ends: Vec::with_capacity(rows) }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) {
        self.push_with(|values| values.extend_from_slice(value));
    }

    /// One more, which is what is written behind the others.
    #[inline]
    pub(crate) fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.values);
        self.ends.push(self.values.len());
    }

    /// An array of a type of strings or bytes, without nulls.
    pub(crate) fn array(self, of: &DataType) -> Result<ArrayData> {
        // Views are made of an array whose values they share.
        let flat = match of {
            DataType::Utf8View => &DataType::LargeUtf8,
            DataType::BinaryView => &DataType::LargeBinary,
            of => of,
        };
        let rows = self.ends.len();
        let ends = std::iter::once(&0).chain(&self.ends);
        let offsets = if matches!(flat, DataType::Utf8 | DataType::Binary) {
            i32::try_from(self.values.len())
                .map_err(|_| ArrowError::OffsetOverflowError(self.values.len()))?;
            Buffer::from_iter(ends.map(|&end| end as i32))
        } else {
            Buffer::from_iter(ends.map(|&end| end as i64))
        };
        let array =
            ArrayData::builder(flat.clone()).len(rows).add_buffer(offsets).add_buffer(self.values.into());
        // SAFETY: the values are whole ones of arrays of this type, and the offsets are where they end.
        let array = unsafe { array.build_unchecked() };
        Ok(match of {
            DataType::Utf8View => StringViewArray::from(&LargeStringArray::from(array)).into_data(),
            DataType::BinaryView => BinaryViewArray::from(&LargeBinaryArray::from(array)).into_data(),
            _ => array,
        })
    }
}
