//! What a dump holds besides tables and rows, and what of it is left out: owners and rights name roles that a fresh server does
//! not have, and databases are made by the lab. Neither is wanted for a measurement.

/// An entry of an archive.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// `TABLE`, `INDEX`, `TABLE DATA` …
    pub(crate) kind: String,
    pub(crate) sql: String,
    /// `COPY … FROM stdin`, for rows that are written so.
    pub(crate) copy: String,
    pub(crate) schema: String,
    /// Whether a block belongs to it.
    pub(crate) has_block: bool,
}

/// Kinds of entries that are left out.
const KINDS: [&str; 9] = [
    "ACL",
    "BLOB",
    "BLOB METADATA",
    "DATABASE",
    "DATABASE PROPERTIES",
    "DEFAULT ACL",
    "PUBLICATION",
    "SECURITY LABEL",
    "SUBSCRIPTION",
];

/// Whether an entry is left out.
pub(crate) fn is_left_out(entry: &Entry) -> bool {
    KINDS.contains(&entry.kind.as_str()) || statement_is_left_out(&entry.sql)
}

/// Beginnings of statements that are left out.
const STATEMENTS: [&[&str]; 17] = [
    &["GRANT"],
    &["REVOKE"],
    &["ALTER", "DATABASE"],
    &["ALTER", "DEFAULT", "PRIVILEGES"],
    &["ALTER", "ROLE"],
    &["ALTER", "USER"],
    &["COMMENT", "ON", "DATABASE"],
    &["COMMENT", "ON", "EXTENSION"],
    &["CREATE", "DATABASE"],
    &["CREATE", "PUBLICATION"],
    &["CREATE", "ROLE"],
    &["CREATE", "SCHEMA", "PUBLIC"],
    &["CREATE", "SUBSCRIPTION"],
    &["CREATE", "USER"],
    &["DROP", "DATABASE"],
    &["SET", "SESSION", "AUTHORIZATION"],
    &["USE"],
];

/// Whether a statement of a dump is left out.
pub(crate) fn statement_is_left_out(sql: &str) -> bool {
    let words: Vec<String> = words(sql).take(4).collect();
    let begins = |with: &&[&str]| words.len() >= with.len() && with.iter().zip(&words).all(|(a, b)| a == b);
    STATEMENTS.iter().any(begins) || changes_owner(&words, sql)
}

/// `ALTER … OWNER TO …`.
fn changes_owner(words: &[String], sql: &str) -> bool {
    let alters = words.first().is_some_and(|word| word == "ALTER");
    let last: Vec<&str> = sql.split_ascii_whitespace().rev().take(3).collect();
    alters
        && matches!(*last, [_, to, owner] if to.eq_ignore_ascii_case("TO") && owner.eq_ignore_ascii_case("OWNER"))
}

/// Whether a statement sets the optimizer's statistics, as `pg_dump --statistics` writes it from release 18 on.
pub(crate) fn sets_statistics(sql: &str) -> bool {
    let first: Vec<String> = words(sql).take(5).collect();
    let called = match first.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["SELECT", "FROM", "PG_CATALOG", called, ..] | ["SELECT", "FROM", called, ..] => called,
        _ => return false,
    };
    ["PG_RESTORE_RELATION_STATS", "PG_RESTORE_ATTRIBUTE_STATS"].contains(&called)
}

/// Whether a statement is about the session alone. Newer programs write settings that older releases do not know.
pub(crate) fn is_setting(sql: &str) -> bool {
    words(sql).next().is_some_and(|word| word == "SET")
}

/// Words in capitals. Those in a comment that is for some releases, as `/*!40101 SET … */`, are words too.
fn words(sql: &str) -> impl Iterator<Item = String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = sql.split(move |letter| !is_part(letter)).filter(|word| !word.is_empty());
    let words = words.skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()) || *word == "M");
    words.map(str::to_ascii_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_rights_and_databases_are_left_out() {
        for sql in [
            "ALTER TABLE public.orders OWNER TO \"me\"",
            "GRANT SELECT ON t TO you",
            "USE `shop`",
            "CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop`",
            "ALTER DEFAULT PRIVILEGES FOR ROLE me GRANT ALL ON TABLES TO you",
            "CREATE SCHEMA public",
            "COMMENT ON EXTENSION hstore IS 'x'",
        ] {
            assert!(statement_is_left_out(sql), "{sql}");
        }
        for sql in [
            "ALTER TABLE t ADD CONSTRAINT owner CHECK (a > 0)",
            "CREATE SCHEMA app",
            "CREATE TABLE users (id integer)",
            "INSERT INTO t VALUES ('GRANT')",
            "CREATE USERS",
        ] {
            assert!(!statement_is_left_out(sql), "{sql}");
        }
    }

    #[test]
    fn statistics_are_told_from_queries() {
        for sql in [
            "SELECT * FROM pg_catalog.pg_restore_relation_stats(\n\t'version', '180006'::integer\n)",
            "-- of t\nSELECT * FROM pg_restore_attribute_stats('relname', 't')",
        ] {
            let sql = sql.trim_start_matches("-- of t\n");
            assert!(sets_statistics(sql) && !statement_is_left_out(sql), "{sql}");
        }
        for sql in [
            "SELECT pg_catalog.setval('s', 1)",
            "INSERT INTO t VALUES ('pg_restore_relation_stats')",
            "SELECT",
        ] {
            assert!(!sets_statistics(sql), "{sql}");
        }
    }

    #[test]
    fn settings_are_told_from_other_statements() {
        for sql in ["SET statement_timeout = 0", "/*!40101 SET NAMES utf8 */", "/*M!100616 SET @a=1 */"] {
            assert!(is_setting(sql), "{sql}");
        }
        assert!(!is_setting("SELECT pg_catalog.set_config('search_path', '', false)"));
    }
}
