//! The inputs one after the other, as one stream in which every record is complete.
//!
//! Bytes are read into memory of our own. Mapping the files would save a copy, but a file that becomes shorter while
//! it is mapped ends the program with a signal, and pages of a mapping are small.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use super::fetch::again;
use super::inputs::{Input, Inputs};
use super::shape::Frame;
use crate::error::{Error, Result};
use crate::progress::Meter;

/// What has not been read yet.
pub(crate) struct Feed<'m> {
    inputs: Inputs<'m>,
    current: Option<Current>,
    frame: Frame,
    meter: &'m Meter,
    /// The start of a record whose end did not fit into the last run or piece.
    pub(crate) carry: Vec<u8>,
}

struct Current {
    name: PathBuf,
    file: File,
    /// Bytes read of it.
    bytes: u64,
    last: u8,
}

impl Current {
    fn new(Input { name, file }: Input) -> Self {
        Current { name, file, bytes: 0, last: 0 }
    }
}

impl<'m> Feed<'m> {
    pub(crate) fn new(inputs: Inputs<'m>, frame: Frame, meter: &'m Meter) -> Self {
        Feed { inputs, current: None, frame, meter, carry: Vec::new() }
    }

    /// Reads one input that is open.
    pub(crate) fn opened(input: Input, frame: Frame, meter: &'m Meter) -> Self {
        let current = Some(Current::new(input));
        Feed { current, ..Feed::new(Inputs::none(), frame, meter) }
    }

    /// Reads on, across ends of files; 0 at the end of the last one. `room` is not empty.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        loop {
            let Some(current) = &mut self.current else {
                let Some(input) = self.inputs.next()? else { return Ok(0) };
                self.current = Some(Current::new(input));
                continue;
            };
            self.meter.check()?;
            let read = again(|| current.file.read(room));
            let read = read.map_err(|source| Error::Input { name: current.name.clone(), source })?;
            if read > 0 {
                current.bytes += read as u64;
                current.last = room[read - 1];
                self.meter.read(read);
                return Ok(read);
            }
            let ended = self.current.take().expect("a file that has just been read");
            if let Some(missing) = self.missing(&ended)? {
                room[0] = missing;
                return Ok(1);
            }
        }
    }

    /// The delimiter that a file's last line lacks.
    fn missing(&self, ended: &Current) -> Result<Option<u8>> {
        match self.frame {
            Frame::Delimited(end) => Ok(Some(end).filter(|end| ended.bytes > 0 && ended.last != *end)),
            Frame::Fixed(_) => self.frame.check_end(&ended.name, ended.bytes).map(|()| None),
        }
    }

    /// Asks the system to read on while this program is busy with something else.
    pub(crate) fn read_ahead(&self, bytes: usize) {
        let Some(current) = &self.current else { return };
        let ahead = std::num::NonZeroU64::new(bytes as u64);
        // Advice only: pipes do not take it.
        let _ = rustix::fs::fadvise(&current.file, current.bytes, ahead, rustix::fs::Advice::WillNeed);
    }
}
