//! What a running server has counted of its statements: the extension pg_stat_statements.
//!
//! ```text
//!   counter/tables.rs   columns of tables, and samples of their rows
//! ```

mod tables;

use std::collections::HashMap;

use humdrum_contract::{
    Counted, CountedStatement, Fetched, Outcome, Placeholders, SAMPLING_MARK, SqlSession, StatementCounter,
    TableColumn, TableName, TextRows,
};
use humdrum_engine_kit::single;
use humdrum_model::{Fault, FaultKind};

use tables::Relation;

const EXTENSION: &str = "pg_stat_statements";
/// What the extension shows in place of others' statements.
const NOT_SHOWN: &str = "<insufficient privilege>";
/// A session of ours writes nothing, and no question takes longer.
const SESSION: &str = "SET default_transaction_read_only = on; SET statement_timeout = '30s'";
/// syntax_error: the text is no statement, whatever the tables are.
const SYNTAX_ERROR: &str = "[42601]";

/// A session on a server that counts.
pub(crate) struct Counter<S> {
    session: S,
    database: String,
    /// The query for all counters.
    counters: String,
    /// Whether the server tells how often it had to forget statements.
    tells_forgotten: bool,
    schema: String,
    /// Tables that were looked for.
    relations: HashMap<TableName, Option<Relation>>,
}

impl<S: SqlSession> Counter<S> {
    /// Looks for the extension.
    ///
    /// # Errors
    /// Usage: it is not there.
    pub(crate) fn open(mut session: S, database: &str) -> Outcome<Self> {
        session.query(SESSION)?;
        let found = session.query(
            "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
             WHERE e.extname = 'pg_stat_statements'",
        )?;
        if found.is_empty() {
            return Err(lacks_extension(&mut session, database)?);
        }
        let schema = single(&found);
        let columns = session.query(&format!(
            "SELECT attname FROM pg_attribute WHERE attrelid = '{schema}.{EXTENSION}'::regclass AND attnum > 0"
        ))?;
        let has = |name: &str| columns.iter().flatten().flatten().any(|column| column == name);
        let counters = counters(&schema, has("total_exec_time"), has("toplevel"));
        Ok(Self {
            session,
            database: database.to_owned(),
            counters,
            tells_forgotten: has("toplevel"),
            schema,
            relations: HashMap::new(),
        })
    }
}

/// A query with one row for each statement of this database that clients sent, whoever did. Times are in milliseconds.
fn counters(schema: &str, is_new: bool, tells_toplevel: bool) -> String {
    let time = if is_new { "total_exec_time" } else { "total_time" };
    let toplevel = if tells_toplevel { " AND s.toplevel" } else { "" };
    format!(
        "SELECT s.queryid::text, s.query, sum(s.calls)::bigint, sum(s.{time}) / 1000, sum(s.rows)::bigint \
         FROM {schema}.{EXTENSION} AS s, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()) \
         AS {SAMPLING_MARK} WHERE s.dbid = {SAMPLING_MARK}.oid{toplevel} GROUP BY s.queryid, s.query"
    )
}

fn lacks_extension(session: &mut impl SqlSession, database: &str) -> Outcome<Fault> {
    let loaded = session.query("SELECT 1 FROM pg_settings WHERE name = 'pg_stat_statements.max'")?;
    let fault =
        Fault::usage(format!("the extension {EXTENSION} is not installed in the database {database}"));
    let create = format!("run CREATE EXTENSION {EXTENSION} in {database}");
    Ok(fault.hint(if loaded.is_empty() {
        format!(
            "add {EXTENSION} to shared_preload_libraries in postgresql.conf, restart the server, then {create}"
        )
    } else {
        create
    }))
}

/// The fault of a reading.
fn not_read(fault: Fault) -> Fault {
    if fault.what.contains("shared_preload_libraries") {
        let what = format!("the extension {EXTENSION} is installed, and the server does not load it");
        return Fault::usage(what).hint(format!(
            "add {EXTENSION} to shared_preload_libraries in postgresql.conf and restart the server"
        ));
    }
    if fault.what.contains("[42501]") {
        return Fault::usage(fault.what).hint("let the user read it: GRANT pg_read_all_stats TO the user");
    }
    fault
}

/// Rows of the counters' query.
fn read(rows: &TextRows) -> Counted {
    let mut counted = Counted::default();
    let mut hidden = 0;
    let mut lost = 0;
    let mut by_key: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let [key, text, calls, seconds, rows] = row.as_slice() else { continue };
        let number = |value: &Option<String>| value.as_deref().and_then(|text| text.parse::<f64>().ok());
        let calls = number(calls).unwrap_or_default() as u64;
        match (key, text) {
            (_, Some(text)) if text == NOT_SHOWN => hidden += calls,
            (Some(key), Some(text)) => {
                let place = *by_key.entry(key.clone()).or_insert_with(|| {
                    let new = CountedStatement { key: key.clone(), text: text.clone(), ..Default::default() };
                    counted.statements.push(new);
                    counted.statements.len() - 1
                });
                let one = &mut counted.statements[place];
                one.calls += calls;
                one.seconds += number(seconds).unwrap_or_default();
                one.rows += number(rows).unwrap_or_default() as u64;
            }
            _ => lost += calls,
        }
    }
    if hidden > 0 {
        let why = "other users ran them, and this one may not see their texts (GRANT pg_read_all_stats TO the user)";
        counted.without_text.push((why.to_owned(), hidden));
    }
    if lost > 0 {
        counted.without_text.push(("the server has lost their texts".to_owned(), lost));
    }
    counted
}

impl<S: SqlSession> StatementCounter for Counter<S> {
    fn placeholder(&self) -> String {
        "$1".to_owned()
    }

    fn database(&self) -> String {
        self.database.clone()
    }

    fn count(&mut self) -> Outcome<Counted> {
        let rows = self.session.query(&self.counters).map_err(not_read)?;
        let mut counted = read(&rows);
        if self.tells_forgotten {
            let sql = format!("SELECT dealloc FROM {}.{EXTENSION}_info AS {SAMPLING_MARK}", self.schema);
            let rows = self.session.query(&sql)?;
            counted.forgotten = single(&rows).parse().unwrap_or_default();
            counted.forgets_less = "raise pg_stat_statements.max";
        }
        Ok(counted)
    }

    fn columns(&mut self, table: &TableName) -> Outcome<Vec<TableColumn>> {
        match self.relation(table)? {
            Some(relation) => tables::columns(&mut self.session, &relation),
            None => Ok(Vec::new()),
        }
    }

    fn rows(&mut self, table: &TableName, columns: &[String], most: usize) -> Outcome<Fetched> {
        match self.relation(table)? {
            Some(relation) => tables::rows(&mut self.session, &relation, columns, most),
            None => Ok(Fetched::default()),
        }
    }

    fn highest(&mut self, table: &TableName, column: &str) -> Outcome<Option<i64>> {
        let Some(relation) = self.relation(table)? else { return Ok(None) };
        let sql = format!("SELECT max({}) FROM {} AS {SAMPLING_MARK}", tables::quoted(column), relation.name);
        Ok(single(&self.session.query(&sql)?).parse().ok())
    }

    /// It is prepared and thrown away.
    fn placeholders(&mut self, statement: &str) -> Outcome<Placeholders> {
        if statement.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("call")) {
            // The one kind of statement here that PREPARE does not take.
            return Ok(Placeholders::Unknown);
        }
        let sql = format!(
            "PREPARE {SAMPLING_MARK} AS {statement}; \
             SELECT t.typname, t.typcategory FROM pg_prepared_statements AS p, \
             unnest(p.parameter_types) WITH ORDINALITY AS u(kind, n) JOIN pg_type AS t ON t.oid = u.kind::oid \
             WHERE p.name = '{SAMPLING_MARK}' ORDER BY u.n; DEALLOCATE {SAMPLING_MARK}"
        );
        match self.session.query(&sql) {
            Ok(rows) => Ok(Placeholders::Known(rows.iter().map(|row| tables::kind(row, None)).collect())),
            Err(fault) if fault.kind != FaultKind::Environment => Err(fault),
            Err(fault) if fault.what.ends_with(SYNTAX_ERROR) => Ok(Placeholders::NoStatement(fault.what)),
            Err(_) => Ok(Placeholders::Unknown),
        }
    }
}

impl<S: SqlSession> Counter<S> {
    fn relation(&mut self, table: &TableName) -> Outcome<Option<Relation>> {
        if let Some(known) = self.relations.get(table) {
            return Ok(known.clone());
        }
        let found = tables::find(&mut self.session, table)?;
        self.relations.insert(table.clone(), found.clone());
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: [&str; 5]) -> Vec<Option<String>> {
        values.iter().map(|value| Some((*value).to_owned()).filter(|value| value != "-")).collect()
    }

    #[test]
    fn users_of_one_statement_are_added_up_and_hidden_texts_counted() {
        let counted = read(&[
            row(["7", "SELECT $1", "3", "0.5", "3"]),
            row(["7", "SELECT $1 ", "2", "0.25", "2"]),
            row(["-", NOT_SHOWN, "9", "1", "9"]),
            row(["8", "-", "1", "1", "1"]),
        ]);
        let one = &counted.statements[0];
        assert_eq!((counted.statements.len(), one.calls, one.seconds, one.rows), (1, 5, 0.75, 5));
        let counts: Vec<u64> = counted.without_text.iter().map(|(_, calls)| *calls).collect();
        assert_eq!(counts, [9, 1]);
    }

    #[test]
    fn old_releases_have_one_time() {
        assert!(counters("public", false, false).contains("sum(s.total_time)"));
        let new = counters("public", true, true);
        assert!(new.contains("sum(s.total_exec_time)") && new.contains("AND s.toplevel"));
    }
}
