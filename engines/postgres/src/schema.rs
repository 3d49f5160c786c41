//! How Postgres treats tables that the lab did not design.

use humdrum_contract::SchemaSql;

/// The tables: those of the session's schema. On a server of the lab, which is in `public`, those of all schemas that a dump
/// may have made, with the schema's name in front.
macro_rules! table_name {
    () => {
        "CASE WHEN c.relnamespace = current_schema()::regnamespace THEN '' ELSE quote_ident(n.nspname) || '.' END \
         || quote_ident(c.relname)"
    };
}
macro_rules! ours {
    () => {
        "c.relkind = 'r' AND (n.nspname = current_schema() OR (current_schema() = 'public' \
         AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'))"
    };
}

const TABLES: &str = concat!(
    "SELECT ",
    table_name!(),
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ",
    ours!(),
    " ORDER BY n.nspname <> current_schema(), n.nspname, c.relname"
);

/// Values whose text is the same in all releases, those of `char(n)` without the blanks at their end.
const COLUMNS: &str = concat!(
    "SELECT ",
    table_name!(),
    ", CASE t.typname WHEN 'bpchar' THEN 'rtrim(' || quote_ident(a.attname) || ')' \
     WHEN 'bool' THEN quote_ident(a.attname) || '::int' ELSE quote_ident(a.attname) END \
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid \
     JOIN pg_type t ON t.oid = a.atttypid WHERE a.attnum > 0 AND NOT a.attisdropped \
     AND (t.typname IN ('int2', 'int4', 'int8', 'numeric', 'bpchar', 'varchar', 'text', 'date', 'bool', 'uuid') \
     OR t.typtype = 'e') AND ",
    ours!(),
    " ORDER BY n.nspname, c.relname, a.attnum"
);

/// Drops the schemas that a dump made beside `public`.
const DROP_OTHERS: &str = "DO $$DECLARE name text; BEGIN FOR name IN SELECT nspname FROM pg_namespace \
    WHERE current_schema() = 'public' AND nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') \
    LOOP EXECUTE 'DROP SCHEMA ' || quote_ident(name) || ' CASCADE'; END LOOP; END$$";

/// A function takes at most a hundred arguments.
const TOGETHER_MOST: usize = 50;

pub(crate) fn sql() -> SchemaSql {
    SchemaSql {
        names: &["postgres"],
        session: &[],
        schema: "SELECT quote_ident(current_schema())",
        empty: |schema| {
            vec![DROP_OTHERS.to_owned(), format!("DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}")]
        },
        tables: TABLES,
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
