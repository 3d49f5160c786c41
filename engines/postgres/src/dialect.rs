//! Where Postgres' SQL differs from the others'.

use humdrum_contract::Dialect;

/// SQL of Postgres 9.6 and later.
pub struct Postgres;

impl Dialect for Postgres {
    fn placeholder(&self, n: usize) -> String {
        format!("${n}")
    }

    fn serial_primary_key(&self) -> &'static str {
        "SERIAL PRIMARY KEY"
    }

    /// Until it is settled, autovacuum leaves the table alone: its snapshot would keep rows from counting as
    /// visible to all.
    fn table_options(&self) -> &'static str {
        "WITH (autovacuum_enabled = off)"
    }

    /// FREEZE sets hint bits and the visibility map, so that the reads after it write nothing and index-only
    /// scans are what they are on a settled table. The first checkpoint is not for tidiness: rows of a commit
    /// that is not flushed yet (synchronous_commit is off) are passed over, and without it a load now and then
    /// left a table whose index-only scans took three times as long.
    fn settle(&self, tables: &[String]) -> Vec<String> {
        let each = |table: &String| {
            [
                format!("VACUUM (FREEZE, ANALYZE) {table}"),
                format!("ALTER TABLE {table} RESET (autovacuum_enabled)"),
            ]
        };
        let checkpoint = || ["CHECKPOINT".to_owned()];
        checkpoint().into_iter().chain(tables.iter().flat_map(each)).chain(checkpoint()).collect()
    }

    /// Sums the first eight hexadecimal digits of each row's MD5: the same digest exists in every engine, and a
    /// sum does not depend on the order of rows.
    fn table_checksum(&self, table: &str) -> String {
        format!(
            "SELECT count(*), coalesce(sum(('x' || substr(md5(concat_ws(',', id, k, rtrim(c), rtrim(pad))), 1, 8))\
             ::bit(32)::bigint), 0) FROM {table}"
        )
    }

    fn table_bytes(&self, table: &str) -> String {
        format!("SELECT pg_total_relation_size('{table}')")
    }

    /// Reads the heap and every index in full; `pg_prewarm` is not in every build.
    fn prewarm(&self, table: &str) -> Vec<String> {
        vec![
            format!("SELECT sum(length(c)) + sum(length(pad)) FROM {table}"),
            format!(
                "SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT count(id) FROM {table} WHERE id >= 0; \
                     SELECT count(k) FROM {table} WHERE k >= 0; RESET enable_seqscan; RESET enable_bitmapscan"
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settles_every_table_and_then_the_disk() {
        let statements = Postgres.settle(&["sbtest1".into(), "sbtest2".into()]);
        assert_eq!(statements.iter().filter(|text| text.starts_with("VACUUM")).count(), 2);
        assert_eq!((statements[0].as_str(), statements[5].as_str()), ("CHECKPOINT", "CHECKPOINT"));
    }
}
