//! Files sorted within a bound of memory.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use skipsort_external::records::{Frame, Records, Shape};
use skipsort_external::{Error, FileStorage, Options};

use crate::destination::Destination;
use crate::interrupt::heedful;
use crate::order::processors;

/// Sorts the records of files into a file, and returns how many it has.
#[pyfunction]
#[pyo3(signature = (paths, out, *, memory, delimiter, record_bytes, reverse, unique, threads, folders))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn external_sort(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    memory: usize,
    delimiter: u8,
    record_bytes: Option<NonZeroUsize>,
    reverse: bool,
    unique: bool,
    threads: Option<NonZeroUsize>,
    folders: Vec<PathBuf>,
) -> PyResult<u64> {
    let frame = record_bytes.map_or(Frame::Delimited(delimiter), |bytes| Frame::Fixed(bytes.get()));
    let shape = Shape { frame, descending: reverse, unique, ..Shape::lines(delimiter) };
    let mut options = Options::new(memory);
    options.threads = threads.unwrap_or_else(processors);
    let folders = if folders.is_empty() { vec![std::env::temp_dir()] } else { folders };
    let job = Job { shape, options, paths, out, folders };
    let meter = Arc::clone(&job.options.meter);
    heedful(py, || meter.cancel(), || job.run())??;
    Ok(meter.seen().rows_written)
}

struct Job {
    shape: Shape,
    options: Options,
    paths: Vec<PathBuf>,
    out: PathBuf,
    folders: Vec<PathBuf>,
}

impl Job {
    fn run(self) -> PyResult<()> {
        // Before anything is read: a sort that takes hours should not fail at its end for a misspelt name.
        self.paths.iter().try_for_each(|path| readable(path).map_err(|error| named(&error, path)))?;
        let mut output = Destination::open(&self.out).map_err(|error| named(&error, &self.out))?;
        let records = Records::new(&self.shape, self.options, &self.paths);
        let storage = FileStorage::new(self.folders.clone());
        records.sort(storage, &mut output).map_err(|error| exception(error, &self.out, &self.folders))?;
        output.commit().map_err(|error| named(&error, &self.out))
    }
}

fn readable(path: &Path) -> io::Result<()> {
    if std::fs::metadata(path)?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // To open a pipe would disturb whoever writes to it.
    if std::fs::metadata(path)?.is_file() { std::fs::File::open(path).map(drop) } else { Ok(()) }
}

/// The exception for an error of the sort.
fn exception(error: Error, out: &Path, folders: &[PathBuf]) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Input { name, source } => named(&source, &name),
        Error::Output(source) => named(&source, out),
        Error::Write { run, source } | Error::Read { run, source } => named(
            &source,
            folders
                .iter()
                .find(|folder| folder.display().to_string() == run.place)
                .unwrap_or(&run.place.into()),
        ),
        Error::Memory { .. } => PyMemoryError::new_err(message),
        Error::TooLong | Error::InputCut { .. } => PyValueError::new_err(message),
        Error::InputShrank { .. } | Error::Corrupt { .. } => PyOSError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}

/// Python's exception for an error of the system, with its number and the name of the file, which make it a
/// `FileNotFoundError`, a `PermissionError` and so on.
fn named(error: &io::Error, path: &Path) -> PyErr {
    const IS_A_DIRECTORY: i32 = 21;
    let number = match error.kind() {
        io::ErrorKind::IsADirectory => Some(IS_A_DIRECTORY),
        _ => error.raw_os_error(),
    };
    let Some(number) = number else { return PyOSError::new_err(format!("{error}: {}", path.display())) };
    let system = io::Error::from_raw_os_error(number).to_string();
    let words = system.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((number, words, path.to_owned().into_os_string()))
}
