//! The statements as text. Only placeholders differ between engines.

use humdrum_contract::{Dialect, Outcome, ParamType, SqlSession, Statement};

use crate::definitions::{RangeQuery, Read};

/// A statement to be prepared: its text with `?` for each parameter, and the parameters' types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) sql: String,
    params: Vec<ParamType>,
}

impl Text {
    /// A text whose parameters are integers.
    pub(crate) fn ints(sql: String) -> Self {
        let params = vec![ParamType::Int; sql.matches('?').count()];
        Self { sql, params }
    }

    /// A text with parameters of these types.
    pub(crate) fn typed(sql: String, params: &[ParamType]) -> Self {
        Self { sql, params: params.to_vec() }
    }

    /// The text with values: integers from `ints`, and a constant for text parameters.
    pub(crate) fn literal(&self, mut ints: impl Iterator<Item = u64>) -> String {
        let mut parts = self.sql.split('?');
        let mut sql = parts.next().unwrap_or_default().to_owned();
        for (part, param) in parts.zip(&self.params) {
            match param {
                ParamType::Int => sql.push_str(&ints.next().unwrap_or_default().to_string()),
                ParamType::Text | ParamType::Inferred => sql.push_str("'text'"),
            }
            sql.push_str(part);
        }
        sql
    }

    /// Prepares it.
    pub(crate) fn prepare(&self, session: &mut dyn SqlSession, dialect: &dyn Dialect) -> Outcome<Statement> {
        let mut parts = self.sql.split('?');
        let mut sql = parts.next().unwrap_or_default().to_owned();
        for (number, part) in (1..).zip(parts) {
            sql.push_str(&dialect.placeholder(number));
            sql.push_str(part);
        }
        session.prepare(&sql, &self.params)
    }
}

/// The statements of a read in one table. For a transaction: BEGIN, COMMIT, the point, the ranges.
pub(crate) fn of_read(read: Read, table: &str) -> Vec<Text> {
    match read {
        Read::InList { columns, key, count, .. } => {
            vec![Text::ints(format!("SELECT {columns} FROM {table} WHERE {key} IN ({})", marks(count)))]
        }
        Read::Point => vec![point(table)],
        Read::Range { columns, key, .. } => vec![between(columns, table, key, "")],
        Read::Scan => vec![Text::ints(format!("SELECT * FROM {table} WHERE LENGTH(c) < 0"))],
        Read::Transaction { ranges, .. } => {
            let mut texts =
                vec![Text::ints("BEGIN".to_owned()), Text::ints("COMMIT".to_owned()), point(table)];
            texts.extend(ranges.iter().map(|range| range_query(*range, table)));
            texts
        }
    }
}

/// `update-index` and the first write of a transaction.
pub(crate) fn update_index(table: &str) -> Text {
    Text::ints(format!("UPDATE {table} SET k = k + 1 WHERE id = ?"))
}

/// `update-nonindex` and the second write of a transaction.
pub(crate) fn update_non_index(table: &str) -> Text {
    Text::typed(format!("UPDATE {table} SET c = ? WHERE id = ?"), &[ParamType::Text, ParamType::Int])
}

/// `update-inlist`.
pub(crate) fn update_in_list(table: &str, count: usize) -> Text {
    let mut params = vec![ParamType::Text];
    params.resize(1 + count, ParamType::Int);
    Text::typed(format!("UPDATE {table} SET c = ? WHERE id IN ({})", marks(count)), &params)
}

/// `delete` and the third write of a transaction.
pub(crate) fn delete(table: &str) -> Text {
    Text::ints(format!("DELETE FROM {table} WHERE id = ?"))
}

/// The last write of a transaction: a row whose id is known.
pub(crate) fn insert_again(table: &str) -> Text {
    use ParamType::{Int, Text as Characters};
    let sql = format!("INSERT INTO {table} (id, k, c, pad) VALUES (?, ?, ?, ?)");
    Text::typed(sql, &[Int, Int, Characters, Characters])
}

/// The text of `insert` before its values, which are literal as in the reference.
pub(crate) fn insert_head(table: &str, dialect: &dyn Dialect) -> String {
    match dialect.serial_value() {
        Some(value) => format!("INSERT INTO {table} (id, k, c, pad) VALUES ({value}, "),
        None => format!("INSERT INTO {table} (k, c, pad) VALUES ("),
    }
}

fn point(table: &str) -> Text {
    Text::ints(format!("SELECT c FROM {table} WHERE id = ?"))
}

fn between(columns: &str, table: &str, key: &str, tail: &str) -> Text {
    Text::ints(format!("SELECT {columns} FROM {table} WHERE {key} BETWEEN ? AND ?{tail}"))
}

fn range_query(range: RangeQuery, table: &str) -> Text {
    match range {
        RangeQuery::Simple => between("c", table, "id", ""),
        RangeQuery::Sum => between("SUM(k)", table, "id", ""),
        RangeQuery::Order => between("c", table, "id", " ORDER BY c"),
        RangeQuery::Distinct => between("DISTINCT c", table, "id", " ORDER BY c"),
    }
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::{Shape, find};

    fn texts(name: &str) -> Vec<String> {
        let Some(Shape::Read(read)) = find(name).map(|test| test.shape) else { panic!("no read {name}") };
        of_read(read, "sbtest1").into_iter().map(|text| text.sql).collect()
    }

    #[test]
    fn reads_are_the_references() {
        assert_eq!(texts("point-query"), ["SELECT c FROM sbtest1 WHERE id = ?"]);
        assert_eq!(texts("range-covered-si"), ["SELECT k FROM sbtest1 WHERE k BETWEEN ? AND ?"]);
        assert_eq!(texts("scan"), ["SELECT * FROM sbtest1 WHERE LENGTH(c) < 0"]);
        assert_eq!(texts("read-only-count"), ["SELECT count(c) FROM sbtest1 WHERE id BETWEEN ? AND ?"]);
        assert_eq!(texts("random-points_range=10")[0].matches('?').count(), 10);
        let distinct = "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c";
        assert_eq!(texts("read-only-distinct")[3], distinct);
        assert_eq!(texts("read-only_range=100").len(), 7);
    }

    #[test]
    fn every_parameter_has_a_type() {
        let writes = [
            update_index("t"),
            update_non_index("t"),
            update_in_list("t", 10),
            delete("t"),
            insert_again("t"),
        ];
        for text in writes {
            assert_eq!(text.sql.matches('?').count(), text.params.len(), "{}", text.sql);
        }
    }
}
