//! `--debug`: what of each line is compared, underlined, as GNU sort shows it.
//!
//! ```text
//!   sort ──► pipe ──► this thread ──► standard output       a line 2>JAN   (tabs are shown as >)
//!                                                                    ___
//! ```

pub(crate) mod warnings;

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::thread::JoinHandle;

use crate::fault::{Fault, Result};
use crate::keys::spec::Key;
use crate::keys::tight;
use crate::standard;

/// What is shown below each line.
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) keys: Vec<Key>,
    /// `-t`.
    pub(crate) separator: Option<u8>,
    /// The whole line breaks ties, or is all there is.
    pub(crate) whole: bool,
    /// What ends lines in the input.
    pub(crate) end: u8,
}

/// A thread that annotates what is written to a pipe.
pub(crate) struct Annotator {
    pipe: OwnedFd,
    thread: JoinHandle<Result<()>>,
}

impl Annotator {
    pub(crate) fn start(annotation: Annotation) -> Result<Self> {
        let output = standard::output()?;
        let (lines, pipe) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
            .map_err(|error| failed(&error.into()))?;
        let lines = BufReader::new(std::fs::File::from(lines));
        let thread = std::thread::spawn(move || annotation.all(lines, BufWriter::new(output)));
        Ok(Annotator { pipe, thread })
    }

    /// What the sort shall write to.
    pub(crate) fn output(&self) -> PathBuf {
        PathBuf::from(format!("/dev/fd/{}", self.pipe.as_raw_fd()))
    }

    /// Waits until all is shown. Nobody else has the pipe open any more.
    pub(crate) fn finish(self) -> Result<()> {
        drop(self.pipe);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn failed(error: &std::io::Error) -> Fault {
    Fault::writing("standard output", error)
}

impl Annotation {
    fn all(&self, mut lines: impl BufRead, mut output: impl Write) -> Result<()> {
        let mut line = Vec::new();
        let mut shown = Vec::new();
        loop {
            line.clear();
            if lines.read_until(self.end, &mut line).map_err(|error| failed(&error))? == 0 {
                return output.flush().map_err(|error| failed(&error));
            }
            line.pop();
            shown.clear();
            self.one(&line, &mut shown);
            output.write_all(&shown).map_err(|error| failed(&error))?;
        }
    }

    /// A line and what is below it.
    fn one(&self, line: &[u8], shown: &mut Vec<u8>) {
        shown.extend(line.iter().map(|byte| if *byte == b'\t' { b'>' } else { *byte }));
        shown.push(b'\n');
        let keys = self.keys.iter().map(|key| tight::range(key, self.separator, line));
        for part in keys.chain(self.whole.then_some(0..line.len())) {
            let width = columns(&line[part.clone()]);
            shown.extend(std::iter::repeat_n(b' ', columns(&line[..part.start])));
            match width {
                0 => shown.extend_from_slice(b"^ no match for key"),
                width => shown.extend(std::iter::repeat_n(b'_', width)),
            }
            shown.push(b'\n');
        }
    }
}

/// Columns on a terminal: control characters have none, but for tabs.
fn columns(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !byte.is_ascii_control() || **byte == b'\t').count()
}
