//! Values in columns. Lists and structs are JSON text; 64-bit counts are SQLite's signed integers.

use rusqlite::types::Type;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as JSON text.
pub(crate) fn to_json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// JSON text as a value.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

/// The same bits as a signed integer, because SQLite has no unsigned ones.
pub(crate) fn signed(value: u64) -> i64 {
    value.cast_signed()
}

/// The inverse of `signed`.
pub(crate) fn unsigned(value: i64) -> u64 {
    value.cast_unsigned()
}
