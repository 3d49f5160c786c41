//! Where runs are spilled to: the folders of `-T`, plain or through the program of `--compress-program`.
//!
//! ```text
//!   plain        one file per -T folder, runs one behind the other      one descriptor whatever the number of runs
//!   compressed   one file per run, written by PROG, read by PROG -d
//! ```

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use skipsort_external::{FileStorage, Storage, StoredRun};

use crate::fault::Fault;
use crate::options::Options;

/// Compressed runs each take a descriptor; so many are merged into one.
const COMPRESSED_MOST: usize = 16;

/// The storage of a sort.
pub(crate) enum Spill {
    Plain(FileStorage),
    Compressed { program: PathBuf, folders: Vec<PathBuf> },
}

impl Spill {
    pub(crate) fn of(options: &Options) -> Self {
        let folders = options.folders.clone();
        match options.compress.clone() {
            Some(program) => Spill::Compressed { program, folders },
            None => Spill::Plain(FileStorage::new(folders)),
        }
    }
}

impl Storage for Spill {
    fn create(&mut self, number: u64) -> io::Result<Box<dyn StoredRun>> {
        match self {
            Spill::Plain(files) => files.create(number),
            Spill::Compressed { program, folders } => {
                let folder = &folders[(number % folders.len() as u64) as usize];
                Ok(Box::new(compress(folder, program)?))
            }
        }
    }

    fn place(&self, number: u64) -> String {
        match self {
            Spill::Plain(files) => files.place(number),
            Spill::Compressed { folders, .. } => {
                folders[(number % folders.len() as u64) as usize].display().to_string()
            }
        }
    }

    fn runs_most(&self) -> usize {
        if self.sequential() { COMPRESSED_MOST } else { usize::MAX }
    }

    fn sequential(&self) -> bool {
        matches!(self, Spill::Compressed { .. })
    }
}

/// A run that a program compresses into a nameless file.
struct Compressed {
    child: Child,
    /// Until all is written.
    input: Option<ChildStdin>,
    file: File,
    program: PathBuf,
}

fn not_started(program: &Path, error: &io::Error) -> Fault {
    Fault::new(format!("cannot run {}: {error}", program.display())).hint(
        "--compress-program takes a program that compresses standard input, and decompresses it with -d",
    )
}

fn compress(folder: &Path, program: &Path) -> io::Result<Compressed> {
    let file = FileStorage::nameless(folder)?;
    let out = file.try_clone()?;
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(out)
        .spawn()
        .map_err(|error| not_started(program, &error))?;
    let input = child.stdin.take();
    Ok(Compressed { child, input, file, program: program.to_owned() })
}

impl Write for Compressed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(input) = &mut self.input else { return Ok(0) };
        match input.write(bytes) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                Err(Fault::new(format!("{} does not take any more: {error}", self.program.display()))
                    .hint("is the temporary disk full? name another folder by -T"))?
            }
            other => other,
        }
    }

    /// Ends the program.
    fn flush(&mut self) -> io::Result<()> {
        drop(self.input.take());
        let status = self.child.wait().map_err(|error| not_started(&self.program, &error))?;
        if status.success() {
            return Ok(());
        }
        Err(Fault::new(format!("{} failed: {status}", self.program.display()))
            .hint("is the temporary disk full? name another folder by -T"))?
    }
}

impl Drop for Compressed {
    fn drop(&mut self) {
        // Only when a sort ends early does it still run; its pipe is closed first, so it ends.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

impl StoredRun for Compressed {
    fn reader(&self, from: u64, to: u64) -> io::Result<Box<dyn Read + Send>> {
        let failed = |error: io::Error| Fault::reading(&self.program, &error);
        let mut input = self.file.try_clone().map_err(failed)?;
        input.rewind().map_err(failed)?;
        let child = Command::new(&self.program)
            .arg("-d")
            .stdin(input)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| not_started(&self.program, &error))?;
        debug_assert_eq!(from, 0, "a sequential storage is read from the start");
        Ok(Box::new(Decompressing { child, program: self.program.clone(), left: to }))
    }
}

/// The output of a program, of which so many bytes are still to come.
struct Decompressing {
    child: Child,
    program: PathBuf,
    left: u64,
}

impl Decompressing {
    fn wrong(&self, what: &str) -> Fault {
        Fault::new(format!("{} -d {what}", self.program.display()))
            .hint("name another program by --compress-program, or none")
    }

    fn some(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let out = self.child.stdout.as_mut().expect("its output is a pipe");
        match out.read(room) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                Err(Fault::reading(&self.program, &error))?
            }
            other => other,
        }
    }

    /// There is no more, and there should not be.
    fn end(&mut self) -> io::Result<()> {
        let status = self.child.wait().map_err(|error| Fault::reading(&self.program, &error))?;
        if !status.success() {
            Err(self.wrong(&format!("failed: {status}")))?;
        }
        if self.left > 0 {
            Err(self.wrong("does not give back what it was given"))?;
        }
        Ok(())
    }
}

impl Read for Decompressing {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.some(room)?;
        if read == 0 && !room.is_empty() {
            self.end()?;
        }
        let Some(left) = self.left.checked_sub(read as u64) else {
            return Err(self.wrong("does not give back what it was given"))?;
        };
        self.left = left;
        if left == 0 && read > 0 {
            // Whoever has all will not ask again, so it is asked now whether there is more.
            while let Err(error) = self.last() {
                if error.kind() != ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
        Ok(read)
    }
}

impl Decompressing {
    fn last(&mut self) -> io::Result<()> {
        match self.some(&mut [0])? {
            0 => self.end(),
            _ => Err(self.wrong("does not give back what it was given"))?,
        }
    }
}

impl Drop for Decompressing {
    fn drop(&mut self) {
        // Only when a merge ends early does it still run; its pipe is closed first, so it ends.
        drop(self.child.stdout.take());
        let _ = self.child.wait();
    }
}
