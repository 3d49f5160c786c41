//! Columns of a server's tables, and samples of their rows.

use humdrum_contract::{Fetched, Outcome, SAMPLING_MARK, SqlSession, TableColumn, TableName, ValueKind};
use humdrum_model::FaultKind;

/// Pages of a table that is read in whole: 16 MiB.
const PAGES_READ: f64 = 2_000.0;

/// A table or a view.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Relation {
    oid: String,
    /// With its schema, and in quotes where it needs them.
    pub(super) name: String,
    /// Some of its pages can be read alone.
    is_table: bool,
    pages: f64,
}

/// Looks for a table as the session's search path has it, and else for the only one of that name in any schema: statements of
/// others may have had another path.
pub(super) fn find(session: &mut dyn SqlSession, table: &TableName) -> Outcome<Option<Relation>> {
    let path = table.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".");
    let about = "SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind IN ('r', 'm', 'p'), \
         (pg_relation_size(c.oid) + coalesce((SELECT sum(pg_relation_size(i.inhrelid)) FROM pg_inherits AS i \
         WHERE i.inhparent = c.oid), 0)) / 8192 \
         FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f')";
    // A name of too many parts is an error.
    let first = session.query(&format!("{about} AND c.oid = to_regclass({})", text(&path)));
    let mut rows = match first {
        Err(fault) if fault.kind == FaultKind::Environment => Vec::new(),
        other => other?,
    };
    if let ([name], true) = (table.as_slice(), rows.is_empty()) {
        rows = session.query(&format!(
            "{about} AND c.relname = {} AND n.nspname NOT IN ('pg_catalog', 'information_schema')",
            text(name)
        ))?;
    }
    let [row] = rows.as_slice() else { return Ok(None) };
    let value = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
    let (oid, name, pages) = (value(0), value(1), value(3).parse().unwrap_or_default());
    Ok(Some(Relation { oid, name, is_table: value(2) == "t", pages }))
}

/// Its columns.
pub(super) fn columns(session: &mut dyn SqlSession, relation: &Relation) -> Outcome<Vec<TableColumn>> {
    let oid = &relation.oid;
    let rows = session.query(&format!(
        "SELECT t.typname, t.typcategory, a.atttypmod, a.attname, \
         (SELECT string_agg(c.relname, chr(10)) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid \
          WHERE i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY(i.indkey)), \
         EXISTS (SELECT 1 FROM pg_constraint AS k WHERE k.conrelid = a.attrelid AND k.contype = 'f' AND a.attnum = ANY(k.conkey)) \
         FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid \
         WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
    ))?;
    let column = |row: &Vec<Option<String>>| {
        let value = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
        TableColumn {
            name: value(3),
            kind: kind(row, value(2).parse().ok()),
            unique_in: value(4).lines().map(str::to_owned).collect(),
            refers: value(5) == "t",
        }
    };
    Ok(rows.iter().map(column).collect())
}

/// Of a row that begins with a type's name and category (`pg_type.typcategory`); `modifier` is a column's.
pub(super) fn kind(row: &[Option<String>], modifier: Option<i64>) -> ValueKind {
    let value = |at: usize| row.get(at).and_then(Option::as_deref).unwrap_or_default();
    match (value(0), value(1)) {
        ("int2", _) => ValueKind::Integer { most: i64::from(i16::MAX) },
        ("int4", _) => ValueKind::Integer { most: i64::from(i32::MAX) },
        ("int8", _) => ValueKind::Integer { most: i64::MAX },
        // The length of a text has four bytes of head in its modifier.
        (_, "S") => ValueKind::Text {
            characters: modifier.filter(|modifier| *modifier > 4).map(|modifier| modifier as u32 - 4),
        },
        (_, "N") => ValueKind::Number,
        (_, "B") => ValueKind::Boolean,
        (_, "D") => ValueKind::Moment,
        (_, "T") => ValueKind::Span,
        _ => ValueKind::Other,
    }
}

/// Rows drawn from all of a small table, or from random pages of a large one. A view gives its first rows.
pub(super) fn rows(
    session: &mut dyn SqlSession,
    relation: &Relation,
    columns: &[String],
    most: usize,
) -> Outcome<Fetched> {
    let columns = columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
    let from = format!("SELECT {columns} FROM {} AS {SAMPLING_MARK}", relation.name);
    let first = format!("{from} LIMIT {most}");
    if !relation.is_table {
        return session.fetch_text(&first);
    }
    if relation.pages <= PAGES_READ {
        return session.fetch_text(&format!("{from} ORDER BY random() LIMIT {most}"));
    }
    // As many pages as rows are wanted: then few of the rows are neighbours.
    let share = (100.0 * (most as f64).max(PAGES_READ / 4.0) / relation.pages).min(100.0);
    let some = session
        .fetch_text(&format!("{from} TABLESAMPLE SYSTEM ({share:.6}) ORDER BY random() LIMIT {most}"))?;
    if some.rows.is_empty() { session.fetch_text(&first) } else { Ok(some) }
}

/// A name in quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_by_their_category() {
        let of = |name: &str, category: &str, modifier| {
            kind(&[Some(name.to_owned()), Some(category.to_owned())], modifier)
        };
        assert_eq!(of("int4", "N", None), ValueKind::Integer { most: 2_147_483_647 });
        assert_eq!(of("varchar", "S", Some(44)), ValueKind::Text { characters: Some(40) });
        assert_eq!(of("text", "S", Some(-1)), ValueKind::Text { characters: None });
        assert_eq!((of("numeric", "N", None), of("uuid", "U", None)), (ValueKind::Number, ValueKind::Other));
        assert_eq!((of("interval", "T", None), of("date", "D", None)), (ValueKind::Span, ValueKind::Moment));
        assert_eq!((quoted("a\"b"), text("it's")), ("\"a\"\"b\"".to_owned(), "'it''s'".to_owned()));
    }
}
