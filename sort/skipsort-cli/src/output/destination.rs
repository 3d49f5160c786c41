//! Where the output goes, and how `-o FILE` stays whole or untouched.
//!
//! ```text
//!   no -o                    standard output
//!   a file, or none yet      a nameless file in the same folder, which takes the name when all is written
//!   a device, a pipe,        opened and written in place, as GNU sort does, after all input has been read
//!   a file with other names or of another owner
//! ```
//!
//! Whatever ends this program before the last step, there is nothing to clean up: a nameless file goes with it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use crate::fault::{Fault, Result};

/// An output that is being written.
pub(crate) struct Destination {
    file: File,
    name: String,
    place: Place,
}

enum Place {
    /// What is written is out.
    Direct,
    /// Takes this name at the end, and these permissions, if there was a file.
    Nameless { target: PathBuf, mode: Option<u32> },
    /// The same where the file system has no nameless files: a file of another name.
    Named { target: PathBuf, mode: Option<u32>, path: PathBuf },
}

impl Destination {
    /// True when the output is written over a file that may be an input, so that all has to be read before.
    pub(crate) fn in_place(output: Option<&Path>) -> bool {
        output.is_some_and(|path| existing(path).is_some_and(|old| old.is_file() && must_stay(&old)))
    }

    /// Opens the output. What is at `-o FILE` does not change yet, unless it has to be written in place.
    pub(crate) fn open(output: Option<&Path>) -> Result<Self> {
        let Some(path) = output else {
            let out = io::stdout().as_fd().try_clone_to_owned();
            let file = File::from(out.map_err(|error| Fault::writing("standard output", &error))?);
            return Ok(Destination { file, name: "standard output".into(), place: Place::Direct });
        };
        let name = path.display().to_string();
        let failed = |error: io::Error| Fault::writing(&name, &error);
        let old = existing(path);
        if old.as_ref().is_some_and(|old| !old.is_file() || must_stay(old)) {
            return Destination::open_in_place(path, name);
        }
        // A link's target is what is replaced.
        let target = if old.is_some() { fs::canonicalize(path).map_err(failed)? } else { path.to_owned() };
        let mode = old.map(|old| old.permissions().mode() & 0o7777);
        if mode.is_some() {
            // What may not be written should not be replaced either.
            OpenOptions::new().write(true).open(&target).map_err(failed)?;
        }
        match beside(&target, mode) {
            Ok((file, place)) => Ok(Destination { file, name, place }),
            // No new files in this folder, but perhaps the old one may be written.
            Err(_) if mode.is_some() => Destination::open_in_place(path, name),
            Err(error) => Err(failed(error)),
        }
    }

    fn open_in_place(path: &Path, name: String) -> Result<Self> {
        let opened = OpenOptions::new().write(true).create(true).truncate(true).open(path);
        let file = opened.map_err(|error| Fault::writing(&name, &error))?;
        Ok(Destination { file, name, place: Place::Direct })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Fault::writing(&self.name, &error))
    }

    /// All is written: the file takes its name.
    pub(crate) fn commit(self) -> Result<()> {
        let done = match &self.place {
            Place::Direct => Ok(()),
            Place::Nameless { target, mode } => {
                self.give_mode(*mode).and_then(|()| give_name(&self.file, target))
            }
            Place::Named { target, mode, path } => {
                let done = self.give_mode(*mode).and_then(|()| fs::rename(path, target));
                crate::signals::forget();
                done
            }
        };
        done.map_err(|error| Fault::writing(&self.name, &error))?;
        self.close()
    }

    fn give_mode(&self, mode: Option<u32>) -> io::Result<()> {
        mode.map_or(Ok(()), |mode| self.file.set_permissions(fs::Permissions::from_mode(mode)))
    }

    /// Some file systems tell only now that they could not write.
    fn close(mut self) -> Result<()> {
        self.place = Place::Direct;
        self.file.flush().map_err(|error| Fault::writing(&self.name, &error))
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if let Place::Named { path, .. } = &self.place {
            let _ = fs::remove_file(path);
            crate::signals::forget();
        }
    }
}

/// What is at the path, through links.
fn existing(path: &Path) -> Option<fs::Metadata> {
    fs::metadata(path).ok()
}

/// A file with several names would lose one, and a file of somebody else would change its owner.
fn must_stay(old: &fs::Metadata) -> bool {
    let me = rustix::process::geteuid();
    old.nlink() > 1 || old.uid() != me.as_raw()
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn beside(target: &Path, mode: Option<u32>) -> io::Result<(File, Place)> {
    let target = target.to_owned();
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match rustix::fs::open(folder_of(&target), flags, Mode::from_raw_mode(0o666)) {
        Ok(file) => return Ok((File::from(file), Place::Nameless { target, mode })),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    let path = unused_name(&target);
    crate::signals::remove_when_ended(&path);
    let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    Ok((file, Place::Named { target, mode, path }))
}

fn unused_name(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".skipsort-{}", std::process::id()));
    folder_of(target).join(name)
}

/// Gives a nameless file its name. Over an old file this takes two steps, for a link cannot replace.
fn give_name(file: &File, target: &Path) -> io::Result<()> {
    let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |path: &Path| rustix::fs::linkat(CWD, &nameless, CWD, path, AtFlags::SYMLINK_FOLLOW);
    match link(target) {
        Err(rustix::io::Errno::EXIST) => {}
        other => return Ok(other?),
    }
    let path = unused_name(target);
    crate::signals::remove_when_ended(&path);
    let _ = fs::remove_file(&path);
    link(&path)?;
    let renamed = fs::rename(&path, target);
    if renamed.is_err() {
        let _ = fs::remove_file(&path);
    }
    crate::signals::forget();
    renamed
}
