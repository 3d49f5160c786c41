//! Temporary files: nameless, so that nothing is left behind however the program ends.
//!
//! ```text
//!   plain        one file per -T folder, runs one behind the other      one descriptor whatever the number of runs
//!   compressed   one file per run, written by PROG, read by PROG -d
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};

use super::marks::{self, Marks};
use crate::fault::{Fault, Result};
use crate::input::fetch::Fetch;
use crate::meter::Meter;
use crate::output::target::{Part, Target};
use crate::shape::Shape;

/// A sorted run.
pub(crate) struct Run {
    data: Data,
    /// Bytes in the file, and of the records as lines.
    pub(crate) coded: u64,
    pub(crate) raw: u64,
    pub(crate) marks: Marks,
}

enum Data {
    Stretch { file: Arc<File>, folder: Arc<PathBuf>, start: u64 },
    Compressed { file: File, program: PathBuf },
}

impl Run {
    /// True when any part of it can be read at any time.
    pub(crate) fn seekable(&self) -> bool {
        matches!(self.data, Data::Stretch { .. })
    }

    /// Bytes from `from` to `to` of the run; of a compressed one all, once.
    pub(crate) fn fetch(&self, from: u64, to: u64) -> Result<Fetch> {
        match &self.data {
            Data::Stretch { file, folder, start } => Ok(Fetch::Stretch {
                file: Arc::clone(file),
                name: Arc::clone(folder),
                at: start + from,
                end: start + to,
            }),
            Data::Compressed { file, program } => decompress(file, program, self.coded),
        }
    }

    /// Where the last block starts whose first key is known and before `bound`; nothing before it is in a range that
    /// begins there.
    pub(crate) fn place_before(&self, bound: &[u8], shape: &Shape) -> u64 {
        self.marks.before(bound, shape).checked_sub(1).map_or(0, |at| self.marks.offset(at))
    }

    /// Gives the space back that bytes of the run take in its file: they will not be read again.
    pub(crate) fn discard(&self, from: u64, to: u64) {
        if let Data::Stretch { file, start, .. } = &self.data {
            let flags = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
            // Where files cannot have holes the space is free when the program ends.
            let _ = rustix::fs::fallocate(&**file, flags, start + from, (to - from).max(1));
        }
    }
}

/// Marks of all runs take at most `most` bytes together.
pub(crate) fn thin(runs: &mut [Run], most: usize) {
    let mut all: Vec<&mut Marks> = runs.iter_mut().map(|run| &mut run.marks).collect();
    marks::thin_all(&mut all, most);
}

/// Where runs are kept.
pub(crate) struct Store<'m> {
    folders: Vec<PathBuf>,
    /// The file in each folder that has one, and where it ends.
    files: Vec<(Arc<File>, Arc<PathBuf>, u64)>,
    turn: usize,
    compress: Option<PathBuf>,
    marks_most: usize,
    meter: &'m Meter,
}

impl<'m> Store<'m> {
    /// The marks of one run will take at most `marks_most` bytes.
    pub(crate) fn new(
        folders: Vec<PathBuf>,
        compress: Option<PathBuf>,
        marks_most: usize,
        meter: &'m Meter,
    ) -> Self {
        Store { folders, files: Vec::new(), turn: 0, compress, marks_most, meter }
    }

    /// True when every run takes a descriptor, and reading one a process.
    pub(crate) fn compresses(&self) -> bool {
        self.compress.is_some()
    }

    /// Starts a run in the next folder.
    pub(crate) fn begin(&mut self) -> Result<RunTarget> {
        let at = self.turn % self.folders.len();
        self.turn += 1;
        let folder = &self.folders[at];
        let to = match &self.compress {
            Some(program) => To::Program(compress(folder, program)?),
            None => {
                if self.files.len() <= at {
                    let file = nameless(folder).map_err(|error| Fault::spilling(folder, &error))?;
                    self.files.push((Arc::new(file), Arc::new(folder.clone()), 0));
                }
                let (file, folder, end) = &self.files[at];
                To::File { file: Arc::clone(file), folder: Arc::clone(folder), start: *end, store: at }
            }
        };
        Ok(RunTarget { to, coded: 0, raw: 0, marks: Marks::default(), marks_most: self.marks_most })
    }

    /// The run is complete.
    pub(crate) fn end(&mut self, target: RunTarget) -> Result<Run> {
        let RunTarget { to, coded, raw, marks, .. } = target;
        self.meter.spilled(coded);
        let data = match to {
            To::File { file, folder, start, store } => {
                self.files[store].2 = start + coded;
                Data::Stretch { file, folder, start }
            }
            To::Program(compressing) => compressing.finish()?,
        };
        // A compressed run cannot be entered in the middle.
        let mut marks = if matches!(data, Data::Stretch { .. }) { marks } else { Marks::default() };
        marks.shrink();
        Ok(Run { data, coded, raw, marks })
    }

    /// Runs that have become part of another one.
    pub(crate) fn discard(&mut self, runs: &[Run]) {
        runs.iter().for_each(|run| run.discard(0, run.coded));
    }
}

/// Takes the coded parts of one run.
pub(crate) struct RunTarget {
    to: To,
    coded: u64,
    raw: u64,
    marks: Marks,
    marks_most: usize,
}

enum To {
    File { file: Arc<File>, folder: Arc<PathBuf>, start: u64, store: usize },
    Program(Compressing),
}

impl Target for RunTarget {
    fn write(&mut self, part: &Part) -> Result<bool> {
        match &mut self.to {
            To::File { file, folder, start, .. } => file
                .write_all_at(&part.bytes, *start + self.coded)
                .map_err(|error| Fault::spilling(folder, &error))?,
            To::Program(compressing) => compressing.write(&part.bytes)?,
        }
        self.marks.append(&part.marks, self.coded);
        if self.marks.bytes() > self.marks_most {
            self.marks.thin();
        }
        self.coded += part.bytes.len() as u64;
        self.raw += part.raw;
        Ok(true)
    }
}

/// A program that compresses what it is given into a nameless file.
struct Compressing {
    child: Child,
    file: File,
    program: PathBuf,
}

fn not_started(program: &Path, error: &io::Error) -> Fault {
    Fault::new(format!("cannot run {}: {error}", program.display())).hint(
        "--compress-program takes a program that compresses standard input, and decompresses it with -d",
    )
}

fn compress(folder: &Path, program: &Path) -> Result<Compressing> {
    let spilling = |error| Fault::spilling(folder, &error);
    let file = nameless(folder).map_err(spilling)?;
    let out = file.try_clone().map_err(spilling)?;
    let child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(out)
        .spawn()
        .map_err(|error| not_started(program, &error))?;
    Ok(Compressing { child, file, program: program.to_owned() })
}

impl Compressing {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let input = self.child.stdin.as_mut().expect("its input is a pipe");
        input.write_all(bytes).map_err(|error| {
            Fault::new(format!("{} does not take any more: {error}", self.program.display()))
                .hint("is the temporary disk full? name another folder by -T")
        })
    }

    fn finish(mut self) -> Result<Data> {
        drop(self.child.stdin.take());
        let status = self.child.wait().map_err(|error| not_started(&self.program, &error))?;
        if !status.success() {
            return Err(Fault::new(format!("{} failed: {status}", self.program.display()))
                .hint("is the temporary disk full? name another folder by -T"));
        }
        Ok(Data::Compressed { file: self.file, program: self.program })
    }
}

fn decompress(file: &File, program: &Path, coded: u64) -> Result<Fetch> {
    let failed = |error: io::Error| Fault::reading(program, &error);
    let mut input = file.try_clone().map_err(failed)?;
    input.rewind().map_err(failed)?;
    let child = Command::new(program)
        .arg("-d")
        .stdin(input)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(program, &error))?;
    Ok(Fetch::Program { child, program: program.to_owned(), left: coded })
}

/// A file without a name, or one that loses it at once where the file system has none of these.
fn nameless(folder: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::EXCL;
    match rustix::fs::open(folder, flags, Mode::from_raw_mode(0o600)) {
        Ok(file) => return Ok(File::from(file)),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    for attempt in 0.. {
        let path = folder.join(format!(".skipsort-{}-{attempt}", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return std::fs::remove_file(&path).map(|()| file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {}
            Err(error) => return Err(error),
        }
    }
    unreachable!("the loop ends with its last attempt")
}
