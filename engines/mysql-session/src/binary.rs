//! Converts rows of prepared statements to the text that the server would have sent, so that two engines'
//! answers have the same hash. Not on the measured path.
//!
//! ```text
//!   00 │ NULL bitmap, first column at bit 2 │ value │ value …   (no bytes for a NULL)
//! ```
//!
//! Integers, strings, decimals and times become the server's own text to the byte. FLOAT and DOUBLE become the
//! shortest digits that read back as the same number; servers write some of them otherwise. MySQL 5.5 claims six
//! decimals of times that are computed and not read from a table, and sends none as text.

use std::io::Write;

use humdrum_contract::Outcome;

use crate::columns::{Column, types};
use crate::cursor::Cursor;

/// The bitmap's first two bits are reserved.
const FIRST_BIT: usize = 2;

/// Passes on each column's value as text.
pub(crate) fn each_value(
    packet: &[u8],
    columns: &[Column],
    mut each: impl FnMut(Option<&[u8]>),
) -> Outcome<()> {
    let mut rest = Cursor::new(packet);
    rest.u8()?;
    let nulls = rest.bytes((columns.len() + FIRST_BIT).div_ceil(8))?;
    let mut text = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        let bit = number + FIRST_BIT;
        if column.kind == types::NULL || nulls[bit / 8] & (1 << (bit % 8)) != 0 {
            each(None);
            continue;
        }
        text.clear();
        match value(&mut rest, *column, &mut text)? {
            Some(string) => each(Some(string)),
            None => each(Some(&text)),
        }
    }
    Ok(())
}

/// A string as it lies in the packet; any other value is written to `text`.
fn value<'a>(rest: &mut Cursor<'a>, column: Column, text: &mut Vec<u8>) -> Outcome<Option<&'a [u8]>> {
    let wrote = match column.kind {
        types::TINY if column.unsigned => write!(text, "{}", rest.u8()?),
        types::TINY => write!(text, "{}", rest.u8()?.cast_signed()),
        types::SHORT if column.unsigned => write!(text, "{}", rest.u16()?),
        types::SHORT => write!(text, "{}", rest.u16()?.cast_signed()),
        types::YEAR => write!(text, "{:04}", rest.u16()?),
        types::LONG | types::INT24 if column.unsigned => write!(text, "{}", rest.u32()?),
        types::LONG | types::INT24 => write!(text, "{}", rest.u32()?.cast_signed()),
        types::LONGLONG if column.unsigned => write!(text, "{}", rest.u64()?),
        types::LONGLONG => write!(text, "{}", rest.u64()?.cast_signed()),
        types::FLOAT => write!(text, "{}", f32::from_bits(rest.u32()?)),
        types::DOUBLE => write!(text, "{}", f64::from_bits(rest.u64()?)),
        types::DATE => return date(rest, false, column.decimals, text).map(|()| None),
        types::DATETIME | types::TIMESTAMP => {
            return date(rest, true, column.decimals, text).map(|()| None);
        }
        types::TIME => return time(rest, column.decimals, text).map(|()| None),
        _ => return rest.string().map(Some),
    };
    wrote.expect("a vector takes all that is written to it");
    Ok(None)
}

/// What a packed date or time leaves out at its end is zero.
fn packed<'a>(rest: &mut Cursor<'a>) -> Outcome<Cursor<'a>> {
    rest.string().map(Cursor::new)
}

fn date(rest: &mut Cursor<'_>, with_time: bool, decimals: u8, text: &mut Vec<u8>) -> Outcome<()> {
    let mut parts = packed(rest)?;
    let (mut ymd, mut hms, mut micros) = ((0, 0, 0), (0, 0, 0), 0);
    if !parts.is_empty() {
        ymd = (parts.u16()?, parts.u8()?, parts.u8()?);
    }
    if !parts.is_empty() {
        hms = (parts.u8()?, parts.u8()?, parts.u8()?);
    }
    if !parts.is_empty() {
        micros = parts.u32()?;
    }
    text.extend_from_slice(format!("{:04}-{:02}-{:02}", ymd.0, ymd.1, ymd.2).as_bytes());
    if with_time {
        text.extend_from_slice(format!(" {:02}:{:02}:{:02}", hms.0, hms.1, hms.2).as_bytes());
        fraction(micros, decimals, text);
    }
    Ok(())
}

/// Hours may be more than 24: a TIME is also a length of time.
fn time(rest: &mut Cursor<'_>, decimals: u8, text: &mut Vec<u8>) -> Outcome<()> {
    let mut parts = packed(rest)?;
    let (mut negative, mut days, mut hms, mut micros) = (0, 0, (0, 0, 0), 0);
    if !parts.is_empty() {
        (negative, days) = (parts.u8()?, parts.u32()?);
        hms = (parts.u8()?, parts.u8()?, parts.u8()?);
    }
    if !parts.is_empty() {
        micros = parts.u32()?;
    }
    let sign = if negative == 0 { "" } else { "-" };
    let hours = u64::from(days) * 24 + u64::from(hms.0);
    text.extend_from_slice(format!("{sign}{hours:02}:{:02}:{:02}", hms.1, hms.2).as_bytes());
    fraction(micros, decimals, text);
    Ok(())
}

fn fraction(micros: u32, decimals: u8, text: &mut Vec<u8>) {
    if (1..=6).contains(&decimals) {
        let digits = format!("{micros:06}");
        text.push(b'.');
        text.extend_from_slice(&digits.as_bytes()[..usize::from(decimals)]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(packet: &[u8], columns: &[Column]) -> Outcome<Vec<Option<String>>> {
        let mut texts = Vec::new();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("ascii");
        each_value(packet, columns, |value| texts.push(value.map(text)))?;
        Ok(texts)
    }

    fn column(kind: u8, unsigned: bool, decimals: u8) -> Column {
        Column { kind, unsigned, decimals }
    }

    fn one(column: Column, value: &[u8]) -> String {
        let row = [&[0, 0], value].concat();
        texts(&row, &[column]).expect("reads").remove(0).expect("not null")
    }

    #[test]
    fn integers_have_signs_and_sizes() {
        assert_eq!(one(column(types::TINY, false, 0), &[0xff]), "-1");
        assert_eq!(one(column(types::TINY, true, 0), &[0xff]), "255");
        assert_eq!(one(column(types::SHORT, false, 0), &[0, 0x80]), "-32768");
        assert_eq!(one(column(types::LONG, false, 0), &[0xd6, 0xff, 0xff, 0xff]), "-42");
        assert_eq!(one(column(types::LONG, true, 0), &[0xff; 4]), "4294967295");
        assert_eq!(one(column(types::LONGLONG, true, 0), &[0xff; 8]), "18446744073709551615");
        assert_eq!(one(column(types::LONGLONG, false, 0), &[0xff; 8]), "-1");
        assert_eq!(one(column(types::YEAR, true, 0), &[0xe6, 0x07]), "2022");
    }

    #[test]
    fn times_leave_out_their_zeros() {
        let datetime = column(types::DATETIME, false, 0);
        assert_eq!(one(datetime, &[7, 0xea, 7, 11, 21, 9, 5, 1]), "2026-11-21 09:05:01");
        assert_eq!(one(datetime, &[4, 0xea, 7, 11, 21]), "2026-11-21 00:00:00");
        assert_eq!(one(datetime, &[0]), "0000-00-00 00:00:00");
        let exact = column(types::TIMESTAMP, false, 3);
        assert_eq!(one(exact, &[11, 0xea, 7, 1, 2, 3, 4, 5, 0x40, 0xe2, 1, 0]), "2026-01-02 03:04:05.123");
        assert_eq!(one(column(types::DATE, false, 0), &[4, 0xea, 7, 1, 2]), "2026-01-02");
        assert_eq!(one(column(types::TIME, false, 0), &[8, 1, 1, 0, 0, 0, 2, 3, 4]), "-26:03:04");
        assert_eq!(one(column(types::TIME, false, 2), &[0]), "00:00:00.00");
    }

    #[test]
    fn floats_are_their_shortest_digits() {
        assert_eq!(one(column(types::DOUBLE, false, 31), &0.1f64.to_le_bytes()), "0.1");
        assert_eq!(one(column(types::FLOAT, false, 31), &1.5f32.to_le_bytes()), "1.5");
    }

    #[test]
    fn nulls_take_no_bytes() {
        let columns = [column(types::LONG, false, 0), column(254, false, 0), column(types::LONG, false, 0)];
        let row = [&[0, 0b0000_1100][..], &7u32.to_le_bytes()].concat();
        assert_eq!(texts(&row, &columns).expect("reads"), [None, None, Some("7".into())]);
    }

    #[test]
    fn the_bitmap_is_as_long_as_its_columns() {
        let columns = [column(types::TINY, true, 0); 7];
        let row = [0, 0b0000_0000, 0b0000_0001, 1, 2, 3, 4, 5, 6];
        let texts = texts(&row, &columns).expect("reads");
        assert_eq!((texts[5].as_deref(), texts[6].as_deref()), (Some("6"), None));
    }

    proptest! {
        #[test]
        fn any_row_is_read_without_a_panic(
            packet in prop::collection::vec(any::<u8>(), 0..64),
            kinds in prop::collection::vec((any::<u8>(), any::<bool>(), any::<u8>()), 0..12),
        ) {
            let columns: Vec<Column> = kinds.into_iter().map(|(kind, sign, places)| column(kind, sign, places)).collect();
            let _ = each_value(&packet, &columns, |_| ());
        }
    }
}
