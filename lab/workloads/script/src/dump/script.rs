//! Plain SQL, cut into statements and the rows of COPY.
//!
//! The dialect of the text follows from its beginning: in what mysqldump and mariadb-dump write, a backslash in quotes
//! escapes, `#` begins a comment and `DELIMITER` changes what ends a statement; in what pg_dump writes there are dollar
//! quotes, nested comments, and lines that begin with a backslash, which are for its client and are left out.

use std::io::BufRead;

use humdrum_contract::Outcome;

use super::open::Text;
use super::{Item, Parts, cut_off};

mod scan;

/// Comments that begin and end a dump. One that has begun must end.
const BEGINS: [&[u8]; 4] = [
    b"-- PostgreSQL database dump",
    b"-- PostgreSQL database cluster dump",
    b"-- MySQL dump",
    b"-- MariaDB dump",
];
const ENDS: [&[u8]; 3] = [
    b"-- PostgreSQL database dump complete",
    b"-- PostgreSQL database cluster dump complete",
    b"-- Dump completed",
];

/// What tells a text of the other family.
const BACKSLASHED: [&[u8]; 5] = [b"-- MySQL dump", b"-- MariaDB dump", b"/*!", b"/*M!", b"`"];

/// A text and how far it is read.
pub(crate) struct Script {
    text: Text,
    /// The file, or the part of an archive.
    shown: String,
    /// Faults name the line.
    has_lines: bool,
    backslashed: bool,
    line: Vec<u8>,
    at: usize,
    lines: u64,
    delimiter: Vec<u8>,
    sql: Vec<u8>,
    /// The line in which the statement begins.
    from: u64,
    inside: Inside,
    begun: bool,
    ended: bool,
}

/// What the present byte is part of.
#[derive(Clone, Debug, PartialEq)]
enum Inside {
    Plain,
    /// A quoted text or name, and whether a backslash escapes in it.
    Quote(u8, bool),
    Comment(u32),
    /// A text between two of these.
    Dollar(Vec<u8>),
}

impl Script {
    /// Of a file from its beginning.
    pub(crate) fn of_file(mut text: Text, shown: String) -> Outcome<Self> {
        let first = text.fill_buf().map_err(|error| cut_off(shown.clone(), error))?;
        let has = |mark: &[u8]| memchr::memmem::find(first, mark).is_some();
        let backslashed = !has(BEGINS[0]) && BACKSLASHED.into_iter().any(has);
        Ok(Self { backslashed, has_lines: true, ..Self::new(text, shown) })
    }

    /// Of the statements in a part of an archive of pg_dump.
    pub(crate) fn new(text: Text, shown: String) -> Self {
        Self {
            text,
            shown,
            has_lines: false,
            backslashed: false,
            line: Vec::new(),
            at: 0,
            lines: 0,
            delimiter: b";".to_vec(),
            sql: Vec::new(),
            from: 0,
            inside: Inside::Plain,
            begun: false,
            ended: false,
        }
    }

    fn place(&self, line: u64) -> String {
        if self.has_lines { format!("{}:{line}:1", self.shown) } else { self.shown.clone() }
    }

    /// Reads the next line, with its end; false at the end of the text.
    fn read_line(&mut self) -> Outcome<bool> {
        self.line.clear();
        self.at = 0;
        let read = self.text.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| cut_off(self.place(self.lines), error))?;
        self.lines += u64::from(read > 0);
        Ok(read > 0)
    }

    /// Takes a line that is for the client and not for the server.
    fn is_for_client(&mut self) -> bool {
        if self.inside != Inside::Plain || !self.sql.is_empty() {
            return false;
        }
        if !self.backslashed {
            return self.line.starts_with(b"\\");
        }
        let Some(word) = self.line.get(..10).filter(|word| word.eq_ignore_ascii_case(b"DELIMITER ")) else {
            return false;
        };
        self.delimiter = self.line[word.len()..].trim_ascii().to_vec();
        true
    }

    fn end(&self) -> Outcome<Option<Item>> {
        let place = self.place(self.lines);
        if !self.sql.trim_ascii().is_empty() {
            return Err(cut_off(self.place(self.from), "the last statement has no end"));
        }
        if self.begun && !self.ended {
            return Err(cut_off(
                place,
                "the comment that ends it, `… complete` or `Dump completed`, is not there",
            ));
        }
        Ok(None)
    }
}

impl Parts for Script {
    fn next(&mut self) -> Outcome<Option<Item>> {
        loop {
            if self.at == self.line.len() {
                if !self.read_line()? {
                    return self.end();
                }
                if self.is_for_client() {
                    self.at = self.line.len();
                }
            }
            if self.scan() {
                let text = std::mem::take(&mut self.sql).trim_ascii_end().to_vec();
                let place = self.place(self.from);
                match rows_of(&text) {
                    _ if text.is_empty() => {}
                    Some((table, columns)) => {
                        // What is left of the line is its end.
                        self.at = self.line.len();
                        return Ok(Some(Item::Rows { table, columns, place }));
                    }
                    None => return Ok(Some(Item::Sql { text, place })),
                }
            }
        }
    }

    fn row(&mut self, row: &mut Vec<u8>) -> Outcome<bool> {
        if !self.read_line()? {
            return Err(cut_off(self.place(self.from), "the rows of this COPY have no end"));
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let more = line != b"\\.";
        if more {
            row.extend_from_slice(line);
        }
        self.at = self.line.len();
        Ok(more)
    }
}

/// Table and columns of `COPY table (columns) FROM stdin`.
pub(crate) fn rows_of(sql: &[u8]) -> Option<(String, String)> {
    let copies = sql.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"COPY "));
    let text = std::str::from_utf8(sql).ok().filter(|_| copies)?.trim_end_matches([';', '\n']);
    let head = text.get(..text.len().checked_sub("FROM stdin".len())?)?;
    if !text[head.len()..].eq_ignore_ascii_case("FROM stdin") {
        return None;
    }
    let (table, columns) = head["COPY ".len()..].split_once(" (")?;
    let (columns, _) = columns.rsplit_once(')')?;
    Some((table.trim().to_owned(), columns.to_owned()))
}

#[cfg(test)]
mod tests;
