//! Walking a reply: its results, and each result's columns and rows.
//!
//! ```text
//!   OK                                                      a command without rows
//!   count  column … column  [END]  row … row  END           one with rows; the END in brackets is left out
//!                                                           of short results
//!   …      END or OK says that another result follows       several statements in one text
//! ```

use humdrum_contract::{Answer, Fetched, Outcome, RowHash};

use crate::binary;
use crate::columns::{self, Column};
use crate::reply::{Done, Reply, ServerError, marks};
use crate::text;
use crate::wire::Wire;

/// Looks at the packets of a reply. An error means that the reply cannot be read.
trait Visitor {
    /// A result begins.
    fn result(&mut self) {}
    fn column(&mut self, _packet: &[u8]) -> Outcome<()> {
        Ok(())
    }
    fn row(&mut self, packet: &[u8]) -> Outcome<()>;
}

impl Wire {
    /// Rows returned, or else the rows that the last statement really changed.
    #[inline]
    pub(crate) fn count_rows(&mut self) -> Outcome<u64> {
        let mut count = Count(0);
        let done = self.walk(&mut count)?;
        Ok(if count.0 > 0 { count.0 } else { done.changed })
    }

    /// Counts and hashes rows; the sum does not depend on their order. `BINARY`: rows of a prepared statement.
    pub(crate) fn hash_rows<const BINARY: bool>(&mut self) -> Outcome<Answer> {
        let mut hash = Hash::<BINARY>::default();
        let done = self.walk(&mut hash)?;
        let mut answer = hash.answer;
        if answer.rows == 0 {
            answer.rows = done.changed;
        }
        Ok(answer)
    }

    /// The rows of the last result, of statements sent as text.
    pub(crate) fn text_rows(&mut self) -> Outcome<Vec<Vec<Option<String>>>> {
        let mut texts = Texts(Vec::new());
        self.walk(&mut texts)?;
        Ok(texts.0)
    }

    /// The rows of the last result with its columns. `BINARY`: rows of a prepared statement.
    pub(crate) fn fetched<const BINARY: bool>(&mut self) -> Outcome<Fetched> {
        let mut keep = Keep::<BINARY>::default();
        self.walk(&mut keep)?;
        Ok(keep.fetched)
    }

    /// Waits for the end of a command without rows.
    pub(crate) fn finish(&mut self) -> Outcome<Done> {
        self.walk(&mut Count(0))
    }

    /// Walks all results of a command; an error of the server is its last packet, and the session goes on.
    #[inline]
    fn walk<V: Visitor>(&mut self, visitor: &mut V) -> Outcome<Done> {
        let walked = self.walk_results(visitor);
        if matches!(walked, Walked::Unreadable(_)) {
            self.give_up();
        }
        walked.into()
    }

    #[inline]
    fn walk_results<V: Visitor>(&mut self, visitor: &mut V) -> Walked {
        loop {
            let walked = match self.reply() {
                Ok(Reply::Done(done)) => Ok(done),
                Ok(Reply::Rows(columns)) => self.walk_rows(columns, visitor),
                Ok(Reply::Failed(error)) => return Walked::Failed(error),
                Ok(Reply::SendFile) => self.send_no_file(),
                Err(fault) => Err(Walked::Unreadable(fault)),
            };
            match walked {
                Ok(done) if done.more_results => {}
                Ok(done) => return Walked::Done(done),
                Err(walked) => return walked,
            }
        }
    }

    #[inline]
    fn walk_rows<V: Visitor>(&mut self, columns: u64, visitor: &mut V) -> Result<Done, Walked> {
        let short_results = self.short_results;
        visitor.result();
        for _ in 0..columns {
            visitor.column(self.next()?)?;
        }
        if !short_results {
            self.next()?;
        }
        loop {
            let packet = self.next()?;
            match packet.first() {
                Some(&marks::ERROR) => return Err(Walked::Failed(ServerError::read(packet))),
                Some(&marks::END) if Self::is_end(packet, short_results) => {
                    return Ok(Done::of_end(packet, short_results)?);
                }
                _ => visitor.row(packet)?,
            }
        }
    }

    /// Somebody typed LOAD DATA LOCAL: there is no file here. An empty packet says so.
    #[cold]
    fn send_no_file(&mut self) -> Result<Done, Walked> {
        self.answer(&mut [0; crate::wire::HEADER_BYTES])?;
        Ok(Done { more_results: true, ..Done::default() })
    }

    /// Passes over `count` columns and what ends them.
    pub(crate) fn skip_columns(&mut self, count: u16) -> Outcome<()> {
        let ends = u64::from(count > 0 && !self.short_results);
        for _ in 0..u64::from(count) + ends {
            self.next()?;
        }
        Ok(())
    }
}

/// How a walk ended.
enum Walked {
    Done(Done),
    Failed(ServerError),
    Unreadable(humdrum_model::Fault),
}

impl From<humdrum_model::Fault> for Walked {
    fn from(fault: humdrum_model::Fault) -> Self {
        Self::Unreadable(fault)
    }
}

impl From<Walked> for Outcome<Done> {
    fn from(walked: Walked) -> Self {
        match walked {
            Walked::Done(done) => Ok(done),
            Walked::Failed(error) => Err(error.fault()),
            Walked::Unreadable(fault) => Err(fault),
        }
    }
}

struct Count(u64);

impl Visitor for Count {
    #[inline]
    fn row(&mut self, _packet: &[u8]) -> Outcome<()> {
        self.0 += 1;
        Ok(())
    }
}

#[derive(Default)]
struct Hash<const BINARY: bool> {
    answer: Answer,
    columns: Vec<Column>,
}

impl<const BINARY: bool> Visitor for Hash<BINARY> {
    fn result(&mut self) {
        self.columns.clear();
    }

    fn column(&mut self, packet: &[u8]) -> Outcome<()> {
        self.columns.push(Column::read(packet)?);
        Ok(())
    }

    fn row(&mut self, packet: &[u8]) -> Outcome<()> {
        let mut hash = RowHash::new(self.columns.len());
        if BINARY {
            binary::each_value(packet, &self.columns, |value| hash.value(value))?;
        } else {
            text::each_value(packet, self.columns.len(), |value| hash.value(value))?;
        }
        self.answer.rows += 1;
        self.answer.checksum = self.answer.checksum.wrapping_add(hash.finish());
        Ok(())
    }
}

#[derive(Default)]
struct Keep<const BINARY: bool> {
    fetched: Fetched,
    columns: Vec<Column>,
}

impl<const BINARY: bool> Visitor for Keep<BINARY> {
    fn result(&mut self) {
        *self = Self::default();
    }

    fn column(&mut self, packet: &[u8]) -> Outcome<()> {
        let column = Column::read(packet)?;
        let named =
            humdrum_contract::Column { name: columns::name(packet)?, is_integer: column.is_integer() };
        self.columns.push(column);
        self.fetched.columns.push(named);
        Ok(())
    }

    fn row(&mut self, packet: &[u8]) -> Outcome<()> {
        let mut row = Vec::new();
        let text = |value: Option<&[u8]>| row.push(value.map(|it| String::from_utf8_lossy(it).into_owned()));
        if BINARY {
            binary::each_value(packet, &self.columns, text)?;
        } else {
            text::each_value(packet, self.columns.len(), text)?;
        }
        self.fetched.rows.push(row);
        Ok(())
    }
}

struct Texts(Vec<Vec<Option<String>>>);

impl Visitor for Texts {
    fn result(&mut self) {
        self.0.clear();
    }

    fn row(&mut self, packet: &[u8]) -> Outcome<()> {
        self.0.push(text::row(packet)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
