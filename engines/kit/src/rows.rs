//! Answers of queries about a server, as names and values.

use humdrum_contract::TextRows;

/// The first value of an answer; empty where there is none.
pub fn single(rows: &TextRows) -> String {
    rows.first().and_then(|row| row.first().cloned()).flatten().unwrap_or_default()
}

/// Rows of (name, value); NULL is an empty value.
pub fn pairs(rows: Vec<Vec<Option<String>>>) -> impl Iterator<Item = (String, String)> {
    rows.into_iter().filter_map(|row| {
        let mut values = row.into_iter();
        Some((values.next()??, values.next()?.unwrap_or_default()))
    })
}
