//! What a running server has counted of its statements: the digests of its performance schema.
//!
//! ```text
//!   counter/digest.rs   a digest's text as a statement
//!   counter/tables.rs   columns of tables, and samples of their rows
//! ```

mod digest;
mod tables;

use std::collections::HashMap;

use humdrum_contract::{
    Counted, CountedStatement, Fetched, Outcome, Placeholders, SAMPLING_MARK, SqlSession, StatementCounter,
    TableColumn, TableName, TextRows,
};
use humdrum_engine_kit::single;
use humdrum_model::{Fault, FaultKind};

use digest::Digest;

/// The table of all counters.
const TABLE: &str = "performance_schema.events_statements_summary_by_digest";
/// Settings of the session: it writes nothing, and no question takes longer than half a minute. Each release knows some of them.
const SESSION: [&str; 3] = [
    "SET SESSION TRANSACTION READ ONLY",
    "SET SESSION max_execution_time = 30000",
    "SET SESSION max_statement_time = 30",
];
/// Databases of the server itself.
const OF_THE_SERVER: &str = "'mysql', 'sys', 'performance_schema', 'information_schema'";

/// A session on a server that counts.
pub(crate) struct Counter<S> {
    session: S,
    database: String,
    /// A run of each statement is kept as it was sent: from MySQL 8.0 on.
    has_samples: bool,
    /// Columns of tables, for digests of INSERT without names.
    columns: HashMap<TableName, Vec<TableColumn>>,
}

impl<S: SqlSession> Counter<S> {
    /// Looks whether it counts.
    ///
    /// # Errors
    /// Usage: it does not, or not for this user; no database was named.
    pub(crate) fn open(mut session: S, database: &str) -> Outcome<Self> {
        for setting in SESSION {
            match session.query(setting) {
                Err(fault) if fault.kind != FaultKind::Environment => return Err(fault),
                _ => {}
            }
        }
        if single(&session.query("SELECT @@performance_schema")?) != "1" {
            return Err(Fault::usage("its performance schema is off, so that it counts no statements")
                .hint("start the server with performance_schema = ON"));
        }
        let columns = format!("SHOW COLUMNS FROM {TABLE}");
        let columns = session.query(&columns).map_err(not_read)?;
        let has_samples = columns
            .iter()
            .any(|row| row.first().is_some_and(|name| name.as_deref() == Some("QUERY_SAMPLE_TEXT")));
        let mut counter =
            Self { session, database: database.to_owned(), has_samples, columns: HashMap::new() };
        counter.look_at_consumers()?;
        if database.is_empty() {
            return Err(counter.no_database()?);
        }
        Ok(counter)
    }

    fn look_at_consumers(&mut self) -> Outcome<()> {
        let sql = format!(
            "SELECT NAME FROM performance_schema.setup_consumers AS {SAMPLING_MARK} \
             WHERE NAME IN ('global_instrumentation', 'thread_instrumentation', 'statements_digest') AND ENABLED = 'NO'"
        );
        // A user may read the counters and not this.
        let Ok(off) = self.session.query(&sql) else { return Ok(()) };
        let Some(name) = off.into_iter().flatten().flatten().next() else { return Ok(()) };
        Err(Fault::usage(format!("its performance schema does not count statements: `{name}` is off")).hint(
            format!("UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = '{name}'"),
        ))
    }

    fn no_database(&mut self) -> Outcome<Fault> {
        let sql = format!(
            "SELECT SCHEMA_NAME FROM {TABLE} AS {SAMPLING_MARK} WHERE SCHEMA_NAME IS NOT NULL \
             AND SCHEMA_NAME NOT IN ({OF_THE_SERVER}) GROUP BY SCHEMA_NAME ORDER BY SUM(SUM_TIMER_WAIT) DESC LIMIT 10"
        );
        let names: Vec<String> =
            self.session.query(&sql).map_err(not_read)?.into_iter().flatten().flatten().collect();
        let fault = Fault::usage("the URL names no database");
        Ok(match names.as_slice() {
            [] => fault.hint("put it behind the host: mysql://me@host/shop"),
            [first, ..] => fault.hint(format!(
                "put it behind the host, as mysql://me@host/{first}; statements ran in: {}",
                names.join(", ")
            )),
        })
    }

    fn statement(&mut self, row: Row, counted: &mut Counted, shortened: &mut u64) -> Outcome<()> {
        let sample = row.sample.filter(|text| !text.ends_with("...") && !text.contains('?'));
        let text = match sample {
            Some(text) => Some(text),
            None => match digest::read(&row.text) {
                Digest::Whole(text) => Some(text),
                Digest::Shortened => None,
                Digest::Columns { table, text } => {
                    let columns = self.columns(&table)?.len();
                    (columns > 0).then(|| digest::with_values(&text, columns))
                }
            },
        };
        match text {
            Some(text) => counted.statements.push(CountedStatement { text, ..row.counted }),
            None => *shortened += row.counted.calls,
        }
        Ok(())
    }
}

impl<S: SqlSession> Counter<S> {
    /// Adds runs of prepared statements, which have no digest. The server counts them as long as their sessions keep them.
    fn prepared(&mut self, counted: &mut Counted) -> Outcome<()> {
        let sql = format!(
            "SELECT CONCAT('prepared ', SQL_TEXT), SQL_TEXT, SUM(COUNT_EXECUTE), SUM(SUM_TIMER_EXECUTE), \
             SUM(SUM_ROWS_SENT + SUM_ROWS_AFFECTED) \
             FROM performance_schema.prepared_statements_instances AS {SAMPLING_MARK} \
             JOIN performance_schema.threads AS t ON t.THREAD_ID = OWNER_THREAD_ID \
             WHERE t.PROCESSLIST_DB = DATABASE() GROUP BY SQL_TEXT"
        );
        match self.session.query(&sql) {
            Ok(rows) => {
                let whole = read(&rows).into_iter().filter(|row| !row.text.ends_with("..."));
                counted
                    .statements
                    .extend(whole.map(|row| CountedStatement { text: row.text, ..row.counted }));
                Ok(())
            }
            // Older releases do not have the table.
            Err(fault) if fault.kind == FaultKind::Environment => Ok(()),
            Err(fault) => Err(fault),
        }
    }
}

/// One digest.
struct Row {
    counted: CountedStatement,
    text: String,
    sample: Option<String>,
}

fn read(rows: &TextRows) -> Vec<Row> {
    let row = |row: &Vec<Option<String>>| {
        let text = |at: usize| row.get(at).cloned().flatten();
        let number = |at: usize| text(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
        // Times are in picoseconds.
        let counted = CountedStatement {
            key: text(0)?,
            text: String::new(),
            calls: number(2) as u64,
            seconds: number(3) / 1e12,
            rows: number(4) as u64,
        };
        Some(Row { counted, text: text(1)?, sample: text(5) })
    };
    rows.iter().filter_map(row).collect()
}

/// The fault of a reading.
fn not_read(fault: Fault) -> Fault {
    let refused = ["ERROR 1142", "ERROR 1044", "ERROR 1227", "ERROR 1370"];
    if refused.iter().any(|code| fault.what.starts_with(code)) {
        return Fault::usage(fault.what)
            .hint("let the user read it: GRANT SELECT ON performance_schema.* TO the user");
    }
    if fault.what.starts_with("ERROR 1146") {
        return Fault::usage("this release does not count statements")
            .hint("MySQL does from 5.6 on, MariaDB from 10.0 on; capture its slow query log instead");
    }
    fault
}

impl<S: SqlSession> StatementCounter for Counter<S> {
    fn placeholder(&self) -> String {
        "?".to_owned()
    }

    fn database(&self) -> String {
        self.database.clone()
    }

    fn count(&mut self) -> Outcome<Counted> {
        let sample = if self.has_samples { ", QUERY_SAMPLE_TEXT" } else { "" };
        let sql = format!(
            "SELECT DIGEST, DIGEST_TEXT, COUNT_STAR, SUM_TIMER_WAIT, SUM_ROWS_SENT + SUM_ROWS_AFFECTED{sample} \
             FROM {TABLE} AS {SAMPLING_MARK} WHERE SCHEMA_NAME = DATABASE() AND DIGEST IS NOT NULL"
        );
        let rows = read(&self.session.query(&sql).map_err(not_read)?);
        let (mut counted, mut shortened) = (Counted::default(), 0);
        for row in rows {
            self.statement(row, &mut counted, &mut shortened)?;
        }
        if shortened > 0 {
            let why = "the server has shortened their texts (performance_schema_max_digest_length, max_digest_length)";
            counted.without_text.push((why.to_owned(), shortened));
        }
        self.prepared(&mut counted)?;
        let rest = format!("SELECT SUM(COUNT_STAR) FROM {TABLE} AS {SAMPLING_MARK} WHERE DIGEST IS NULL");
        let rest = single(&self.session.query(&rest)?).parse::<f64>().unwrap_or_default();
        if rest > 0.0 {
            let why = "the server keeps too few different ones (performance_schema_digests_size)";
            counted.without_text.push((why.to_owned(), rest as u64));
        }
        Ok(counted)
    }

    fn columns(&mut self, table: &TableName) -> Outcome<Vec<TableColumn>> {
        if let Some(known) = self.columns.get(table) {
            return Ok(known.clone());
        }
        let found = tables::columns(&mut self.session, table)?;
        self.columns.insert(table.clone(), found.clone());
        Ok(found)
    }

    fn rows(&mut self, table: &TableName, columns: &[String], most: usize) -> Outcome<Fetched> {
        tables::rows(&mut self.session, table, columns, most)
    }

    fn highest(&mut self, table: &TableName, column: &str) -> Outcome<Option<i64>> {
        let (column, table) = (tables::quoted(column), tables::path(table));
        let sql = format!("SELECT MAX({column}) FROM {table} AS {SAMPLING_MARK}");
        Ok(single(&self.session.query(&sql)?).parse().ok())
    }

    /// It is prepared and thrown away. The types of placeholders are not told.
    fn placeholders(&mut self, statement: &str) -> Outcome<Placeholders> {
        // ER_BAD_FIELD_ERROR, ER_PARSE_ERROR, ER_WRONG_VALUE_COUNT_ON_ROW, ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT
        const NO_STATEMENT: [&str; 4] = ["ERROR 1054", "ERROR 1064", "ERROR 1136", "ERROR 1582"];
        let text = statement.replace('\\', "\\\\").replace('\'', "\\'");
        match self.session.query(&format!("PREPARE {SAMPLING_MARK} FROM '{text}'")) {
            Ok(_) => {
                self.session.query(&format!("DEALLOCATE PREPARE {SAMPLING_MARK}"))?;
                Ok(Placeholders::Unknown)
            }
            Err(fault) if fault.kind != FaultKind::Environment => Err(fault),
            Err(fault) if NO_STATEMENT.iter().any(|code| fault.what.starts_with(code)) => {
                Ok(Placeholders::NoStatement(fault.what))
            }
            Err(_) => Ok(Placeholders::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_digest_are_passed_over() {
        let row = |values: [&str; 6]| -> Vec<Option<String>> {
            values.iter().map(|value| Some((*value).to_owned()).filter(|value| value != "-")).collect()
        };
        let rows = read(&[
            row(["a1", "SELECT ?", "4", "2000000000000", "4", "SELECT 1"]),
            row(["-", "-", "9", "1", "1", "-"]),
        ]);
        assert_eq!(rows.len(), 1);
        let one = &rows[0].counted;
        assert_eq!((one.calls, one.seconds, rows[0].sample.as_deref()), (4, 2.0, Some("SELECT 1")));
    }

    #[test]
    fn what_a_server_refuses_is_told_with_the_grant() {
        let fault = not_read(Fault::environment("ERROR 1142 (42000): SELECT command denied"));
        assert_eq!((fault.exit_code(), fault.hint.is_some_and(|hint| hint.contains("GRANT"))), (2, true));
    }
}
