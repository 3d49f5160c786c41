//! How Postgres treats tables that the lab did not design.

use humdrum_contract::SchemaSql;

/// Values whose text is the same in all releases, those of `char(n)` without the blanks at their end.
const COLUMNS: &str = "SELECT quote_ident(c.relname), CASE t.typname WHEN 'bpchar' THEN 'rtrim(' || quote_ident(a.attname) \
    || ')' WHEN 'bool' THEN quote_ident(a.attname) || '::int' ELSE quote_ident(a.attname) END \
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid \
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped \
    AND (t.typname IN ('int2', 'int4', 'int8', 'numeric', 'bpchar', 'varchar', 'text', 'date', 'bool', 'uuid') \
    OR t.typtype = 'e') ORDER BY c.relname, a.attnum";

/// A function takes at most a hundred arguments.
const TOGETHER_MOST: usize = 50;

pub(crate) fn sql() -> SchemaSql {
    SchemaSql {
        names: &["postgres"],
        session: &[],
        schema: "SELECT quote_ident(current_schema())",
        empty: |schema| vec![format!("DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}")],
        tables: "SELECT quote_ident(relname) FROM pg_class \
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname",
        columns: COLUMNS,
        checksum,
        settle,
        analyze: |table| format!("ANALYZE {table}"),
    }
}

/// As `Dialect::table_checksum`, of these expressions.
fn checksum(table: &str, expressions: &[String]) -> String {
    let some = |some: &[String]| format!("concat_ws(',', {})", some.join(", "));
    let all: Vec<String> = expressions.chunks(TOGETHER_MOST).map(some).collect();
    let row = match all.as_slice() {
        [] => return format!("SELECT count(*), 0 FROM {table}"),
        [one] => one.clone(),
        more => format!("concat_ws(',', {})", more.join(", ")),
    };
    format!(
        "SELECT count(*), coalesce(sum(('x' || substr(md5({row}), 1, 8))::bit(32)::bigint), 0) FROM {table}"
    )
}

/// As `Dialect::settle`, and the tables' own settings stay what the user made them.
fn settle(tables: &[String]) -> Vec<String> {
    let vacuum = tables.iter().map(|table| format!("VACUUM (FREEZE, ANALYZE) {table}"));
    let checkpoint = || std::iter::once("CHECKPOINT".to_owned());
    checkpoint().chain(vacuum).chain(checkpoint()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_columns_are_joined_in_parts() {
        let columns: Vec<String> = (0..120).map(|number| format!("c{number}")).collect();
        assert_eq!(checksum("t", &columns).matches("concat_ws").count(), 4);
        assert_eq!(checksum("t", &columns[..1]).matches("concat_ws").count(), 1);
        assert_eq!(checksum("t", &[]), "SELECT count(*), 0 FROM t");
    }
}
