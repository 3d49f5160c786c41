//! Columns of a server's tables, and samples of their rows.

use humdrum_contract::{Fetched, Outcome, SAMPLING_MARK, SqlSession, TableColumn, TableName, ValueKind};
use humdrum_engine_kit::single;

/// Rows, as the server estimates them, of a table that is read in whole.
const ROWS_READ: f64 = 200_000.0;
/// Of a larger table every so many rows one is drawn, at most: more would read all of it.
const APART_MOST: f64 = 1_000.0;

/// Its columns.
pub(super) fn columns(session: &mut dyn SqlSession, table: &TableName) -> Outcome<Vec<TableColumn>> {
    let (schema, name) = place(table);
    let of = |table: &str| format!("{table}.TABLE_SCHEMA = {schema} AND {table}.TABLE_NAME = {name}");
    let rows = session.query(&format!(
        "SELECT {SAMPLING_MARK}.COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, COLUMN_TYPE, \
         (SELECT GROUP_CONCAT(i.INDEX_NAME SEPARATOR '\\n') FROM information_schema.STATISTICS AS i \
          WHERE {} AND i.COLUMN_NAME = {SAMPLING_MARK}.COLUMN_NAME AND i.NON_UNIQUE = 0), \
         (SELECT COUNT(*) FROM information_schema.KEY_COLUMN_USAGE AS k WHERE {} \
          AND k.COLUMN_NAME = {SAMPLING_MARK}.COLUMN_NAME AND k.REFERENCED_TABLE_NAME IS NOT NULL) \
         FROM information_schema.COLUMNS AS {SAMPLING_MARK} WHERE {} ORDER BY ORDINAL_POSITION",
        of("i"),
        of("k"),
        of(SAMPLING_MARK)
    ))?;
    let column = |row: &Vec<Option<String>>| {
        let value = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
        TableColumn {
            name: value(0),
            kind: kind(&value(1), &value(3), value(2).parse().ok()),
            unique_in: value(4).lines().map(str::to_owned).collect(),
            refers: value(5) != "0",
        }
    };
    Ok(rows.iter().map(column).collect())
}

/// Of a type: its name, all of it, and how many characters it takes.
fn kind(name: &str, whole: &str, characters: Option<u64>) -> ValueKind {
    let is_unsigned = whole.contains("unsigned");
    let integer = |bits: u32| {
        let bits = if is_unsigned { bits } else { bits - 1 };
        ValueKind::Integer { most: if bits >= 63 { i64::MAX } else { (1 << bits) - 1 } }
    };
    match name.to_ascii_lowercase().as_str() {
        "tinyint" => integer(8),
        "smallint" => integer(16),
        "mediumint" => integer(24),
        "int" => integer(32),
        "bigint" => integer(64),
        "decimal" | "float" | "double" | "year" => ValueKind::Number,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => {
            ValueKind::Text { characters: characters.map(|most| most.min(u64::from(u32::MAX)) as u32) }
        }
        "date" | "datetime" | "timestamp" => ValueKind::Moment,
        "time" => ValueKind::Span,
        _ => ValueKind::Other,
    }
}

/// Rows drawn from all of a small table. A large one is read from its beginning, and a few of the rows are drawn.
pub(super) fn rows(
    session: &mut dyn SqlSession,
    table: &TableName,
    columns: &[String],
    most: usize,
) -> Outcome<Fetched> {
    let (schema, name) = place(table);
    let estimate = session.query(&format!(
        "SELECT TABLE_ROWS FROM information_schema.TABLES AS {SAMPLING_MARK} \
         WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name}"
    ))?;
    let estimate: f64 = single(&estimate).parse().unwrap_or_default();
    let columns = columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
    let from = format!("SELECT {columns} FROM {} AS {SAMPLING_MARK}", path(table));
    if estimate <= ROWS_READ {
        return session.fetch_text(&format!("{from} ORDER BY RAND() LIMIT {most}"));
    }
    // Half of the rows that are wanted apart: the estimate may be too high.
    let apart = (estimate / most as f64 / 2.0).clamp(1.0, APART_MOST);
    let some = session.fetch_text(&format!("{from} WHERE RAND() < {:.6} LIMIT {most}", 1.0 / apart))?;
    if some.rows.is_empty() { session.fetch_text(&format!("{from} LIMIT {most}")) } else { Ok(some) }
}

/// Schema and name of a table, as texts of SQL.
fn place(table: &TableName) -> (String, String) {
    let schema = match table.as_slice() {
        [.., schema, _] => text(schema),
        _ => "DATABASE()".to_owned(),
    };
    (schema, text(table.last().map_or("", String::as_str)))
}

/// A table's name in quotes.
pub(super) fn path(table: &TableName) -> String {
    table.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".")
}

/// A name in quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_by_their_names() {
        assert_eq!(kind("int", "int(11)", None), ValueKind::Integer { most: 2_147_483_647 });
        assert_eq!(kind("tinyint", "tinyint unsigned", None), ValueKind::Integer { most: 255 });
        assert_eq!(kind("bigint", "bigint unsigned", None), ValueKind::Integer { most: i64::MAX });
        assert_eq!(kind("varchar", "varchar(40)", Some(40)), ValueKind::Text { characters: Some(40) });
        assert_eq!(
            (kind("datetime", "", None), kind("json", "", None)),
            (ValueKind::Moment, ValueKind::Other)
        );
        assert_eq!(path(&vec!["shop".into(), "a`b".into()]), "`shop`.`a``b`");
        assert_eq!(place(&vec!["t".into()]), ("DATABASE()".into(), "'t'".into()));
    }
}
