//! Where the SQL of MySQL and MariaDB differs from the others'. The two do not differ from each other in what
//! workloads need: syntax that only some releases have is in comments that the others skip (`/*!80018 … */`;
//! MariaDB skips those of MySQL 5.7 and later).

use std::time::Duration;

use humdrum_contract::{
    Chore, Dialect, Gauge, PlanQuestion, Question, QueueSql, RunQuestion, SchemaSql, WaitedQuestion,
    number_at,
};

use crate::{TellsRows, examine, log, schema, status, waited};

/// SQL of MySQL 5.5 and later and MariaDB 10.1 and later, on InnoDB tables.
#[derive(Clone, Copy, Debug)]
pub struct InnoDb {
    /// Names for files of this engine alone, the most specific one first.
    pub names: &'static [&'static str],
    /// How the release tells actual rows of plans.
    pub tells_rows: TellsRows,
}

impl Default for InnoDb {
    fn default() -> Self {
        Self { names: &["mysql"], tells_rows: TellsRows::Not("the release is not known") }
    }
}

/// A server always has a few dirty pages of its own.
const DIRTY_PAGES_MAX: f64 = 16.0;

impl Dialect for InnoDb {
    fn placeholder(&self, _n: usize) -> String {
        "?".into()
    }

    fn serial_primary_key(&self) -> &'static str {
        "INTEGER NOT NULL AUTO_INCREMENT PRIMARY KEY"
    }

    /// The character set is named because the default is another one from MySQL 8 on.
    fn table_options(&self) -> &'static str {
        "ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci"
    }

    fn settle(&self, tables: &[String]) -> Vec<String> {
        tables.iter().map(|table| analyze(table)).chain(flush(&tables.join(", "))).collect()
    }

    /// Sums the first eight hexadecimal digits of each row's MD5: the same digest exists in every engine, and a
    /// sum does not depend on the order of rows. Without the cast the sum would be a floating-point one.
    fn table_checksum(&self, table: &str) -> String {
        format!(
            "SELECT COUNT(*), COALESCE(SUM(CAST(CONV(SUBSTR(MD5(CONCAT_WS(',', id, k, RTRIM(c), RTRIM(pad))), \
             1, 8), 16, 10) AS UNSIGNED)), 0) FROM {table}"
        )
    }

    fn table_bytes(&self, table: &str) -> String {
        format!("{}; {}", analyze(table), size(table, "data_length + index_length"))
    }

    /// Reads the table and the secondary index on `k` in full. No index is named: the one on `k` covers its
    /// query, so that the optimizer takes it, and has a name that only the workload knows.
    fn prewarm(&self, table: &str) -> Vec<String> {
        vec![
            analyze(table),
            format!("SELECT SUM(LENGTH(c)) + SUM(LENGTH(pad)) FROM {table} FORCE INDEX (PRIMARY)"),
            format!("SELECT COUNT(*) FROM {table} WHERE k >= 0"),
        ]
    }

    /// Zero asks for the next number.
    fn serial_value(&self) -> Option<&'static str> {
        Some("0")
    }

    /// Purge first, for it dirties pages; then statistics of what is left; then all dirty pages, with the limits
    /// that make the server put off writing them out of the way meanwhile. UNLOCK TABLES after FOR EXPORT also
    /// wakes purge.
    fn post_write(&self, tables: &[String]) -> Vec<Chore> {
        let to_purge = Question { number: status::to_purge, ..status() };
        let purge = Chore::of(mark()).until("purge", to_purge, 0.0);
        let unmark = "DROP TABLE humdrum_mark".to_owned();
        let analyze = Chore::of([unmark].into_iter().chain(tables.iter().map(|table| analyze(table))));
        let flush = Chore::of(LIFT_LIMITS).until("dirty pages", dirty_pages(), DIRTY_PAGES_MAX);
        vec![purge, analyze, flush, Chore::of(RESTORE_LIMITS)]
    }

    fn table_state(&self, table: &str) -> Vec<Gauge> {
        let gauge = |name, description, column| {
            let sql = format!("{}; {}", analyze(table), size(table, column));
            Gauge { name, unit: "bytes", description, question: Question::new(sql) }
        };
        vec![
            gauge("table_bytes", "size of the clustered index, which is the table", "data_length"),
            gauge("index_bytes", "size of the secondary indexes", "index_length"),
        ]
    }

    fn queue(&self) -> Option<QueueSql> {
        Some(QueueSql {
            id_column: "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY",
            time_type: "datetime",
            table_options: self.table_options(),
            ids_at_once: 1,
            after_create: |_| Vec::new(),
            indexes_at_once: true,
            delete_takes_limit: true,
            forces_index: true,
            prepares_queries: false,
            table_gauges: |_| Vec::new(),
            server_gauges: log::gauges,
        })
    }

    fn server_state(&self) -> Vec<Gauge> {
        let of_status = |name, unit, description, number| Gauge {
            name,
            unit,
            description,
            question: Question { number, ..status() },
        };
        vec![
            of_status(
                "history_length",
                "transactions",
                "transactions whose old row versions have not been cleared away",
                status::history_length,
            ),
            Gauge {
                name: "dirty_pages",
                unit: "pages",
                description: "pages changed in memory and not written to their place",
                question: dirty_pages(),
            },
            of_status(
                "checkpoint_age_bytes",
                "bytes",
                "log written since the last checkpoint",
                status::checkpoint_age_bytes,
            ),
        ]
    }

    fn schema(&self) -> Option<SchemaSql> {
        Some(schema::sql(self.names))
    }

    fn counters(&self) -> Vec<String> {
        examine::counters()
    }

    fn waits(&self) -> Option<String> {
        Some(examine::waits())
    }

    fn waited(&self) -> Option<WaitedQuestion> {
        Some(waited::question())
    }

    fn query_plan(&self, sql: &str) -> Option<PlanQuestion> {
        Some(examine::query_plan(sql))
    }

    fn plan_run(&self, sql: &str, timeout: Duration) -> Result<RunQuestion, &'static str> {
        examine::plan_run(sql, self.tells_rows, timeout)
    }
}

/// Transactions that leave history behind, of a table of their own, for purge to be seen passing.
fn mark() -> impl Iterator<Item = String> {
    let create = "CREATE TABLE IF NOT EXISTS humdrum_mark (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL) \
        ENGINE=InnoDB";
    let insert = "REPLACE INTO humdrum_mark VALUES (1, 0)";
    let updates = vec!["UPDATE humdrum_mark SET n = n + 1"; status::MARKS].join("; ");
    [create.into(), insert.into(), updates].into_iter().chain(flush("humdrum_mark"))
}

/// FOR EXPORT returns when every changed page of the tables is written and inserts that were put off are merged;
/// nothing is exported. 5.5 does not know it, and closes the tables instead.
fn flush(tables: &str) -> [String; 2] {
    [format!("FLUSH LOCAL TABLES {tables} /*!50600 FOR EXPORT */"), "UNLOCK TABLES".into()]
}

/// Everything dirty is over the limit. MySQL 8 has a second limit, which must not be above the first, and holds
/// an idle server back by a third. MariaDB 10.1 takes no less than a thousandth.
const LIFT_LIMITS: [&str; 2] = [
    "SET @humdrum_dirty = @@GLOBAL.innodb_max_dirty_pages_pct \
     /*!50600 , @humdrum_low = @@GLOBAL.innodb_max_dirty_pages_pct_lwm */ \
     /*!80018 , @humdrum_idle = @@GLOBAL.innodb_idle_flush_pct */",
    "SET /*!50600 GLOBAL innodb_max_dirty_pages_pct_lwm = 0, */ \
     /*!80018 GLOBAL innodb_idle_flush_pct = 100, */ GLOBAL innodb_max_dirty_pages_pct = 0 /*M! + 0.001 */",
];

const RESTORE_LIMITS: [&str; 1] = ["SET GLOBAL innodb_max_dirty_pages_pct = @humdrum_dirty \
     /*!50600 , GLOBAL innodb_max_dirty_pages_pct_lwm = @humdrum_low */ \
     /*!80018 , GLOBAL innodb_idle_flush_pct = @humdrum_idle */"];

/// Reads a few pages of each index, and brings the sizes that the server reports up to date: before, they are as old as its
/// statistics, which it takes anew when a tenth of the rows has changed (and up to a day older in MySQL 8). Sizes of files
/// would need none, but do not tell a table from its indexes, and 5.5 and 5.6 cannot be asked for them.
fn analyze(table: &str) -> String {
    format!("ANALYZE LOCAL TABLE {table}")
}

fn size(table: &str, column: &str) -> String {
    let table = table.trim_matches('`');
    format!(
        "SELECT {column} FROM information_schema.TABLES WHERE table_schema = DATABASE() AND table_name = '{table}'"
    )
}

fn dirty_pages() -> Question {
    let sql = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'".into();
    Question { sql, number: |rows| number_at(rows, 1) }
}

fn status() -> Question {
    Question { sql: "SHOW ENGINE INNODB STATUS".into(), number: status::history_length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_are_lifted_are_restored() {
        let chores = InnoDb::default().post_write(&["sbtest1".into(), "sbtest2".into()]);
        let names = |sql: &str| -> Vec<String> {
            let words = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let mut names: Vec<String> =
                words.filter(|word| word.starts_with("innodb_")).map(str::to_owned).collect();
            names.sort();
            names
        };
        let [saved, lifted] = LIFT_LIMITS.map(names);
        assert_eq!((saved.len(), &saved, &saved), (3, &lifted, &names(RESTORE_LIMITS[0])));
        assert_eq!(chores.last().expect("chores").statements, RESTORE_LIMITS);
        let analyzed =
            chores.iter().flat_map(|chore| &chore.statements).filter(|sql| sql.starts_with("ANALYZE"));
        assert_eq!(analyzed.count(), 2);
    }

    #[test]
    fn settles_all_tables_at_once() {
        let statements = InnoDb::default().settle(&["a".into(), "b".into()]);
        assert_eq!(statements.len(), 4);
        assert!(statements[2].starts_with("FLUSH LOCAL TABLES a, b "), "{}", statements[2]);
    }
}
