//! CSV files as Postgres and spreadsheets write them: commas, `"` around a value that holds a comma, a quote or a line's end, a
//! quote within it doubled. An empty value without quotes is NULL, `""` is an empty text, which is why no library is used:
//! they do not tell the two apart.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, read_line};

/// A value; `None` for NULL.
pub(crate) type Field = Option<Vec<u8>>;

/// A file that is read record by record.
pub(crate) struct Csv {
    input: BufReader<File>,
    shown: String,
    /// Lines that are read.
    line: u64,
    /// Names of the columns.
    pub(crate) columns: Vec<String>,
    /// Which values of the last row had quotes.
    pub(crate) quoted: Vec<bool>,
    /// The record, and the line of it that was read last.
    text: Vec<u8>,
    part: Vec<u8>,
}

/// Bytes of a record: a quote that is never closed must not fill the memory.
const RECORD_BYTES_MAX: usize = 64 << 20;

/// The mark in front of UTF-8 texts of some programs.
const MARK: &[u8] = b"\xef\xbb\xbf";

impl Csv {
    /// Opens a file and reads its first line, the columns' names.
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        let shown = path.display().to_string();
        let file = File::open(path).map_err(|error| Fault::usage(error.to_string()).at(shown.clone()))?;
        let mut csv = Self {
            input: BufReader::new(file),
            shown,
            line: 0,
            columns: Vec::new(),
            quoted: Vec::new(),
            text: Vec::new(),
            part: Vec::new(),
        };
        let mut first = Vec::new();
        if !csv.read(&mut first)? {
            let fault = Fault::usage("the file is empty").at(format!("{}:1:1", csv.shown));
            return Err(fault.hint("its first line names the columns, as id,name,price"));
        }
        let names = first.into_iter().map(|name| {
            let name = String::from_utf8(name.unwrap_or_default()).unwrap_or_default().trim().to_owned();
            if name.is_empty() {
                let fault = csv.fault("a column of the first line has no name");
                return Err(fault.hint("the first line names the columns, as id,name,price"));
            }
            Ok(name)
        });
        csv.columns = names.collect::<Outcome<_>>()?;
        Ok(csv)
    }

    /// The next row; false at the end. It has as many values as there are columns.
    pub(crate) fn next(&mut self, row: &mut Vec<Field>) -> Outcome<bool> {
        if !self.read(row)? {
            return Ok(false);
        }
        if row.len() == self.columns.len() {
            return Ok(true);
        }
        let (found, wanted) = (row.len(), self.columns.len());
        let fault = self.fault(format!("{found} values, and the first line names {wanted} columns"));
        Err(fault.hint(
            "write every value, an empty one for NULL; a value with a comma in it needs quotes: \"a, b\"",
        ))
    }

    /// A fault in the line that was read last.
    fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::usage(what).at(format!("{}:{}:1", self.shown, self.line))
    }

    /// Reads a record, over as many lines as its quotes take.
    fn read(&mut self, row: &mut Vec<Field>) -> Outcome<bool> {
        row.clear();
        self.text.clear();
        let (began, mut is_open) = (self.line + 1, false);
        loop {
            let room = RECORD_BYTES_MAX.saturating_sub(self.text.len());
            let read = read_line(&mut self.input, room + 1, &mut self.part, |_| ());
            let read = read.map_err(|error| Fault::environment(error.to_string()).at(self.shown.clone()))?;
            if read == 0 && !is_open {
                return Ok(false);
            }
            if read == 0 {
                self.line = began;
                return Err(self.fault("a quote is not closed").hint("write \" at the end of the value"));
            }
            if self.part.len() > room {
                self.line = began;
                return Err(self
                    .fault(format!("the row has more than {} MiB", RECORD_BYTES_MAX >> 20))
                    .hint("a quote that is not closed makes one row of all that follows"));
            }
            self.line += 1;
            self.text.extend_from_slice(&self.part);
            // An odd number of quotes leaves one open: the record goes on in the next line.
            is_open ^= !memchr::memchr_iter(b'"', &self.part).count().is_multiple_of(2);
            if !is_open {
                break;
            }
            self.text.push(b'\n');
        }
        let text = self.text.strip_suffix(b"\r").unwrap_or(&self.text);
        let text = if began == 1 { text.strip_prefix(MARK).unwrap_or(text) } else { text };
        if std::str::from_utf8(text).is_err() {
            return Err(self
                .fault("the line is no UTF-8")
                .hint("write the file anew as UTF-8: iconv -t UTF-8"));
        }
        fields(text, row, &mut self.quoted);
        Ok(true)
    }
}

/// The values of a record.
fn fields(text: &[u8], row: &mut Vec<Field>, quotes: &mut Vec<bool>) {
    quotes.clear();
    let (mut value, mut quoted, mut inside) = (Vec::new(), false, false);
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if inside && bytes.peek() == Some(&b'"') => {
                value.push(b'"');
                bytes.next();
            }
            b'"' => (inside, quoted) = (!inside, true),
            b',' if !inside => {
                row.push(field(&mut value, quoted));
                quotes.push(quoted);
                quoted = false;
            }
            _ => value.push(byte),
        }
    }
    row.push(field(&mut value, quoted));
    quotes.push(quoted);
}

fn field(value: &mut Vec<u8>, quoted: bool) -> Field {
    let value = std::mem::take(value);
    (quoted || !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = Vec<Option<String>>;

    fn read(text: &str) -> Outcome<(Vec<String>, Vec<Row>)> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        let shown = file.path().display().to_string();
        let inner = || {
            let mut csv = Csv::open(file.path())?;
            let (mut rows, mut row) = (Vec::new(), Vec::new());
            while csv.next(&mut row)? {
                let text =
                    |field: &Field| field.clone().map(|value| String::from_utf8(value).expect("UTF-8"));
                rows.push(row.iter().map(text).collect());
            }
            Ok((csv.columns, rows))
        };
        inner().map_err(|fault: Fault| {
            let places = fault.places.iter().map(|place| place.replace(&shown, "a.csv")).collect();
            Fault { places, ..fault }
        })
    }

    #[test]
    fn values_nulls_and_quotes_are_read() {
        let (columns, rows) = read("\u{feff}id,name\r\n1,\"a, \"\"b\"\"\nc\"\r\n2,\n3,\"\"\n").expect("read");
        assert_eq!(columns, ["id", "name"]);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            rows,
            [vec![some("1"), some("a, \"b\"\nc")], vec![some("2"), None], vec![some("3"), some("")],]
        );
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        for (text, wanted) in [
            ("", "a.csv:1:1: the file is empty"),
            ("id,,b\n", "a.csv:1:1: a column of the first line has no name"),
            ("id,name\n1,a\n2\n", "a.csv:3:1: 1 values, and the first line names 2 columns"),
            ("id\n1\n\"2\n3\n", "a.csv:3:1: a quote is not closed"),
        ] {
            assert_eq!(read(text).expect_err("refused").to_string(), wanted);
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_takes_neither_the_memory_nor_the_time() {
        // Quotes were once counted from the record's start at each line: hours for a file of this size.
        let line = "x".repeat(255) + "\n";
        let text = "id\n\"".to_owned() + &line.repeat(RECORD_BYTES_MAX / line.len() + 1);
        let wanted = "a.csv:2:1: the row has more than 64 MiB";
        assert_eq!(read(&text).expect_err("refused").to_string(), wanted);
    }
}
