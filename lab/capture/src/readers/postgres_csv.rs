//! `log_destination = csvlog`: the columns that its manual lists. A record may be of several lines.

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
        let (mut record, mut fields, mut ends) = (String::new(), Vec::new(), Vec::new());
        let mut reader = csv_core::Reader::new();
        // Whether the record so far ends within quotes.
        let mut is_open = false;
        while let Some(line) = lines.read()? {
            record.push_str(line);
            record.push('\n');
            // An odd number of quotes leaves one open: the record goes on in the next line.
            is_open ^= !memchr::memchr_iter(b'"', line.as_bytes()).count().is_multiple_of(2);
            if is_open && record.len() < RECORD_BYTES_MAX {
                continue;
            }
            is_open = false;
            match parse(&mut reader, record.as_bytes(), &mut fields, &mut ends) {
                Some(()) => {
                    let field = |number: usize| {
                        let start = if number == 0 { 0 } else { ends.get(number - 1).copied().unwrap_or(0) };
                        let bytes = ends.get(number).and_then(|end| fields.get(start..*end));
                        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
                    };
                    if field(SEVERITY) == "LOG" && tells(field(MESSAGE)) {
                        pending.begin(Some(session(field(SESSION))), field(MESSAGE), captured);
                        pending.detail(field(DETAIL));
                        pending.finish(captured);
                    }
                }
                None => captured.unknown_lines += 1,
            }
            record.clear();
        }
        captured.unknown_lines += u64::from(!record.is_empty());
        Ok(())
    }
}

/// A record that never ends must not fill the memory.
const RECORD_BYTES_MAX: usize = 32 << 20;

/// The fields of one record, one behind the other, and where each ends.
fn parse(
    reader: &mut csv_core::Reader,
    record: &[u8],
    fields: &mut Vec<u8>,
    ends: &mut Vec<usize>,
) -> Option<()> {
    reader.reset();
    fields.resize(record.len() + 1, 0);
    ends.resize(64, 0);
    let (result, _, _, count) = reader.read_record(record, fields, ends);
    ends.truncate(count);
    (matches!(result, csv_core::ReadRecordResult::Record) && count > DETAIL).then_some(())
}
