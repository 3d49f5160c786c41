//! Slices of bytes to row numbers in order.

use std::ffi::{CStr, c_int};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow_array::ffi::to_ffi;
use arrow_array::{Array, Int64Array};
use arrow_buffer::{Buffer, ScalarBuffer};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use skipsort::{Bytes, Scratch, Sorter, top_k_indices};

use crate::interrupt::heedful;

/// Fewer rows are sorted by the calling thread: it takes about as long as another thread needs to start.
const QUICK: usize = 1 << 12;

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) reverse: bool,
    /// Only so many of the first rows.
    pub(crate) limit: Option<usize>,
    pub(crate) threads: NonZeroUsize,
}

impl How {
    /// Without a number of threads it is that of the processors.
    pub(crate) fn new(reverse: bool, limit: Option<usize>, threads: Option<NonZeroUsize>) -> Self {
        How { reverse, limit, threads: threads.unwrap_or_else(processors) }
    }
}

/// Processors that this process may use.
pub(crate) fn processors() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Row numbers, which Python reads where they are.
#[pyclass(frozen, module = "skipsort._native")]
pub(crate) struct Order(Int64Array);

impl Order {
    /// Of numbers that are all below 2^63, as those of rows in memory are.
    pub(crate) fn new(numbers: Vec<u64>) -> Self {
        Order(Int64Array::new(ScalarBuffer::from(Buffer::from_vec(numbers)), None))
    }

    pub(crate) fn numbers(&self) -> &[i64] {
        self.0.values()
    }
}

#[pymethods]
impl Order {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// # Safety
    /// The interpreter calls it, with a place for a view.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let bytes = slf.get().0.values().inner();
        let (start, len) = (bytes.as_ptr().cast_mut().cast(), bytes.len() as ffi::Py_ssize_t);
        // SAFETY: the view is the interpreter's. It gets a reference to `slf`, which never changes its bytes; the fourth
        // argument says that they may only be read.
        let filled = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, len, 1, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }

    /// Arrow's protocol, without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The protocol allows to give another type than the one asked for.
        let _ = requested_schema;
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(crate::arrow::refused)?;
        const SCHEMA: &CStr = c"arrow_schema";
        const ARRAY: &CStr = c"arrow_array";
        Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
    }
}

/// What unwinds out of a sort that is to stop.
struct Stopped;

/// The key, unless the sort is to stop: the sort looks at keys all the time, and has no other place to ask at. No panic hook
/// runs, so that nothing is printed.
fn unless<'k>(stopped: &AtomicBool, key: &'k [u8]) -> &'k [u8] {
    if stopped.load(Relaxed) {
        resume_unwind(Box::new(Stopped));
    }
    key
}

/// A key that ends the sort which looks at it.
struct Watched<'k> {
    key: &'k [u8],
    stopped: &'k AtomicBool,
}

impl Bytes for Watched<'_> {
    fn bytes(&self) -> &[u8] {
        unless(self.stopped, self.key)
    }
}

/// There is no memory.
struct NoMemory;

/// Numbers of the keys in order, equal ones in theirs, sorted without the lock.
pub(crate) fn numbers(py: Python<'_>, keys: &[&[u8]], how: How) -> PyResult<Vec<u64>> {
    let stopped = &AtomicBool::new(false);
    let work = || sort(keys, how, stopped);
    let sorted = if keys.len() < QUICK {
        py.detach(work)
    } else {
        heedful(py, || stopped.store(true, Relaxed), work)?
    };
    sorted.map_err(|NoMemory| no_memory(keys.len()))
}

fn sort(keys: &[&[u8]], how: How, stopped: &AtomicBool) -> Result<Vec<u64>, NoMemory> {
    if let Some(wanted) = how.limit
        && wanted < keys.len()
        && !how.reverse
    {
        let mut rows = reserved(keys.len())?;
        rows.extend(keys.iter().map(|key| Watched { key, stopped }));
        return Ok(top_k_indices(&rows, wanted).into_iter().map(|row| row as u64).collect());
    }
    let mut scratch = Scratch::new();
    if !scratch.try_reserve(keys.len()) {
        return Err(NoMemory);
    }
    let sorter = Sorter::new(&mut scratch).threads(how.threads);
    let mut sorter = if how.reverse { sorter.descending() } else { sorter };
    let mut order: Vec<u64> = sorter.par_indices_by_key(keys, |key| unless(stopped, key));
    order.truncate(how.limit.unwrap_or(usize::MAX));
    Ok(order)
}

fn reserved<T>(rows: usize) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(rows).map(|()| list).map_err(|_| NoMemory)
}

/// An empty list with room for so many.
pub(crate) fn list_for<T>(rows: usize) -> PyResult<Vec<T>> {
    reserved(rows).map_err(|NoMemory| no_memory(rows))
}

fn no_memory(rows: usize) -> PyErr {
    PyMemoryError::new_err(format!("no memory to sort {rows} rows; external_sort sorts files with a bound"))
}
