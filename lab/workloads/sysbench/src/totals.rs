//! Row counts and checksums of the tables, by the server's own arithmetic.

use humdrum_contract::{Outcome, SqlSession};
use humdrum_model::{Contents, Fault, FaultKind, Scale};

use crate::tables;

/// Row count and one checksum of all tables, from a query per table that returns both.
pub(crate) fn sum(
    session: &mut dyn SqlSession,
    scale: &Scale,
    query: impl Fn(&str) -> String,
) -> Outcome<Contents> {
    let (mut rows, mut sum) = (0, 0_u128);
    for table in tables(scale) {
        let row = session.query(&query(&table))?;
        rows += number(&row, 0)? as u64;
        sum = sum.wrapping_mul(31).wrapping_add(number(&row, 1)?);
    }
    Ok(Contents { rows, checksum: format!("{sum:x}") })
}

/// One number of a single row.
pub(crate) fn number(rows: &[Vec<Option<String>>], column: usize) -> Outcome<u128> {
    let text = rows.first().and_then(|row| row.get(column)).and_then(|value| value.as_deref());
    let digits = text.map(|text| text.split('.').next().unwrap_or(text));
    let parsed = digits.and_then(|digits| digits.parse().ok());
    parsed.ok_or_else(|| Fault::new(FaultKind::WrongAnswer, format!("expected a number, got {text:?}")))
}
