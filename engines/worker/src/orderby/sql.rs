//! A query as SQL, the same text for every engine.

use humdrum_contract::{OrderKey, OrderQuery};

/// The name of the table.
pub const TABLE: &str = "t";

/// The text of a query. No value is null, so where nulls go does not matter.
pub fn select(query: &OrderQuery) -> String {
    let columns: Vec<&str> = query.columns.iter().map(|column| column.name()).collect();
    let key = |key: &OrderKey| format!("{}{}", key.column.name(), if key.descending { " DESC" } else { "" });
    let keys: Vec<String> = query.keys.iter().map(key).collect();
    let limit = query.limit.map(|rows| format!(" LIMIT {rows}")).unwrap_or_default();
    format!("SELECT {} FROM {TABLE} ORDER BY {}{limit}", columns.join(", "), keys.join(", "))
}

#[cfg(test)]
mod tests {
    use humdrum_contract::OrderColumn::{Id, Name, Url};

    use super::*;

    #[test]
    fn keys_have_directions_and_limits_come_last() {
        let key = |column, descending| OrderKey { column, descending };
        let query = OrderQuery {
            columns: vec![Id, Name, Url],
            keys: vec![key(Name, true), key(Url, false)],
            limit: Some(10),
            ..OrderQuery::default()
        };
        assert_eq!(select(&query), "SELECT id, name, url FROM t ORDER BY name DESC, url LIMIT 10");
    }
}
