//! The columns of a result, as far as needed to turn binary values into text.

use humdrum_contract::Outcome;

use crate::cursor::Cursor;

/// Types of values (protocol documentation, `enum_field_types`). Those that are not here are sent as strings.
pub(crate) mod types {
    pub const TINY: u8 = 1;
    pub const SHORT: u8 = 2;
    pub const LONG: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const DOUBLE: u8 = 5;
    pub const NULL: u8 = 6;
    pub const TIMESTAMP: u8 = 7;
    pub const LONGLONG: u8 = 8;
    pub const INT24: u8 = 9;
    pub const DATE: u8 = 10;
    pub const TIME: u8 = 11;
    pub const DATETIME: u8 = 12;
    pub const YEAR: u8 = 13;
    pub const VAR_STRING: u8 = 253;
}

const UNSIGNED: u16 = 0x20;

/// One column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) kind: u8,
    pub(crate) unsigned: bool,
    /// Digits after the second's point, 0 to 6, of times.
    pub(crate) decimals: u8,
}

/// A column's name.
pub(crate) fn name(packet: &[u8]) -> Outcome<String> {
    let mut rest = Cursor::new(packet);
    for _catalogue_schema_and_tables in 0..4 {
        rest.string()?;
    }
    Ok(String::from_utf8_lossy(rest.string()?).into_owned())
}

impl Column {
    /// An integer, which no text is mistaken for.
    pub(crate) fn is_integer(self) -> bool {
        use types::{INT24, LONG, LONGLONG, SHORT, TINY};
        [TINY, SHORT, LONG, INT24, LONGLONG].contains(&self.kind)
    }

    pub(crate) fn read(packet: &[u8]) -> Outcome<Self> {
        let mut rest = Cursor::new(packet);
        for _catalogue_schema_tables_and_names in 0..6 {
            rest.string()?;
        }
        rest.length()?; // of what follows
        rest.bytes(2 + 4)?; // character set, width
        let (kind, flags) = (rest.u8()?, rest.u16()?);
        Ok(Self { kind, unsigned: flags & UNSIGNED != 0, decimals: rest.u8()? })
    }
}
