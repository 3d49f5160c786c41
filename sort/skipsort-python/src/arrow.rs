//! Keys of Arrow's arrays, which come by the C data interface without a copy.

use std::num::NonZeroUsize;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

use crate::order::{How, Order, list_for, numbers};
use crate::values::{Outside, Value, values};

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
    if array.is_released() || schema.release().is_none() {
        return Err(PyValueError::new_err("the Arrow array was already taken from its capsules"));
    }
    // SAFETY: neither was released. The interface does not tell how long buffers are, so this is the producer's duty: they are
    // aligned, have room for all rows, and have as many bytes of values as the last offset or the lengths of views' buffers
    // say. None of these is negative. The import reads no more than these, and all else in the buffers is not trusted:
    // `values` checks offsets, views and keys before it follows them, and makes no `str`, so strings need not be UTF-8.
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
    // SAFETY: as in `order_array`, for the stream and for each array that it gives.
    let reader = unsafe { ArrayStreamReader::from_raw(stream.as_ptr()) }.map_err(refused)?;
    let chunks: Vec<ArrayRef> = reader.collect::<Result<_, _>>().map_err(refused)?;
    order(py, &chunks, nulls_first, How::new(reverse, limit, threads))
}

/// The exception for what the producer or the Arrow library refuses.
pub(crate) fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("the Arrow data cannot be read: {error}"))
}

#[cold]
fn outside(row: u64) -> PyErr {
    let message = format!(
        "row {row} refers to something outside its Arrow array; pyarrow's validate(full=True) tells more"
    );
    PyValueError::new_err(message)
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
        values(chunk)?.try_for_each(|value| self.push(value))
    }

    fn push(&mut self, value: Value<'a>) -> PyResult<()> {
        let row = (self.values.len() + self.nulls.len()) as u64;
        let value = value.map_err(|Outside| outside(row))?;
        if value.is_none() {
            if self.nulls.is_empty() {
                self.numbers.extend(0..row);
            }
            self.nulls.push(row);
        } else if !self.nulls.is_empty() {
            self.numbers.push(row);
        }
        self.values.extend(value);
        Ok(())
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
