//! Lines of a file, one at a time, in bounded memory whatever the file holds.

use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, Read};

use humdrum_model::{Fault, read_line};

/// Bytes of a line that are kept; no tool prints a longer one, and a file without line ends must not fill the memory.
const LINE_BYTES_MAX: usize = 64 << 10;
/// Bytes of a file that is read at once (JSON).
const WHOLE_BYTES_MAX: u64 = 64 << 20;
/// Bytes between two looks at whether to go on.
const WATCH_BYTES: u64 = 4 << 20;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'l> {
    /// Its number, from 1.
    pub number: u64,
    /// Without the line end; what is not UTF-8 is replaced.
    pub text: &'l str,
}

/// Called with the bytes read so far; an error ends the reading.
pub type Watch<'w> = &'w mut dyn FnMut(u64) -> Result<(), Fault>;

/// The lines of one file.
pub struct Lines<'r> {
    input: &'r mut dyn BufRead,
    watch: Watch<'r>,
    bytes: Vec<u8>,
    text: String,
    number: u64,
    read: u64,
    watched: u64,
    content: DefaultHasher,
}

impl<'r> Lines<'r> {
    /// From the file's first byte on.
    pub fn new(input: &'r mut dyn BufRead, watch: Watch<'r>) -> Self {
        Self {
            input,
            watch,
            bytes: Vec::new(),
            text: String::new(),
            number: 0,
            read: 0,
            watched: 0,
            content: DefaultHasher::new(),
        }
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// Environment: the file cannot be read on. Whatever the watch says.
    pub fn read(&mut self) -> Result<Option<Line<'_>>, Fault> {
        let content = &mut self.content;
        let read = read_line(self.input, LINE_BYTES_MAX, &mut self.bytes, |bytes| content.write(bytes));
        match read.map_err(|error| broken(&error))? {
            0 => return Ok(None),
            read => self.read += read,
        }
        self.number += 1;
        if self.read - self.watched >= WATCH_BYTES {
            self.watched = self.read;
            (self.watch)(self.read)?;
        }
        self.text.clear();
        self.text.push_str(String::from_utf8_lossy(&self.bytes).trim_end());
        Ok(Some(Line { number: self.number, text: &self.text }))
    }

    /// All that is left, for formats that are one value.
    ///
    /// # Errors
    /// Usage for a file that is too large to be read at once.
    pub fn whole(&mut self) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        let limited = (&mut self.input).take(WHOLE_BYTES_MAX + 1).read_to_end(&mut bytes);
        limited.map_err(|error| broken(&error))?;
        if bytes.len() as u64 > WHOLE_BYTES_MAX {
            let what =
                format!("is larger than {} MiB, which is too much for one JSON value", WHOLE_BYTES_MAX >> 20);
            return Err(Fault::usage(what).hint("import it in parts"));
        }
        self.content.write(&bytes);
        self.read += bytes.len() as u64;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.read
    }

    /// Tells this content from others.
    pub fn content(&self) -> u64 {
        self.content.finish()
    }
}

fn broken(error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, String)> {
        let mut input = bytes;
        let mut watch = |_| Ok(());
        let mut lines = Lines::new(&mut input, &mut watch);
        let mut all = Vec::new();
        while let Some(line) = lines.read().expect("reads") {
            all.push((line.number, line.text.to_owned()));
        }
        assert_eq!(lines.bytes(), bytes.len() as u64);
        all
    }

    #[test]
    fn lines_have_numbers_and_no_ends() {
        let expected = [(1, "a"), (2, ""), (3, "b"), (4, "c\u{fffd}")];
        assert_eq!(all(b"a\r\n\nb  \nc\xff"), expected.map(|(number, text)| (number, text.to_owned())));
        assert!(all(b"").is_empty());
    }

    #[test]
    fn a_file_without_line_ends_does_not_fill_the_memory() {
        let lines = all(&vec![b'x'; 3 * LINE_BYTES_MAX]);
        assert_eq!((lines.len(), lines[0].1.len()), (1, LINE_BYTES_MAX));
    }

    #[test]
    fn the_watch_can_end_the_reading() {
        let bytes = vec![b'\n'; 2 * WATCH_BYTES as usize];
        let mut input = &bytes[..];
        let mut watch = |_| Err(Fault::usage("stop"));
        let mut lines = Lines::new(&mut input, &mut watch);
        let fault = loop {
            match lines.read() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("nobody watched"),
                Err(fault) => break fault,
            }
        };
        assert_eq!((fault.what.as_str(), lines.bytes()), ("stop", WATCH_BYTES));
    }
}
