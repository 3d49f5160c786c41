//! The custom format of pg_dump (`-Fc`), versions 1.11 (Postgres 8.4) to 1.16 (18), read from the beginning to the end, so
//! that it may be packed by another program.
//!
//! ```text
//!   PGDMP, version, sizes of integers │ packing │ when, from where │ entries │ blocks, in the order of the entries
//!   entry: id │ name │ kind │ SQL │ COPY … │ schema │ … │ whether a block follows
//!   block: kind, id of its entry │ length, bytes │ length, bytes │ … │ 0
//! ```

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::ZlibDecoder;
use humdrum_contract::Outcome;
use humdrum_model::Fault;

use super::entry::{Entry, is_left_out};
use super::open::{self, Text};
use super::script::{Script, rows_of};
use super::{Item, Parts, cut_off};

mod input;

use input::Input;

/// The first bytes.
pub(crate) const MAGIC: &[u8] = b"PGDMP";

/// Versions whose layout is known.
const OLDEST: u8 = 11;
const NEWEST: u8 = 16;

/// From this version on, the kind of packing is written, not the level.
const NAMES_PACKING: u8 = 15;
/// Until the version before, names in statements need the schema to be searched.
const NAMES_SCHEMAS: u8 = 13;

const CUSTOM: u8 = 1;
const ROWS: u8 = 1;
const LARGE_OBJECTS: u8 = 3;

/// How blocks are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    Zlib,
    Zstd,
}

/// An archive and how far it is read.
pub(crate) struct Archive {
    input: Input,
    shown: String,
    version: u8,
    packing: Packing,
    entries: std::vec::IntoIter<Entry>,
    /// Statements that are due before the next entry.
    due: std::vec::IntoIter<String>,
    /// An entry whose block is due.
    block: Option<Entry>,
    inside: Inside,
}

/// The block that is being read.
enum Inside {
    Nothing,
    Rows(Text),
    Statements(Box<Script>),
}

impl Archive {
    /// Reads everything in front of the blocks.
    pub(crate) fn read(text: Text, shown: String) -> Outcome<Self> {
        let input = Input::new(text);
        let refuse = |what: String| {
            let fault = Fault::usage(what).at(shown.clone());
            Err(fault.hint(format!("make SQL of it, which can be read: pg_restore -f dump.sql {shown}")))
        };
        let head: [u8; 11] = input.array(&shown)?;
        let [.., major, minor, _, int_bytes, offset_bytes, format] = head;
        if major != 1 || !(OLDEST..=NEWEST).contains(&minor) || int_bytes > 8 {
            return refuse(format!("this version of pg_dump's format, {major}.{minor}, is not known"));
        }
        if format != CUSTOM {
            return refuse("of pg_dump's formats, this is neither plain nor custom".to_owned());
        }
        input.set_int_bytes(int_bytes);
        let io = |error: io::Error| cut_off(shown.clone(), error);
        let named: [u8; 1] = if minor >= NAMES_PACKING { input.array(&shown)? } else { [0] };
        let level = if minor < NAMES_PACKING { input.int().map_err(io)? } else { 0 };
        let packing = match (minor >= NAMES_PACKING, named, level) {
            (true, [0], _) | (false, _, 0) => Packing::None,
            (true, [1], _) | (false, ..) => Packing::Zlib,
            (true, [3], _) => Packing::Zstd,
            _ => return refuse("its data are packed with LZ4, which is not read here".to_owned()),
        };
        let entries = input.entries(minor, usize::from(offset_bytes)).map_err(io)?;
        let due = vec!["SET check_function_bodies = false".to_owned()].into_iter();
        let (entries, inside) = (entries.into_iter(), Inside::Nothing);
        Ok(Self { input, shown, version: minor, packing, entries, due, block: None, inside })
    }

    /// A part of the archive as a place.
    fn place(&self, entry: &Entry) -> String {
        format!("{} ({} {})", self.shown, entry.kind, entry.name)
    }

    /// Takes the next entry: its statement is returned, its block is due.
    fn entry(&mut self, entry: Entry) -> Option<Item> {
        let place = self.place(&entry);
        let sql = (!is_left_out(&entry)).then(|| entry.sql.trim().trim_end_matches(';').to_owned());
        let schema = Some(&entry.schema).filter(|schema| self.version < NAMES_SCHEMAS && !schema.is_empty());
        let searched =
            schema.map(|schema| format!("SET search_path = \"{}\", pg_catalog", schema.replace('"', "\"\"")));
        if entry.has_block {
            self.block = Some(entry);
        }
        let sql = sql.filter(|sql| !sql.is_empty())?;
        let mut due = searched.into_iter().chain([sql]);
        let first = due.next()?;
        self.due = due.collect::<Vec<_>>().into_iter();
        Some(Item::Sql { text: first.into_bytes(), place })
    }

    /// Begins to read the block of an entry.
    fn begin(&mut self, entry: &Entry) -> Outcome<Option<Item>> {
        let place = self.place(entry);
        let io = |error: io::Error| cut_off(place.clone(), error);
        let [kind]: [u8; 1] = self.input.array(&place)?;
        let id = self.input.int().map_err(io)?;
        if kind == LARGE_OBJECTS {
            self.input.skip_large_objects().map_err(io)?;
            return Ok(None);
        }
        if kind != ROWS || id != entry.id {
            return Err(cut_off(place, "its blocks are in another order than its entries"));
        }
        self.input.begin_block();
        let block = self.input.clone();
        let unpacked: Box<dyn Read> = match self.packing {
            Packing::None => Box::new(block),
            Packing::Zlib => Box::new(ZlibDecoder::new(block)),
            Packing::Zstd => open::zstd(block),
        };
        let text = BufReader::new(unpacked);
        if let Some((table, columns)) = rows_of(entry.copy.trim().as_bytes()) {
            self.inside = Inside::Rows(text);
            return Ok(Some(Item::Rows { table, columns, place }));
        }
        self.inside = Inside::Statements(Box::new(Script::new(text, place)));
        Ok(None)
    }

    /// Ends the block, of which the unpacking may have left the last bytes.
    fn end_block(&mut self, place: &str) -> Outcome<()> {
        self.inside = Inside::Nothing;
        let left = io::copy(&mut self.input, &mut io::sink());
        left.map(drop).map_err(|error| cut_off(place.to_owned(), error))
    }
}

impl Parts for Archive {
    fn next(&mut self) -> Outcome<Option<Item>> {
        loop {
            if let Inside::Statements(script) = &mut self.inside {
                if let Some(item) = script.next()? {
                    return Ok(Some(item));
                }
                self.end_block(&self.shown.clone())?;
            }
            if let Some(text) = self.due.next() {
                return Ok(Some(Item::Sql { text: text.into_bytes(), place: self.shown.clone() }));
            }
            if let Some(entry) = self.block.take() {
                if let Some(item) = self.begin(&entry)? {
                    return Ok(Some(item));
                }
                continue;
            }
            let Some(entry) = self.entries.next() else { return Ok(None) };
            if let Some(item) = self.entry(entry) {
                return Ok(Some(item));
            }
        }
    }

    fn row(&mut self, row: &mut Vec<u8>) -> Outcome<bool> {
        let Inside::Rows(text) = &mut self.inside else { return Ok(false) };
        let read = text.read_until(b'\n', row).map_err(|error| cut_off(self.shown.clone(), error))?;
        if row.ends_with(b"\n") {
            row.pop();
        }
        if read > 0 && row.as_slice() != b"\\." {
            return Ok(true);
        }
        row.clear();
        self.end_block(&self.shown.clone())?;
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
