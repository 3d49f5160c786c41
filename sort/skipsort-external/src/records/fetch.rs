//! Bytes of a file from a place to a place, or of whatever comes through a pipe.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::progress::Meter;

/// Where bytes come from.
pub(crate) enum Fetch<'m> {
    /// A stretch of a file that may be read by several threads.
    Stretch { file: Arc<File>, name: Arc<PathBuf>, at: u64, end: u64 },
    /// To the end, once; the meter learns how much it was.
    Stream { file: File, name: PathBuf, meter: &'m Meter },
}

impl Fetch<'_> {
    /// The input's name.
    pub(crate) fn name(&self) -> &Path {
        match self {
            Fetch::Stretch { name, .. } => name,
            Fetch::Stream { name, .. } => name,
        }
    }

    /// Reads until `room` is full, which the stretch reaches to.
    pub(crate) fn fill(&mut self, room: &mut [u8]) -> Result<()> {
        let mut filled = 0;
        while filled < room.len() {
            filled += self.read(&mut room[filled..])?;
        }
        Ok(())
    }

    /// Reads into `room`, which is not empty; 0 at the end.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        match self {
            Fetch::Stretch { file, name, at, end } => {
                let most = usize::try_from(*end - *at).unwrap_or(usize::MAX).min(room.len());
                if most == 0 {
                    return Ok(0);
                }
                let read = again(|| file.read_at(&mut room[..most], *at))
                    .map_err(|source| Error::Input { name: name.to_path_buf(), source })?;
                if read == 0 {
                    return Err(Error::InputShrank { name: name.to_path_buf() });
                }
                *at += read as u64;
                Ok(read)
            }
            Fetch::Stream { file, name, meter } => {
                let read = again(|| file.read(room))
                    .map_err(|source| Error::Input { name: name.clone(), source })?;
                meter.read(read);
                Ok(read)
            }
        }
    }
}

/// Reads again if a signal has interrupted it.
pub(crate) fn again(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
