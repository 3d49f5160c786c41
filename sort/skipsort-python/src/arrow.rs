//! Keys of Arrow's arrays, which come by the C data interface without a copy.

use std::num::NonZeroUsize;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

use crate::order::{How, Order, list_for, numbers};

/// Sorts one array, given as `__arrow_c_array__` gives it.
#[pyfunction]
#[pyo3(signature = (schema, array, *, reverse, nulls_first, limit, threads))]
pub(crate) fn order_array(
    py: Python<'_>,
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
    reverse: bool,
    nulls_first: bool,
    limit: Option<usize>,
    threads: Option<NonZeroUsize>,
) -> PyResult<Order> {
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast();
    // SAFETY: capsules of these names hold these structures, says the protocol. Both are moved out, so that the capsules
    // release nothing.
    let (schema, array) =
        unsafe { (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr())) };
    if array.is_released() {
        return Err(PyValueError::new_err("the Arrow array was already taken from its capsules"));
    }
    // SAFETY: the data agree with the interface, as every producer promises, and were not released.
    let data = unsafe { from_ffi(array, &schema) }.map_err(refused)?;
    order(py, &[make_array(data)], nulls_first, How::new(reverse, limit, threads))
}

/// Sorts the arrays of a stream as one, given as `__arrow_c_stream__` gives it.
#[pyfunction]
#[pyo3(signature = (stream, *, reverse, nulls_first, limit, threads))]
pub(crate) fn order_stream(
    py: Python<'_>,
    stream: &Bound<'_, PyCapsule>,
    reverse: bool,
    nulls_first: bool,
    limit: Option<usize>,
    threads: Option<NonZeroUsize>,
) -> PyResult<Order> {
    let stream = stream.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: as in `order_array`.
    let reader = unsafe { ArrayStreamReader::from_raw(stream.as_ptr()) }.map_err(refused)?;
    let chunks: Vec<ArrayRef> = reader.collect::<Result<_, _>>().map_err(refused)?;
    order(py, &chunks, nulls_first, How::new(reverse, limit, threads))
}

/// The exception for what the producer or the Arrow library refuses.
pub(crate) fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("the Arrow data cannot be read: {error}"))
}

fn order(py: Python<'_>, chunks: &[ArrayRef], nulls_first: bool, how: How) -> PyResult<Order> {
    let mut rows = Rows::for_rows(chunks.iter().map(|chunk| chunk.len()).sum())?;
    chunks.iter().try_for_each(|chunk| rows.add(chunk.as_ref()))?;
    Ok(Order::new(rows.order(py, nulls_first, how)?))
}

/// Values, and the numbers of the rows that they and the nulls are in.
struct Rows<'a> {
    values: Vec<&'a [u8]>,
    /// Empty while there are no nulls.
    numbers: Vec<u64>,
    nulls: Vec<u64>,
}

impl<'a> Rows<'a> {
    fn for_rows(rows: usize) -> PyResult<Self> {
        Ok(Rows { values: list_for(rows)?, numbers: Vec::new(), nulls: Vec::new() })
    }

    fn add(&mut self, chunk: &'a dyn Array) -> PyResult<()> {
        match chunk.data_type() {
            DataType::Dictionary(..) => self.add_dictionary(chunk)?,
            _ => values(chunk)?.for_each(|value| self.push(value)),
        }
        Ok(())
    }

    fn add_dictionary(&mut self, chunk: &'a dyn Array) -> PyResult<()> {
        let dictionary = chunk.as_any_dictionary();
        let words: Vec<Option<&'a [u8]>> = values(dictionary.values().as_ref())?.collect();
        let keys = if words.is_empty() { vec![0; chunk.len()] } else { dictionary.normalized_keys() };
        for (row, key) in keys.into_iter().enumerate() {
            let word = words.get(key).copied().flatten();
            self.push(word.filter(|_| dictionary.keys().is_valid(row)));
        }
        Ok(())
    }

    fn push(&mut self, value: Option<&'a [u8]>) {
        let row = (self.values.len() + self.nulls.len()) as u64;
        if value.is_none() {
            if self.nulls.is_empty() {
                self.numbers.extend(0..row);
            }
            self.nulls.push(row);
        } else if !self.nulls.is_empty() {
            self.numbers.push(row);
        }
        self.values.extend(value);
    }

    fn order(mut self, py: Python<'_>, nulls_first: bool, how: How) -> PyResult<Vec<u64>> {
        let limit = how.limit.unwrap_or(usize::MAX);
        let wanted = if nulls_first { limit.saturating_sub(self.nulls.len()) } else { limit };
        let mut order = numbers(py, &self.values, How { limit: Some(wanted), ..how })?;
        if !self.nulls.is_empty() {
            order.iter_mut().for_each(|value| *value = self.numbers[*value as usize]);
        }
        if nulls_first {
            self.nulls.append(&mut order);
            order = self.nulls;
        } else {
            order.append(&mut self.nulls);
        }
        order.truncate(limit);
        Ok(order)
    }
}

type Values<'a> = Box<dyn Iterator<Item = Option<&'a [u8]>> + 'a>;

/// The values of an array whose type is one of bytes.
fn values(array: &dyn Array) -> PyResult<Values<'_>> {
    Ok(match array.data_type() {
        DataType::Binary => Box::new(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => Box::new(array.as_binary::<i64>().iter()),
        DataType::BinaryView => Box::new(array.as_binary_view().iter()),
        DataType::FixedSizeBinary(_) => Box::new(array.as_fixed_size_binary().iter()),
        DataType::Utf8 => Box::new(array.as_string::<i32>().iter().map(|value| value.map(str::as_bytes))),
        DataType::LargeUtf8 => {
            Box::new(array.as_string::<i64>().iter().map(|value| value.map(str::as_bytes)))
        }
        DataType::Utf8View => Box::new(array.as_string_view().iter().map(|value| value.map(str::as_bytes))),
        DataType::Struct(_) => {
            return Err(PyTypeError::new_err("a table has several columns: sort one of them, or argsort it"));
        }
        other => {
            return Err(PyTypeError::new_err(format!("cannot sort {other} by bytes: cast it to strings")));
        }
    })
}
