//! Where Postgres' SQL differs from the others'.

use std::time::Duration;

use humdrum_contract::{Chore, Dialect, Gauge, PlanQuestion, Question, QueueSql, RunQuestion, SchemaSql};

use crate::{examine, queue, schema};

/// SQL of one major release, 9.6 (as 9) or later.
#[derive(Clone, Copy, Debug)]
pub struct PostgresDialect {
    /// 9 for 9.6, else the first number of the version.
    pub major: u32,
}

impl Dialect for PostgresDialect {
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
            analyzed(table),
            format!("SELECT sum(length(c)) + sum(length(pad)) FROM {table}"),
            format!(
                "SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT count(id) FROM {table} WHERE id >= 0; \
                     SELECT count(k) FROM {table} WHERE k >= 0; RESET enable_seqscan; RESET enable_bitmapscan"
            ),
        ]
    }

    /// As `settle`, and the indexes are cleaned even where VACUUM would put that off, as the reference has it. The
    /// first checkpoint is there for the same reason as after a load: rows whose commit is not on disk yet
    /// (synchronous_commit is off) would be passed over.
    fn post_write(&self, tables: &[String]) -> Vec<Chore> {
        let options = if self.major >= 12 { "ANALYZE, INDEX_CLEANUP ON" } else { "ANALYZE" };
        let vacuum = tables.iter().map(|table| format!("VACUUM ({options}) {table}"));
        let checkpoint = || std::iter::once("CHECKPOINT".to_owned());
        vec![Chore::of(checkpoint().chain(vacuum).chain(checkpoint()))]
    }

    fn table_state(&self, table: &str) -> Vec<Gauge> {
        let gauge = |name, unit, description, sql: String| Gauge {
            name,
            unit,
            description,
            question: Question::new(sql),
        };
        vec![
            gauge("table_bytes", "bytes", "size of tables", format!("SELECT pg_table_size('{table}')")),
            gauge("index_bytes", "bytes", "size of indexes", format!("SELECT pg_indexes_size('{table}')")),
            gauge(
                "dead_rows",
                "rows",
                "row versions that VACUUM has yet to remove, by the server's own estimate",
                format!("SELECT coalesce(pg_stat_get_dead_tuples('{table}'::regclass), 0)"),
            ),
        ]
    }

    fn queue(&self) -> Option<QueueSql> {
        Some(queue::sql(self.major))
    }

    /// What the next checkpoint has to cover. Buffers cannot be asked for their dirt without an extension that not
    /// every build has.
    fn server_state(&self) -> Vec<Gauge> {
        let (difference, position) = match self.major {
            ..10 => ("pg_xlog_location_diff", "pg_current_xlog_insert_location"),
            _ => ("pg_wal_lsn_diff", "pg_current_wal_insert_lsn"),
        };
        let redo = if self.major < 10 { "redo_location" } else { "redo_lsn" };
        let sql = format!("SELECT {difference}({position}(), {redo}) FROM pg_control_checkpoint()");
        vec![Gauge {
            name: "checkpoint_age_bytes",
            unit: "bytes",
            description: "log written since the last checkpoint",
            question: Question::new(sql),
        }]
    }

    fn schema(&self) -> Option<SchemaSql> {
        Some(schema::sql())
    }

    fn counters(&self) -> Vec<String> {
        examine::counters(self.major)
    }

    fn counters_lag(&self) -> Duration {
        examine::counters_lag(self.major)
    }

    fn waits(&self) -> Option<String> {
        Some(examine::waits())
    }

    fn query_plan(&self, sql: &str) -> Option<PlanQuestion> {
        Some(examine::query_plan(sql))
    }

    fn plan_run(&self, sql: &str, timeout: Duration) -> Result<RunQuestion, &'static str> {
        Ok(examine::plan_run(sql, timeout))
    }
}

/// Samples a server may draw until it is like most others.
const SAMPLES_MAX: u32 = 6;

/// Rows below which most samples find some value of `k` frequent enough to be listed: of 24 samples each, 21 did at 100,000
/// rows, 4 at 150,000 and 4 at 200,000.
const ROWS_LISTED: u32 = 130_000;

/// Takes statistics anew, until they have a list of frequent values of `k` where most samples of so many rows have one, or
/// have none. `k` is random, so a sample finds such values by chance; a statement with a hundred values of `k` looks each of
/// them up in that list whenever it is planned, which is 7 % of its time, so that without this each server's luck is the
/// noise of a session.
fn analyzed(table: &str) -> String {
    format!(
        "DO $$BEGIN FOR sample IN 1..{SAMPLES_MAX} LOOP ANALYZE {table}; \
         EXIT WHEN EXISTS (SELECT FROM pg_stats WHERE schemaname = current_schema() AND tablename = '{table}' \
         AND attname = 'k' AND most_common_vals IS NOT NULL) \
         = (SELECT reltuples < {ROWS_LISTED} FROM pg_class WHERE oid = '{table}'::regclass); END LOOP; END$$"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settles_every_table_and_then_the_disk() {
        let statements = PostgresDialect { major: 17 }.settle(&["sbtest1".into(), "sbtest2".into()]);
        assert_eq!(statements.iter().filter(|text| text.starts_with("VACUUM")).count(), 2);
        assert_eq!((statements[0].as_str(), statements[5].as_str()), ("CHECKPOINT", "CHECKPOINT"));
    }

    #[test]
    fn cleans_indexes_where_the_release_can_be_told_to() {
        let vacuum = |major| PostgresDialect { major }.post_write(&["t".into()])[0].statements[1].clone();
        assert_eq!(vacuum(11), "VACUUM (ANALYZE) t");
        assert_eq!(vacuum(12), "VACUUM (ANALYZE, INDEX_CLEANUP ON) t");
    }

    #[test]
    fn old_releases_are_asked_in_their_own_words() {
        let asked = |major| PostgresDialect { major }.server_state()[0].question.sql.clone();
        assert!(asked(9).contains("pg_current_xlog_insert_location") && asked(9).contains("redo_location"));
        assert!(asked(10).contains("pg_current_wal_insert_lsn") && asked(10).contains("redo_lsn"));
    }
}
