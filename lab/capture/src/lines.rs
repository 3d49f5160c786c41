//! Lines of a log, one at a time, in bounded memory whatever the log holds.

use std::io::BufRead;

use humdrum_model::{Fault, read_line};

/// Bytes of a line that are kept: a statement may be long, and a file without line ends must not fill the memory.
const LINE_BYTES_MAX: usize = 16 << 20;
/// Bytes between two looks at whether to go on.
const WATCH_BYTES: u64 = 8 << 20;

/// Called with the bytes read so far; an error ends the reading.
pub type Watch<'w> = &'w mut dyn FnMut(u64) -> Result<(), Fault>;

/// The lines of one log.
pub struct Lines<'r> {
    input: &'r mut dyn BufRead,
    watch: Watch<'r>,
    bytes: Vec<u8>,
    /// A line that is no UTF-8, with what is not replaced.
    repaired: String,
    number: u64,
    read: u64,
    watched: u64,
}

impl<'r> Lines<'r> {
    /// From the log's first byte on.
    pub fn new(input: &'r mut dyn BufRead, watch: Watch<'r>) -> Self {
        Self { input, watch, bytes: Vec::new(), repaired: String::new(), number: 0, read: 0, watched: 0 }
    }

    /// The next line without its end; `None` at the end.
    ///
    /// # Errors
    /// Environment: it cannot be read on. Whatever the watch says.
    pub fn read(&mut self) -> Result<Option<&str>, Fault> {
        let read = read_line(self.input, LINE_BYTES_MAX, &mut self.bytes, |_| ());
        match read.map_err(|error| Fault::environment(format!("cannot be read: {error}")))? {
            0 => return Ok(None),
            read => self.read += read,
        }
        self.number += 1;
        if self.read - self.watched >= WATCH_BYTES {
            self.watched = self.read;
            (self.watch)(self.read)?;
        }
        if self.bytes.last() == Some(&b'\r') {
            self.bytes.pop();
        }
        Ok(Some(match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(_) => {
                self.repaired.clear();
                self.repaired.push_str(&String::from_utf8_lossy(&self.bytes));
                &self.repaired
            }
        }))
    }

    /// The number of the line that was read last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.read
    }
}
