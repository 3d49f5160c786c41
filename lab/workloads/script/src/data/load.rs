//! Sends the rows of `[[data]]` tables in the engine's fastest way.

use humdrum_contract::{Outcome, RowSource, SqlSession};
use humdrum_model::{Fault, FaultKind};

use super::csv::{Csv, Field};
use super::generate::{Generator, push_field};
use super::{Rows, Table};

/// Rows between two words about progress.
const TELL_EVERY: u64 = 4096;

/// Fills the tables in order; `tell` hears how many of all rows are sent, and may end the load.
pub(crate) fn load(
    tables: &[Table],
    session: &mut dyn SqlSession,
    (scale, seed): (u64, u64),
    tell: &mut dyn FnMut(u64, u64) -> Outcome<()>,
) -> Outcome<()> {
    let counts = tables.iter().map(|table| table.count(scale)).collect::<Outcome<Vec<u64>>>()?;
    let total = counts.iter().sum();
    let mut done = 0;
    for (table, count) in tables.iter().zip(counts) {
        let mut sent = |row| tell(done + row, total);
        let rows = supply(table, count, (scale, seed))?;
        let mut sender = Sender { rows, row: 0, sent: &mut sent, fault: None };
        let columns = table.columns();
        let loaded = session.load(&table.name, &columns, &mut sender);
        if let Some(fault) = sender.fault {
            return Err(fault);
        }
        let loaded = loaded.map_err(|fault| fault.at(table.place.clone()))?;
        if loaded != count {
            let what = format!("the server says that it loaded {loaded} of {count} rows");
            return Err(Fault::new(FaultKind::WrongAnswer, what).at(table.place.clone()));
        }
        done += count;
    }
    tell(done, total)
}

impl Table {
    fn columns(&self) -> Vec<&str> {
        match &self.rows {
            Rows::Made(_, columns) => columns.iter().map(|column| column.name.as_str()).collect(),
            Rows::File { columns, .. } => columns.iter().map(String::as_str).collect(),
        }
    }
}

/// Rows one after another.
enum Supply {
    Made { generators: Vec<Generator>, count: u64 },
    Read { csv: Csv, fields: Vec<Field> },
}

fn supply(table: &Table, count: u64, (scale, seed): (u64, u64)) -> Outcome<Supply> {
    Ok(match &table.rows {
        Rows::Made(_, columns) => {
            let generators = columns.iter().map(|column| column.at(scale, seed, &table.name));
            Supply::Made { generators: generators.collect::<Outcome<_>>()?, count }
        }
        Rows::File { path, .. } => Supply::Read { csv: Csv::open(path)?, fields: Vec::new() },
    })
}

impl Supply {
    /// Writes the next row; false at the end.
    fn next(&mut self, number: u64, row: &mut Vec<u8>) -> Outcome<bool> {
        match self {
            Self::Made { count, .. } if number == *count => return Ok(false),
            Self::Made { generators, .. } => {
                for (position, generator) in generators.iter().enumerate() {
                    row.extend_from_slice(if position > 0 { b"\t" } else { b"" });
                    generator.push(number, row);
                }
            }
            Self::Read { csv, fields } => {
                if !csv.next(fields)? {
                    return Ok(false);
                }
                for (position, field) in fields.iter().enumerate() {
                    row.extend_from_slice(if position > 0 { b"\t" } else { b"" });
                    push_field(field, row);
                }
            }
        }
        Ok(true)
    }
}

/// Gives rows to a session, and keeps the fault that ended them.
struct Sender<'a> {
    rows: Supply,
    row: u64,
    sent: &'a mut dyn FnMut(u64) -> Outcome<()>,
    fault: Option<Fault>,
}

impl RowSource for Sender<'_> {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        if self.fault.is_some() {
            return false;
        }
        let told = if self.row.is_multiple_of(TELL_EVERY) { (self.sent)(self.row) } else { Ok(()) };
        match told.and_then(|()| self.rows.next(self.row, row)) {
            Ok(more) => {
                self.row += u64::from(more);
                more
            }
            Err(fault) => {
                self.fault = Some(fault);
                row.clear();
                false
            }
        }
    }
}
