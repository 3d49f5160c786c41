//! The bytes of an archive: integers, texts, entries and the pieces of blocks.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use humdrum_contract::Outcome;

use super::super::cut_off;
use super::super::entry::Entry;
use super::super::open::Text;

/// No block belongs to the entry.
const NO_BLOCK: u8 = 3;

/// The archive's bytes, which entries and the unpacking of a block read in turns.
#[derive(Clone)]
pub(super) struct Input(Rc<RefCell<Bytes>>);

struct Bytes {
    text: Text,
    int_bytes: usize,
    /// Bytes left of the present piece of a block.
    left: usize,
    /// The block's last piece is read.
    ended: bool,
}

impl Bytes {
    /// An integer: a sign, then bytes from the lowest on.
    fn int(&mut self) -> io::Result<i64> {
        let mut bytes = [0; 9];
        let used = &mut bytes[..=self.int_bytes];
        self.text.read_exact(used)?;
        let number = used[1..].iter().rev().fold(0_i64, |number, byte| (number << 8) | i64::from(*byte));
        Ok(if used[0] == 0 { number } else { -number })
    }

    fn text(&mut self) -> io::Result<Option<String>> {
        let length = self.int()?;
        let Ok(length) = u64::try_from(length) else { return Ok(None) };
        let mut text = Vec::new();
        let read = (&mut self.text).take(length).read_to_end(&mut text)?;
        if (read as u64) < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }
}

impl Input {
    pub(super) fn new(text: Text) -> Self {
        Self(Rc::new(RefCell::new(Bytes { text, int_bytes: 4, left: 0, ended: true })))
    }

    /// Integers have so many bytes from here on.
    pub(super) fn set_int_bytes(&self, count: u8) {
        self.0.borrow_mut().int_bytes = usize::from(count);
    }

    /// What is read next are the pieces of a block.
    pub(super) fn begin_block(&self) {
        self.0.borrow_mut().ended = false;
    }

    pub(super) fn array<const N: usize>(&self, place: &str) -> Outcome<[u8; N]> {
        let mut bytes = [0; N];
        let read = self.0.borrow_mut().text.read_exact(&mut bytes);
        read.map(|()| bytes).map_err(|error| cut_off(place.to_owned(), error))
    }

    pub(super) fn int(&self) -> io::Result<i64> {
        self.0.borrow_mut().int()
    }

    /// The entries, behind what else the head has: the time, the database and two releases.
    pub(super) fn entries(&self, version: u8, offset_bytes: usize) -> io::Result<Vec<Entry>> {
        let bytes = &mut *self.0.borrow_mut();
        for _ in 0..7 {
            bytes.int()?;
        }
        for _ in 0..3 {
            bytes.text()?;
        }
        let count = bytes.int()?;
        (0..count).map(|_| bytes.entry(version, offset_bytes)).collect()
    }

    /// Large objects: each an id and pieces, then an id of 0.
    pub(super) fn skip_large_objects(&mut self) -> io::Result<()> {
        while self.int()? != 0 {
            self.begin_block();
            io::copy(self, &mut io::sink())?;
        }
        Ok(())
    }
}

impl Bytes {
    fn entry(&mut self, version: u8, offset_bytes: usize) -> io::Result<Entry> {
        let (id, has_dumper) = (self.int()?, self.int()? != 0);
        let text = |bytes: &mut Self| bytes.text().map(Option::unwrap_or_default);
        // Two numbers of the object in its catalogue.
        text(self)?;
        text(self)?;
        let (name, kind) = (text(self)?, text(self)?);
        self.int()?;
        let (sql, _drop, copy, schema, _tablespace) =
            (text(self)?, text(self)?, text(self)?, text(self)?, text(self)?);
        if version >= 14 {
            text(self)?;
        }
        if version >= 16 {
            self.int()?;
        }
        let (_owner, _has_ids) = (text(self)?, text(self)?);
        while self.text()?.is_some() {}
        // Whether a block is there, and where it begins, which does not matter.
        let mut offset = [0; 9];
        self.text.read_exact(&mut offset[..=offset_bytes.min(8)])?;
        Ok(Entry { id, name, kind, sql, copy, schema, has_block: has_dumper && offset[0] != NO_BLOCK })
    }
}

impl Read for Input {
    /// Reads a block's pieces as one.
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let bytes = &mut *self.0.borrow_mut();
        if bytes.left == 0 && !bytes.ended {
            bytes.left = usize::try_from(bytes.int()?).map_err(io::Error::other)?;
            bytes.ended = bytes.left == 0;
        }
        if bytes.ended || piece.is_empty() {
            return Ok(0);
        }
        let most = piece.len().min(bytes.left);
        let read = bytes.text.read(&mut piece[..most])?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.left -= read;
        Ok(read)
    }
}
