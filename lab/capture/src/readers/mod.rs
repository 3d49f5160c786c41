//! One file a format, and what the three of Postgres share.

mod mysql_general;
mod mysql_slow;
mod postgres;
mod postgres_csv;
mod postgres_json;
mod postgres_stderr;

use crate::Reader;

/// All readers, in alphabetical order of their names.
pub(crate) const TABLE: [&dyn Reader; 5] = [
    &mysql_general::General,
    &mysql_slow::Slow,
    &postgres_csv::Csv,
    &postgres_json::Json,
    &postgres_stderr::Stderr,
];

#[cfg(test)]
mod tests;
