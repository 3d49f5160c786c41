//! Keys of Python's own `str` and `bytes`.
//!
//! Python compares `str` by code points, and the bytes of UTF-8 have the same order. The interpreter keeps the UTF-8 of a
//! string in the string: at once if it is ASCII, else from the first time that it is asked for.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::ptr;
use std::slice;

use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::order::{How, Order, list_for, numbers};

/// Rows between two looks for signals.
const BATCH: usize = 1 << 16;

/// Sorts a tuple of `str`, or of `bytes`.
#[pyfunction]
#[pyo3(signature = (rows, *, reverse, limit, threads))]
pub(crate) fn order_objects(
    py: Python<'_>,
    rows: &Bound<'_, PyTuple>,
    reverse: bool,
    limit: Option<usize>,
    threads: Option<NonZeroUsize>,
) -> PyResult<Order> {
    let keys = Keys::of(rows)?;
    Ok(Order::new(numbers(py, &keys.slices, How::new(reverse, limit, threads))?))
}

/// The list of these rows of the tuple.
#[pyfunction]
pub(crate) fn picked<'py>(rows: &Bound<'py, PyTuple>, order: &Order) -> PyResult<Bound<'py, PyList>> {
    let mut objects = list_for(order.numbers().len())?;
    for row in order.numbers() {
        objects.push(rows.get_borrowed_item(*row as usize)?);
    }
    PyList::new(rows.py(), objects)
}

/// The bytes of all rows.
struct Keys<'t, 'py> {
    slices: Vec<&'t [u8]>,
    /// What strings without UTF-8 are encoded as. Slices lead there.
    encoded: Vec<Bound<'py, PyBytes>>,
    rows: PhantomData<&'t Bound<'py, PyTuple>>,
}

impl<'t, 'py> Keys<'t, 'py> {
    fn of(rows: &'t Bound<'py, PyTuple>) -> PyResult<Self> {
        let mut keys = Keys { slices: list_for(rows.len())?, encoded: Vec::new(), rows: PhantomData };
        let strings = rows.iter_borrowed().next().is_some_and(|row| row.is_instance_of::<PyString>());
        for (number, row) in rows.iter_borrowed().enumerate() {
            let row: &Bound<'py, PyAny> = &row;
            if number % BATCH == 0 {
                rows.py().check_signals()?;
            }
            if strings && let Ok(row) = row.cast::<PyString>() {
                keys.push_string(row)?;
            } else if !strings && let Ok(row) = row.cast::<PyBytes>() {
                keys.push_bytes(row);
            } else {
                return Err(refused(rows, number, row));
            }
        }
        Ok(keys)
    }

    fn push_string(&mut self, row: &Bound<'py, PyString>) -> PyResult<()> {
        let mut len = 0;
        // SAFETY: `row` is a string, and `len` a place for its length.
        let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(row.as_ptr(), &mut len) };
        if start.is_null() {
            return self.push_surrogates(row);
        }
        // SAFETY: the interpreter gave so many bytes. They are the string's own, never change, and live as long as it does:
        // the tuple keeps it for `'t`.
        self.slices.push(unsafe { slice::from_raw_parts(start.cast(), len as usize) });
        Ok(())
    }

    /// Half of a surrogate pair has no UTF-8. Encoded like any other code point of its size it still has its place.
    #[cold]
    fn push_surrogates(&mut self, row: &Bound<'py, PyString>) -> PyResult<()> {
        const ENCODING: &CStr = c"utf-8";
        const ERRORS: &CStr = c"surrogatepass";
        let error = PyErr::fetch(row.py());
        if !error.is_instance_of::<PyUnicodeEncodeError>(row.py()) {
            return Err(error);
        }
        // SAFETY: `row` is a string and the names are two of Python's own; a result is a new reference.
        let encoded = unsafe {
            let bytes = ffi::PyUnicode_AsEncodedString(row.as_ptr(), ENCODING.as_ptr(), ERRORS.as_ptr());
            Bound::from_owned_ptr_or_err(row.py(), bytes)?
        };
        let encoded = encoded.cast_into::<PyBytes>()?;
        self.push_bytes(&encoded);
        self.encoded.push(encoded);
        Ok(())
    }

    fn push_bytes(&mut self, row: &Bound<'py, PyBytes>) {
        let bytes = row.as_bytes();
        // SAFETY: bytes of a `bytes` object never change or move, and live as long as it does. The tuple keeps it for `'t`, or
        // `encoded` does as long as there are slices.
        self.slices.push(unsafe { &*ptr::from_ref(bytes) });
    }
}

/// The error for a row that is neither, or not what the rows before it are.
#[cold]
fn refused(rows: &Bound<'_, PyTuple>, number: usize, row: &Bound<'_, PyAny>) -> PyErr {
    let name = |row: &Bound<'_, PyAny>| row.get_type().name().map_or("?".into(), |name| name.to_string());
    let (is, first) = (name(row), rows.get_item(0).map_or("?".into(), |row| name(&row)));
    let message = if row.is_instance_of::<PyString>() || row.is_instance_of::<PyBytes>() {
        format!("row {number} is {is} and row 0 is {first}: encode or decode one of the kinds")
    } else {
        format!("row {number} is {is}: skipsort takes str or bytes; leave such rows out, or use sorted()")
    };
    PyTypeError::new_err(message)
}
