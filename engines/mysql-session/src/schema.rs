//! How MySQL and MariaDB treat tables that the lab did not design.

use humdrum_contract::{Dialect, SchemaSql};

use crate::InnoDb;

/// Texts are UTF-8 with one collation, because the default differs between releases.
const CHARACTERS: &str = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";

/// By the bytes of their names, as on other engines. The collation of `table_name` is another in MariaDB and MySQL 5 than in
/// MySQL 8: there `orders` comes before `order_line`, and the checksum of all tables depends on their order.
const TABLES: &str = "SELECT CONCAT('`', table_name, '`') FROM information_schema.tables \
    WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY CAST(table_name AS BINARY)";

/// Values whose text is the same in all releases, those of CHAR without the blanks at their end.
const COLUMNS: &str = "SELECT CONCAT('`', table_name, '`'), \
    IF(data_type = 'char', CONCAT('RTRIM(`', column_name, '`)'), CONCAT('`', column_name, '`')) \
    FROM information_schema.columns WHERE table_schema = DATABASE() \
    AND data_type IN ('tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'char', 'varchar', 'tinytext', \
    'text', 'mediumtext', 'longtext', 'date', 'enum', 'set', 'year') ORDER BY table_name, ordinal_position";

pub(crate) fn sql(names: &'static [&'static str]) -> SchemaSql {
    SchemaSql {
        names,
        session: &["SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"],
        schema: "SELECT DATABASE()",
        empty,
        tables: TABLES,
        columns: COLUMNS,
        checksum,
        settle: |tables| InnoDb::default().settle(tables),
        analyze: |table| format!("ANALYZE LOCAL TABLE {table}"),
    }
}

fn empty(schema: &str) -> Vec<String> {
    vec![
        format!("DROP DATABASE `{schema}`"),
        format!("CREATE DATABASE `{schema}` {CHARACTERS}"),
        format!("USE `{schema}`"),
    ]
}

/// As `Dialect::table_checksum`, of these expressions.
fn checksum(table: &str, expressions: &[String]) -> String {
    if expressions.is_empty() {
        return format!("SELECT COUNT(*), 0 FROM {table}");
    }
    let row = expressions.join(", ");
    format!(
        "SELECT COUNT(*), COALESCE(SUM(CAST(CONV(SUBSTR(MD5(CONCAT_WS(',', {row})), 1, 8), 16, 10) AS UNSIGNED)), 0) \
         FROM {table}"
    )
}
