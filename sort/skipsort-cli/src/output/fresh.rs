//! A new file that takes its name when it is complete, and until then leaves what has this name alone.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags};
use rustix::io::Errno;

use crate::signals;

pub(super) struct Fresh {
    pub(super) file: File,
    /// The name it takes in the end.
    target: PathBuf,
    /// The name it has before, if any: where the file system has no nameless files, and while it replaces an old one.
    path: Option<PathBuf>,
}

impl Fresh {
    /// Makes it in the target's folder, with the group and the permissions of the old file, if there is one.
    pub(super) fn beside(target: &Path, old: Option<&Metadata>) -> io::Result<Self> {
        let fresh = Fresh::create(target)?;
        if let Some(old) = old {
            fresh.resemble(old)?;
        }
        Ok(fresh)
    }

    fn create(target: &Path) -> io::Result<Self> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match rustix::fs::open(folder_of(target), flags, Mode::from_raw_mode(0o666)) {
            Ok(file) => return Ok(Fresh { file: file.into(), target: target.to_owned(), path: None }),
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
        let path = unused_name(target);
        signals::remove_when_ended(&path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.inspect_err(|_| signals::forget())?;
        Ok(Fresh { file, target: target.to_owned(), path: Some(path) })
    }

    fn resemble(&self, old: &Metadata) -> io::Result<()> {
        if self.file.metadata()?.gid() != old.gid() {
            let group = rustix::fs::fchown(&self.file, None, Some(Gid::from_raw(old.gid())));
            // Whatever the reason is, this file must not take the place of one of that group.
            group.map_err(|_| Errno::PERM)?;
        }
        self.file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))
    }

    /// All is written: the file takes its name.
    pub(super) fn take_name(mut self) -> io::Result<()> {
        match self.named() {
            // The old file is a mount point, or nameless files cannot be linked: without /proc it takes a privilege.
            Err(Errno::BUSY | Errno::NOENT) => self.copied(),
            other => Ok(other?),
        }
    }

    fn named(&mut self) -> rustix::io::Result<()> {
        let path = match &self.path {
            Some(path) => path,
            None => {
                match link(&self.file, &self.target) {
                    Err(Errno::EXIST) => {}
                    other => return other,
                }
                // Over an old file this takes two steps, for a link cannot replace.
                let path = unused_name(&self.target);
                signals::remove_when_ended(&path);
                link(&self.file, &path).inspect_err(|_| signals::forget())?;
                self.path.insert(path)
            }
        };
        rustix::fs::rename(path, &self.target)
    }

    /// Copies it into the file that has the name and keeps it.
    fn copied(&self) -> io::Result<()> {
        (&self.file).rewind()?;
        let mut target = over(&self.target)?;
        io::copy(&mut &self.file, &mut target)?;
        settled(&target)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // It is there no more if it has been renamed.
            let _ = fs::remove_file(path);
            signals::forget();
        }
    }
}

/// Opens what is there and empties it.
pub(super) fn over(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
}

/// Some file systems tell only when a descriptor is closed that they could not write. The file itself stays open.
pub(super) fn settled(file: &File) -> io::Result<()> {
    let descriptor = file.try_clone()?.into_raw_fd();
    // SAFETY: the descriptor was made in the line above and nobody else knows it; nothing uses it afterwards.
    Ok(unsafe { rustix::io::try_close(descriptor) }?)
}

pub(super) fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A short name, for the target's may be as long as names can be. The clock tells apart processes that have the same
/// number in different containers.
fn unused_name(target: &Path) -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    folder_of(target).join(format!(".skipsort-{}-{:x}", std::process::id(), now.as_nanos()))
}

fn link(file: &File, path: &Path) -> rustix::io::Result<()> {
    let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
    match rustix::fs::linkat(CWD, &nameless, CWD, path, AtFlags::SYMLINK_FOLLOW) {
        Err(Errno::NOENT) => rustix::fs::linkat(file, "", CWD, path, AtFlags::EMPTY_PATH),
        other => other,
    }
}
