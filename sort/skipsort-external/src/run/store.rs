//! Runs in a storage: written in parts, read in stretches.

use std::io::{self, Read, Write};

use super::coder;
use super::marks::{self, Marks};
use crate::error::{Error, Result, RunName};
use crate::order::Order;
use crate::output::part::{Part, Target};
use crate::progress::Meter;
use crate::storage::{Storage, StoredRun};

/// A sorted run.
pub(crate) struct Run {
    data: Box<dyn StoredRun>,
    name: RunName,
    sequential: bool,
    /// Bytes in the storage, and of the records as lines.
    pub(crate) coded: u64,
    pub(crate) raw: u64,
    pub(crate) marks: Marks,
}

impl Run {
    /// True when any part of it can be read at any time.
    pub(crate) fn seekable(&self) -> bool {
        !self.sequential
    }

    /// Bytes from `from` to `to` of the run; of a sequential one all.
    pub(crate) fn stretch(&self, from: u64, to: u64) -> Result<Stretch> {
        let name = self.name.clone();
        match again(|| self.data.reader(from, to)) {
            Ok(reader) => Ok(Stretch { reader, name, from, at: from, to }),
            Err(source) => Err(Error::Read { run: name, source }),
        }
    }

    /// Where the last block starts whose first key is known and before `bound`; nothing before it is in a range that
    /// begins there.
    pub(crate) fn place_before(&self, bound: &[u8], order: Order) -> u64 {
        self.marks.before(bound, order).checked_sub(1).map_or(0, |at| self.marks.offset(at))
    }

    /// These bytes will not be read again.
    pub(crate) fn release(&self, from: u64, to: u64) {
        self.data.release(from, to);
    }
}

/// A part of a run that is being read.
pub(crate) struct Stretch {
    reader: Box<dyn Read + Send>,
    name: RunName,
    from: u64,
    at: u64,
    to: u64,
}

impl Stretch {
    /// The run's number.
    pub(crate) fn run(&self) -> u64 {
        self.name.number
    }

    /// Where in the run it starts.
    pub(crate) fn from(&self) -> u64 {
        self.from
    }

    /// Bytes that have not been read.
    pub(crate) fn left(&self) -> u64 {
        self.to - self.at
    }

    /// Reads some of what is left, which is not nothing, into `room`, which is not empty.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        let most = usize::try_from(self.left()).unwrap_or(usize::MAX).min(room.len());
        let read = again(|| self.reader.read(&mut room[..most]));
        let read = read.map_err(|source| Error::Read { run: self.name.clone(), source })?;
        if read == 0 {
            return Err(self.damaged(self.at - self.from, "the run ends here"));
        }
        // A reader that claims more than there is room for must not move this on.
        let read = read.min(most);
        self.at += read as u64;
        Ok(read)
    }

    /// The error for what is wrong so many bytes behind the stretch's start.
    pub(crate) fn damaged(&self, offset: u64, what: &str) -> Error {
        Error::Corrupt { run: self.name.clone(), what: format!("byte {}: {what}", self.from + offset) }
    }
}

fn again<T>(mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match action() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Marks of all runs take at most `most` bytes together.
pub(crate) fn thin(runs: &mut [Run], most: usize) {
    let mut all: Vec<&mut Marks> = runs.iter_mut().map(|run| &mut run.marks).collect();
    marks::thin_all(&mut all, most);
}

/// Begins runs.
pub(crate) struct Store {
    storage: Box<dyn Storage>,
    begun: u64,
    marks_most: usize,
}

impl Store {
    /// The marks of one run will take at most `marks_most` bytes.
    pub(crate) fn new(storage: Box<dyn Storage>, marks_most: usize) -> Self {
        Store { storage, begun: 0, marks_most }
    }

    /// How many runs may be there at once.
    pub(crate) fn runs_most(&self) -> usize {
        self.storage.runs_most().max(2)
    }

    /// Starts a run.
    pub(crate) fn begin(&mut self) -> Result<RunTarget> {
        let name = RunName { number: self.begun, place: self.storage.place(self.begun) };
        self.begun += 1;
        match again(|| self.storage.create(name.number)) {
            Ok(data) => {
                let marks = Marks::default();
                Ok(RunTarget { data, name, coded: 0, raw: 0, marks, marks_most: self.marks_most })
            }
            Err(source) => Err(Error::Write { run: name, source }),
        }
    }

    /// The run is complete.
    pub(crate) fn end(&mut self, target: RunTarget, meter: &Meter) -> Result<Run> {
        let RunTarget { mut data, name, coded, raw, mut marks, .. } = target;
        if let Err(source) = again(|| data.flush()) {
            return Err(Error::Write { run: name, source });
        }
        meter.spilled(coded);
        let sequential = self.storage.sequential();
        if sequential {
            // It cannot be entered in the middle.
            marks = Marks::default();
        }
        marks.shrink();
        Ok(Run { data, name, sequential, coded, raw, marks })
    }

    /// Runs that have become part of another one.
    pub(crate) fn release(&mut self, runs: &[Run]) {
        runs.iter().for_each(|run| run.release(0, run.coded));
    }
}

/// Takes the coded parts of one run.
pub(crate) struct RunTarget {
    data: Box<dyn StoredRun>,
    name: RunName,
    coded: u64,
    raw: u64,
    marks: Marks,
    marks_most: usize,
}

impl Target for RunTarget {
    fn write(&mut self, part: &mut Part) -> Result<bool> {
        coder::seal(&mut part.bytes, self.name.number, self.coded);
        if let Err(source) = self.data.write_all(&part.bytes) {
            return Err(Error::Write { run: self.name.clone(), source });
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
