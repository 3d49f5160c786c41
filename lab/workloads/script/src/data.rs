//! Rows of tables that `workload.toml` describes: read from a CSV file, or made by a generator for each column.
//!
//! `data/written.rs` reads the `[[data]]` tables, `data/generate.rs` makes values, `data/csv.rs` reads files, and
//! `data/load.rs` sends the rows. A value depends on the seed, the table, the column and the row's number only: it is the
//! same on every engine, and stays the same when another column is added.

pub(crate) mod csv;
mod generate;
mod load;
mod moment;
mod number;
mod words;
mod written;

use std::path::PathBuf;

use humdrum_contract::Outcome;

pub(crate) use csv::Csv;
pub(crate) use generate::{Column, Values};
pub(crate) use load::load;
pub(crate) use number::Number;
pub(crate) use written::{Sources, WrittenData};

/// The rows of one table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) rows: Rows,
    /// `FILE:LINE:COLUMN` of its description.
    pub(crate) place: String,
}

/// Where rows come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rows {
    /// Made, so many of them.
    Made(Number, Vec<Column>),
    /// A CSV file whose first line names the columns, and how many rows it has.
    File { path: PathBuf, columns: Vec<String>, rows: u64 },
}

impl Table {
    /// How many rows it has at a scale.
    pub(crate) fn count(&self, scale: u64) -> Outcome<u64> {
        match &self.rows {
            Rows::File { rows, .. } => Ok(*rows),
            Rows::Made(rows, _) => rows.count(scale),
        }
    }
}
