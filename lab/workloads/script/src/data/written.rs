//! `data` in `workload.toml`: tables of rows (`[[data]]`), or the name of a dump (`data = "prod.dump"`).

use std::collections::BTreeMap;
use std::fmt;

use humdrum_contract::Outcome;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

use super::{Number, Rows, Table};
use crate::source::Source;

mod column;

use column::column;

/// The key as it is written.
pub(crate) enum WrittenData {
    /// `data = "prod.dump"`.
    Dump(String),
    /// `[[data]]`.
    Tables(Vec<Spanned<WrittenTable>>),
}

/// A `[[data]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenTable {
    table: Spanned<String>,
    rows: Option<Spanned<toml::Value>>,
    file: Option<Spanned<String>>,
    columns: Option<Spanned<BTreeMap<String, Spanned<WrittenColumn>>>>,
}

/// The generator of a column: a word, or a table of keys.
pub(crate) enum WrittenColumn {
    Word(String),
    Keys(Box<Keys>),
}

/// What a generator may say. Exactly one of the first seven is the kind.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keys {
    pub(crate) sequence: Option<toml::Value>,
    pub(crate) uniform: Option<Vec<toml::Value>>,
    pub(crate) zipf: Option<Vec<toml::Value>>,
    pub(crate) words: Option<toml::Value>,
    pub(crate) list: Option<Vec<toml::Value>>,
    pub(crate) csv: Option<String>,
    pub(crate) value: Option<toml::Value>,
    pub(crate) theta: Option<f64>,
    pub(crate) digits: Option<u32>,
    pub(crate) weights: Option<Vec<u64>>,
    pub(crate) column: Option<String>,
    pub(crate) null: Option<f64>,
}

/// The files of the folder that data need.
pub(crate) trait Sources {
    /// The columns of a CSV file and its number of rows. The file is named at a byte of `workload.toml`.
    fn csv(&mut self, name: &str, offset: usize) -> Outcome<(std::path::PathBuf, Vec<String>, u64)>;
    /// All values of one column.
    fn csv_column(
        &mut self,
        name: &str,
        column: Option<&str>,
        offset: usize,
    ) -> Outcome<Vec<super::csv::Field>>;
}

impl WrittenTable {
    /// The table, checked at scale 1.
    pub(crate) fn check(&self, source: &Source<'_>, files: &mut dyn Sources) -> Outcome<Table> {
        let (name, place) = (self.table.get_ref().clone(), source.place(self.table.span().start));
        let fault =
            |what: &str| source.fault(self.table.span().start, format!("the data of `{name}` {what}"));
        let rows = match (&self.file, &self.rows, &self.columns) {
            (Some(file), None, None) => {
                let (path, columns, rows) = files.csv(file.get_ref(), file.span().start)?;
                Rows::File { path, columns, rows }
            }
            (None, Some(rows), Some(columns)) => {
                let count = Number::read(source, rows.span().start, rows.get_ref())?;
                let columns = columns.get_ref().iter().map(|(name, written)| {
                    let (written, offset) = (written.get_ref(), written.span().start);
                    column(source, name, (written, offset), files)
                });
                Rows::Made(count, columns.collect::<Outcome<_>>()?)
            }
            (Some(_), ..) => {
                let hint =
                    "a file has all columns and rows: leave `rows` and `columns` out, or leave `file` out";
                return Err(fault("come from a file and from generators").hint(hint));
            }
            (None, None, _) => {
                return Err(fault("have no `rows`").hint("rows = 1000, or rows = \"1000 * scale\""));
            }
            (None, _, None) => {
                return Err(fault("have no `columns`")
                    .hint("columns = { id = \"sequence\" }, or file = \"rows.csv\""));
            }
        };
        let table = Table { name, rows, place };
        table.try_out()?;
        Ok(table)
    }
}

impl Table {
    /// Finds mistakes that numbers alone show.
    fn try_out(&self) -> Outcome<()> {
        self.count(1)
            .map_err(|fault| if fault.places.is_empty() { fault.at(self.place.clone()) } else { fault })?;
        if let Rows::Made(_, columns) = &self.rows {
            columns.iter().try_for_each(|column| column.at(1, 0, &self.name).map(drop))?;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for WrittenData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = WrittenData;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a dump, or tables: [[data]]")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<WrittenData, E> {
                Ok(WrittenData::Dump(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<WrittenData, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(seq)).map(WrittenData::Tables)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for WrittenColumn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = WrittenColumn;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"sequence\", or a generator as { uniform = [1, 100] }")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<WrittenColumn, E> {
                Ok(WrittenColumn::Word(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenColumn, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(WrittenColumn::Keys)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
