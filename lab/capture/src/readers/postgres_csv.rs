//! `log_destination = csvlog`: the columns that its manual lists. A record may be of several lines.

use std::borrow::Cow;

use humdrum_model::Fault;

use super::postgres::{Pending, session, tells};
use crate::collect::Captured;
use crate::event::Dialect;
use crate::{Lines, Reader};

pub(super) struct Csv;

/// Columns, from 0.
const SESSION: usize = 5;
const SEVERITY: usize = 11;
const MESSAGE: usize = 13;
const DETAIL: usize = 14;

impl Reader for Csv {
    fn name(&self) -> &'static str {
        "postgres-csv"
    }

    fn about(&self) -> &'static str {
        "Postgres, log_destination = csvlog"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn fits(&self, head: &str) -> bool {
        head.lines().take(50).any(|line| line.split(',').nth(SEVERITY).is_some_and(|word| word == "LOG"))
    }

    fn read(&self, lines: &mut Lines<'_>, captured: &mut Captured) -> Result<(), Fault> {
        let mut pending = Pending::default();
        let mut record = String::new();
        // Whether the record so far ends within quotes.
        let mut is_open = false;
        while let Some(line) = lines.read()? {
            // An odd number of quotes leaves one open: the record goes on in the next line.
            is_open ^= !memchr::memchr_iter(b'"', line.as_bytes()).count().is_multiple_of(2);
            if is_open && record.len() + line.len() < RECORD_BYTES_MAX {
                record.push_str(line);
                record.push('\n');
                continue;
            }
            if record.is_empty() {
                one(line, &mut pending, captured);
            } else {
                record.push_str(line);
                one(&record, &mut pending, captured);
                record.clear();
            }
            is_open = false;
        }
        captured.unknown_lines += u64::from(!record.is_empty());
        Ok(())
    }
}

/// A record that never ends must not fill the memory.
const RECORD_BYTES_MAX: usize = 32 << 20;

/// Reads one record.
fn one(record: &str, pending: &mut Pending, captured: &mut Captured) {
    let Some(fields) = fields(record) else {
        captured.unknown_lines += 1;
        return;
    };
    let message = &fields[MESSAGE].text();
    if fields[SEVERITY].inner == "LOG" && tells(message) {
        pending.begin(Some(session(&fields[SESSION].text())), message, captured);
        pending.detail(&fields[DETAIL].text());
        pending.finish(captured);
    }
}

/// A value of a record, without the quotes around it.
#[derive(Clone, Copy, Debug, Default)]
struct Field<'r> {
    inner: &'r str,
    /// It has quotes, which are doubled.
    has_quotes: bool,
}

impl<'r> Field<'r> {
    fn text(self) -> Cow<'r, str> {
        if self.has_quotes { self.inner.replace("\"\"", "\"").into() } else { self.inner.into() }
    }
}

/// The fields of a record up to the last that is read; `None` if it has fewer, or is no CSV.
fn fields(record: &str) -> Option<[Field<'_>; DETAIL + 1]> {
    let mut fields = [Field::default(); DETAIL + 1];
    let mut rest = Some(record);
    for field in &mut fields {
        let text = rest?;
        let (own, behind) = match text.strip_prefix('"') {
            Some(quoted) => in_quotes(quoted)?,
            None => {
                let end = memchr::memchr(b',', text.as_bytes()).unwrap_or(text.len());
                (Field { inner: &text[..end], has_quotes: false }, &text[end..])
            }
        };
        *field = own;
        rest = behind.strip_prefix(',');
        if rest.is_none() && !behind.is_empty() {
            return None;
        }
    }
    Some(fields)
}

/// A field behind its first quote, and what follows its last.
fn in_quotes(text: &str) -> Option<(Field<'_>, &str)> {
    let (bytes, mut from, mut has_quotes) = (text.as_bytes(), 0, false);
    loop {
        let end = from + memchr::memchr(b'"', &bytes[from..])?;
        if bytes.get(end + 1) != Some(&b'"') {
            return Some((Field { inner: &text[..end], has_quotes }, &text[end + 1..]));
        }
        (from, has_quotes) = (end + 2, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_as_postgres_writes_them() {
        let record = "2026-11-25,\"me\",,4711,\"[local]\",6744a.1,1,\"SELECT\",x,3/0,0,LOG,00000,\"a, \"\"b\"\"\nc\",\"d\",,,";
        let fields = fields(record).expect("a record");
        let text = |number: usize| fields[number].text().into_owned();
        assert_eq!([text(0), text(1), text(2), text(SESSION)], ["2026-11-25", "me", "", "6744a.1"]);
        assert_eq!([text(SEVERITY), text(MESSAGE), text(DETAIL)], ["LOG", "a, \"b\"\nc", "d"]);
        let with = |last: &str| format!("{}{last}", ",".repeat(DETAIL));
        assert!(super::fields(&with("")).is_some() && super::fields(&with("\"\"")).is_some());
        for none in ["", "a,b", &with("\"a\"b"), &with("\"a"), &with("\"a\"\"")] {
            assert!(super::fields(none).is_none(), "{none}");
        }
    }
}
