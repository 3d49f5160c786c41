//! Where a sorted file goes: it takes its name when it is whole, or leaves what has the name as it was.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Permissions of a new file, of which the process's mask takes some away.
const NEW: u32 = 0o666;

/// An output that is being written.
pub(crate) enum Destination {
    /// A temporary file in the folder of the output. Dropped, it is gone.
    New { file: NamedTempFile, path: PathBuf },
    /// A device or a pipe, which cannot be replaced.
    Over(File),
}

impl Destination {
    /// Opens the output. A file that is there stays as it is.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let (path, permissions) = match fs::metadata(path) {
            Ok(old) if !old.is_file() => {
                return Ok(Destination::Over(OpenOptions::new().write(true).open(path)?));
            }
            Ok(old) => {
                // What may not be written should not be replaced either.
                OpenOptions::new().write(true).open(path)?;
                (fs::canonicalize(path)?, old.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (path.to_owned(), Permissions::from_mode(NEW))
            }
            Err(error) => return Err(error),
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = Builder::new().prefix(".skipsort-").permissions(permissions).tempfile_in(folder);
        // The name of the temporary file says nothing to the caller.
        let file = file.map_err(|error| number(&error).map_or(error, io::Error::from_raw_os_error))?;
        Ok(Destination::New { file, path })
    }

    /// All is written: the file takes its name.
    pub(crate) fn commit(self) -> io::Result<()> {
        match self {
            Destination::New { file, path } => file.persist(path).map(drop).map_err(|error| error.error),
            Destination::Over(_) => Ok(()),
        }
    }
}

/// The system's number of an error; of one that is wrapped in another, which keeps its kind alone, by the kind. The numbers
/// are those of Linux and macOS.
fn number(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| match error.kind() {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::NotADirectory => Some(20),
        io::ErrorKind::StorageFull => Some(28),
        io::ErrorKind::ReadOnlyFilesystem => Some(30),
        _ => None,
    })
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Destination::New { file, .. } => file.as_file_mut().write(bytes),
            Destination::Over(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
