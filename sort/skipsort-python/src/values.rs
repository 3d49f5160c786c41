//! The bytes of the rows of an Arrow array, whose type may be strings or binary.
//!
//! No `str` is made of a string: a producer need not have looked whether its strings are UTF-8, and a sort by bytes need not
//! know. Offsets, views and keys of dictionaries come from the producer as well, so each is checked before it is followed.

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, GenericByteArray, GenericByteViewArray, downcast_integer_array};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_schema::DataType;
use pyo3::PyResult;
use pyo3::exceptions::PyTypeError;

/// The bytes of a row, or `None` of a null.
pub(crate) type Value<'a> = Result<Option<&'a [u8]>, Outside>;

/// What a row refers to is not within the array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outside;

pub(crate) type Values<'a> = Box<dyn Iterator<Item = Value<'a>> + 'a>;

/// The values of an array of bytes, or of a dictionary of such.
pub(crate) fn values(array: &dyn Array) -> PyResult<Values<'_>> {
    if !matches!(array.data_type(), DataType::Dictionary(..)) {
        return plain(array);
    }
    let dictionary = array.as_any_dictionary();
    let words: Vec<Value<'_>> = plain(dictionary.values().as_ref())?.collect();
    let keys =
        keys(dictionary.keys()).into_iter().map(move |key| words.get(key).copied().unwrap_or(Err(Outside)));
    Ok(valid(dictionary.keys().nulls(), keys))
}

/// The keys of a dictionary. Negative ones become larger than any dictionary.
fn keys(keys: &dyn Array) -> Vec<usize> {
    downcast_integer_array!(
        keys => keys.values().iter().map(|key| key.as_usize()).collect(),
        other => unreachable!("a dictionary has keys of type {other}")
    )
}

/// The values of an array that is no dictionary.
fn plain(array: &dyn Array) -> PyResult<Values<'_>> {
    Ok(match array.data_type() {
        DataType::Binary => by_offsets(array.as_binary::<i32>()),
        DataType::LargeBinary => by_offsets(array.as_binary::<i64>()),
        DataType::Utf8 => by_offsets(array.as_string::<i32>()),
        DataType::LargeUtf8 => by_offsets(array.as_string::<i64>()),
        DataType::BinaryView => by_views(array.as_binary_view()),
        DataType::Utf8View => by_views(array.as_string_view()),
        DataType::FixedSizeBinary(_) => Box::new(array.as_fixed_size_binary().iter().map(Ok)),
        DataType::Struct(_) => {
            return Err(PyTypeError::new_err("a table has several columns: sort one of them, or argsort it"));
        }
        other => {
            return Err(PyTypeError::new_err(format!("cannot sort {other} by bytes: cast it to strings")));
        }
    })
}

/// Values that lie one behind the other, each between two offsets.
fn by_offsets<T: ByteArrayType>(array: &GenericByteArray<T>) -> Values<'_> {
    let offsets = array.value_offsets();
    let bytes = array.value_data();
    let rows = offsets
        .array_windows()
        .map(|[start, end]| bytes.get(start.as_usize()..end.as_usize()).ok_or(Outside));
    valid(array.nulls(), rows.map(|row| row.map(Some)))
}

/// Values that are in views or that views lead to.
fn by_views<T: ByteViewType + ?Sized>(array: &GenericByteViewArray<T>) -> Values<'_> {
    let (views, _) = array.views().inner().as_chunks();
    let buffers = array.data_buffers();
    valid(array.nulls(), views.iter().map(|view| viewed(view, buffers).ok_or(Outside).map(Some)))
}

/// The bytes of one view.
///
/// ```text
///   bytes     0..4     4..8    8..12    12..16
///   long      length   start   buffer   offset
///   short     length   the bytes, at most twelve
/// ```
fn viewed<'a>(view: &'a [u8; 16], buffers: &'a [Buffer]) -> Option<&'a [u8]> {
    let (fields, _) = view.as_chunks::<4>();
    let field = |at: usize| u32::from_ne_bytes(fields[at]) as usize;
    let length = field(0);
    view[4..].get(..length).or_else(|| buffers.get(field(2))?.get(field(3)..field(3) + length))
}

/// These values, but `None` where nothing is valid, whatever is said there.
fn valid<'a>(nulls: Option<&'a NullBuffer>, values: impl Iterator<Item = Value<'a>> + 'a) -> Values<'a> {
    let Some(nulls) = nulls else { return Box::new(values) };
    Box::new(values.zip(nulls).map(|(value, valid)| if valid { value } else { Ok(None) }))
}
