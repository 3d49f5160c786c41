//! Where the output goes, and how `-o FILE` stays whole or untouched.
//!
//! ```text
//!   no -o, /dev/stdout       standard output
//!   a file, or none yet      a nameless file in the same folder, which takes the name when all is written (`fresh.rs`)
//!   a device, a pipe,        written in place, as GNU sort does, after all input has been read
//!   a file that must stay
//! ```
//!
//! Whatever ends this program before the last step, there is nothing to clean up: a nameless file goes with it. And
//! whatever is opened, nothing that is there changes before the first write.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::fresh::{Fresh, folder_of, over, settled};
use crate::fault::{Fault, Result};
use crate::standard;

/// Links that are followed; the kernel follows as many.
const LINKS: usize = 40;

/// An output that is being written.
pub(crate) struct Destination {
    name: String,
    place: Place,
}

enum Place {
    Standard(File),
    /// What is there is emptied by the first write.
    Over {
        path: PathBuf,
        file: Option<File>,
    },
    New(Fresh),
}

impl Destination {
    /// Opens the output. What is at `-o FILE` does not change yet.
    pub(crate) fn open(output: Option<&Path>) -> Result<Self> {
        let Some(given) = output else { return Destination::standard() };
        let path = followed(given);
        if is_descriptor(&path) && is_standard_output(&path) {
            return Destination::standard();
        }
        let name = given.display().to_string();
        let place = place(path).map_err(|error| Fault::writing(&name, &error))?;
        Ok(Destination { name, place })
    }

    fn standard() -> Result<Self> {
        Ok(Destination { name: "standard output".into(), place: Place::Standard(standard::output()?) })
    }

    /// True when writing could change an input that has not been read yet.
    pub(crate) fn may_harm(&self, inputs: &[PathBuf]) -> bool {
        match &self.place {
            Place::New(_) => false,
            Place::Over { path, .. } => fs::metadata(path).is_ok_and(|old| old.is_file()),
            Place::Standard(file) => file.metadata().is_ok_and(|output| {
                output.is_file() && inputs.iter().filter_map(input).any(|input| same(&input, &output))
            }),
        }
    }

    /// The fault for an error of writing to it.
    pub(crate) fn fault(&self, error: &io::Error) -> Fault {
        Fault::writing(&self.name, error)
    }

    fn file(&mut self) -> io::Result<&File> {
        match &mut self.place {
            Place::Standard(file) => Ok(file),
            Place::New(fresh) => Ok(&fresh.file),
            Place::Over { file: Some(file), .. } => Ok(file),
            Place::Over { path, file } => Ok(file.insert(over(path)?)),
        }
    }

    /// All is written: the file takes its name.
    pub(crate) fn commit(mut self) -> Result<()> {
        let settled = self.file().and_then(settled);
        let done = settled.and_then(|()| match self.place {
            Place::New(fresh) => fresh.take_name(),
            Place::Standard(_) | Place::Over { .. } => Ok(()),
        });
        done.map_err(|error| Fault::writing(&self.name, &error))
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where the output for this name is written, which is no link.
fn place(path: PathBuf) -> io::Result<Place> {
    let old = match fs::metadata(&path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(old) = &old {
        if old.is_file() || old.is_dir() {
            // What may not be written should not be replaced either.
            OpenOptions::new().write(true).open(&path)?;
        }
        if !old.is_file() || must_stay(&path, old) {
            return Ok(Place::Over { path, file: None });
        }
    }
    match Fresh::beside(&path, old.as_ref()) {
        Ok(fresh) => Ok(Place::New(fresh)),
        Err(error) if old.is_some() && takes_no_file(&path, &error) => Ok(Place::Over { path, file: None }),
        Err(error) => Err(error),
    }
}

/// A file with several names would lose one, a file of somebody else would change its owner, and whoever has opened
/// standard output for us goes on with the file he has.
fn must_stay(path: &Path, old: &Metadata) -> bool {
    let me = rustix::process::geteuid();
    old.nlink() > 1 || old.uid() != me.as_raw() || is_descriptor(path) || is_standard_output(path)
}

/// True when no file like the old one can be made beside it, while the old one may be written. A disk that is full is no
/// such reason: the old file would be lost.
fn takes_no_file(path: &Path, error: &io::Error) -> bool {
    match error.kind() {
        // EACCES and EPERM
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => true,
        ErrorKind::StorageFull => rustix::fs::statvfs(path)
            .is_ok_and(|disk| disk.f_files > 0 && disk.f_favail == 0 && disk.f_bavail > 0),
        _ => false,
    }
}

/// What a chain of links ends at, whether something is there or not.
fn followed(given: &Path) -> PathBuf {
    let mut path = given.to_owned();
    for _ in 0..LINKS {
        if is_descriptor(&path) {
            break;
        }
        let Ok(to) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(to);
    }
    path
}

/// True for `/dev/stdout` and the like when it has been followed: the link there leads to an open file, not to a name.
fn is_descriptor(path: &Path) -> bool {
    fs::canonicalize(folder_of(path)).is_ok_and(|folder| folder.starts_with("/proc"))
}

fn is_standard_output(path: &Path) -> bool {
    let output = rustix::fs::fstat(io::stdout().as_fd());
    let found = fs::metadata(path);
    output.is_ok_and(|output| {
        found.is_ok_and(|found| (found.dev(), found.ino()) == (output.st_dev, output.st_ino))
    })
}

/// What is known of an input.
fn input(name: &PathBuf) -> Option<Metadata> {
    if name.as_os_str() == "-" { standard::input().ok()?.metadata().ok() } else { fs::metadata(name).ok() }
}

fn same(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}
