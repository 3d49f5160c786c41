//! The one error of this crate: what went wrong, and where.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// The crate's results.
pub type Result<T> = std::result::Result<T, Error>;

/// Which run, and where its bytes are.
///
/// ```
/// let run = skipsort_external::RunName { number: 3, place: "/var/tmp".into() };
/// assert_eq!(run.to_string(), "run 3 in /var/tmp");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName {
    /// Runs of one sort are numbered from 0 in the order in which they are begun.
    pub number: u64,
    /// What [`Storage::place`](crate::Storage::place) says; for files, the folder.
    pub place: String,
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {} in {}", self.number, self.place)
    }
}

/// Why a sort ended early. The first error ends it: no output that follows an error is in order or complete.
///
/// ```
/// use skipsort_external::{Error, ExternalSorter, MemoryStorage, Meter, Options};
///
/// let options = Options::new(1 << 20);
/// options.meter.cancel();
/// let mut sorter = ExternalSorter::new(options, MemoryStorage::default())?;
/// sorter.push(b"key", b"payload")?;
/// assert!(matches!(sorter.finish(), Err(Error::Cancelled)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The storage did not take a run.
    Write {
        /// The run.
        run: RunName,
        /// The storage's error.
        source: io::Error,
    },
    /// The storage did not give a run back.
    Read {
        /// The run.
        run: RunName,
        /// The storage's error.
        source: io::Error,
    },
    /// What the storage gave back is not what it took.
    Corrupt {
        /// The run.
        run: RunName,
        /// The byte of the run, and what is wrong there.
        what: String,
    },
    /// [`Meter::cancel`](crate::Meter::cancel) was called, or the meter's callback asked for the end.
    Cancelled,
    /// The system has less address space than so many bytes.
    Memory {
        /// Bytes asked for at once.
        bytes: usize,
    },
    /// A key, a payload or a line with keys has 4 GiB or more.
    TooLong,
    /// An earlier call of this sorter failed, so rows may be missing.
    Failed,
    /// An input of [`records`](crate::records) cannot be read.
    Input {
        /// The input's name.
        name: PathBuf,
        /// The system's error, or that of the caller's `open`.
        source: io::Error,
    },
    /// An input became shorter while it was read.
    InputShrank {
        /// The input's name.
        name: PathBuf,
    },
    /// An input ends within a record of fixed length.
    InputCut {
        /// The input's name.
        name: PathBuf,
        /// Bytes behind the last whole record.
        more: u64,
        /// Bytes of a record.
        size: usize,
    },
    /// The caller's output did not take the rows.
    Output(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Write { run, source } => write!(f, "cannot write {run}: {source}"),
            Error::Read { run, source } => write!(f, "cannot read {run}: {source}"),
            Error::Corrupt { run, what } => write!(f, "{run} is damaged: {what}"),
            Error::Cancelled => f.write_str("the sort was cancelled"),
            Error::Memory { bytes } => write!(f, "there is no address space for {bytes} bytes"),
            Error::TooLong => f.write_str("a row of 4 GiB or more"),
            Error::Failed => f.write_str("an earlier call of this sorter failed"),
            Error::Input { name, source } => write!(f, "cannot read {}: {source}", name.display()),
            Error::InputShrank { name } => write!(f, "{} became shorter while it was read", name.display()),
            Error::InputCut { name, more, size } => {
                write!(f, "{} ends with {more} bytes of a record of {size}", name.display())
            }
            Error::Output(source) => write!(f, "cannot write the output: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Write { source, .. }
            | Error::Read { source, .. }
            | Error::Input { source, .. }
            | Error::Output(source) => Some(source),
            _ => None,
        }
    }
}
