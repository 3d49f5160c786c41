//! Rows of statements sent as text: each value a string, or NULL.

use humdrum_contract::Outcome;

use crate::cursor::Cursor;

/// Passes on each of `columns` values.
pub(crate) fn each_value(packet: &[u8], columns: usize, mut each: impl FnMut(Option<&[u8]>)) -> Outcome<()> {
    let mut rest = Cursor::new(packet);
    for _ in 0..columns {
        each(rest.nullable_string()?);
    }
    Ok(())
}

/// A row's values. What is not UTF-8 is replaced: workloads' texts are ASCII, which is the same in all
/// character sets that a session can have.
pub(crate) fn row(packet: &[u8]) -> Outcome<Vec<Option<String>>> {
    let mut rest = Cursor::new(packet);
    let mut values = Vec::new();
    while !rest.is_empty() {
        let value = rest.nullable_string()?;
        values.push(value.map(|bytes| String::from_utf8_lossy(bytes).into_owned()));
    }
    Ok(values)
}
