//! Bytes of a file from a place to a place, or of whatever comes through a pipe.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::fault::{Fault, Result};

/// Where bytes come from.
pub(crate) enum Fetch {
    /// A stretch of a file that may be read by several threads.
    Stretch { file: Arc<File>, name: Arc<PathBuf>, at: u64, end: u64 },
    /// To the end, once; `count` learns how much it was.
    Stream { file: File, name: PathBuf, count: Arc<AtomicU64> },
    /// The output of a decompressing program, of which so many bytes are still to come.
    Program { child: Child, program: PathBuf, left: u64 },
}

impl Fetch {
    /// The file, or the program that decompresses.
    pub(crate) fn name(&self) -> &Path {
        match self {
            Fetch::Stretch { name, .. } => name,
            Fetch::Stream { name, .. } | Fetch::Program { program: name, .. } => name,
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
                    .map_err(|error| Fault::reading(name, &error))?;
                if read == 0 {
                    return Err(Fault::changed(name));
                }
                *at += read as u64;
                Ok(read)
            }
            Fetch::Stream { file, name, count } => {
                let read = again(|| file.read(room)).map_err(|error| Fault::reading(name, &error))?;
                count.fetch_add(read as u64, Relaxed);
                Ok(read)
            }
            Fetch::Program { child, program, left } => {
                let out = child.stdout.as_mut().expect("its output is a pipe");
                let read = again(|| out.read(room)).map_err(|error| Fault::reading(program, &error))?;
                let wrong = |what: String| {
                    Err(Fault::new(format!("{} -d {what}", program.display()))
                        .hint("name another program by --compress-program, or none"))
                };
                if read == 0 {
                    let status = child.wait().map_err(|error| Fault::reading(program, &error))?;
                    if !status.success() {
                        return wrong(format!("failed: {status}"));
                    }
                }
                let is_right = if read == 0 { *left == 0 } else { read as u64 <= *left };
                if !is_right {
                    return wrong("does not give back what it was given".into());
                }
                *left -= read as u64;
                Ok(read)
            }
        }
    }
}

impl Drop for Fetch {
    fn drop(&mut self) {
        if let Fetch::Program { child, .. } = self {
            // Only when a merge ends early does it still run; its pipe is closed first, so it ends.
            drop(child.stdout.take());
            let _ = child.wait();
        }
    }
}

fn again(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
