//! Queries for examinations: counters of a server, waits of its sessions, and query plans. They run outside
//! all measured blocks.
//!
//! Views of statistics gain and lose columns from release to release. JSON turns them into (name, value), so
//! that every number of a release is read under its own name and no list is needed here.
//!
//! `pg_stat_statements` is read if it is installed; otherwise its query fails and is skipped.

use std::time::Duration;

use humdrum_contract::{PlanQuestion, RunQuestion, first_column};

/// Columns that are numbers and no counters: ids, sizes, levels.
const NO_COUNTERS: [&str; 12] = [
    "checksum_failures",
    "datid",
    "indexrelid",
    "n_dead_tup",
    "n_ins_since_vacuum",
    "n_live_tup",
    "n_mod_since_analyze",
    "numbackends",
    "op_bytes",
    "parallel_workers_to_launch",
    "relid",
    "stats_reset",
];

/// The first release that has these.
const WAL_VIEW: u32 = 14;
const PROMPT: u32 = 15;
const IO_VIEW: u32 = 16;
const CHECKPOINTER_VIEW: u32 = 17;

/// Queries with rows of (name, value).
pub(crate) fn counters(major: u32) -> Vec<String> {
    let database = "datname = current_database()";
    let mut queries = vec![
        view("pg_stat_database", "'pg_stat_database'", database),
        view("pg_stat_bgwriter", "'pg_stat_bgwriter'", "true"),
        view("pg_stat_user_tables", "'tables'", "true"),
        view("pg_statio_user_tables", "'tables'", "true"),
        wal_bytes(major),
        statements(),
    ];
    if major >= WAL_VIEW {
        queries.push(view("pg_stat_wal", "'pg_stat_wal'", "true"));
    }
    if major >= IO_VIEW {
        let who = "CASE backend_type WHEN 'client backend' THEN 'client' ELSE 'background' END";
        let name = format!("'pg_stat_io.' || {who} || '.' || object || '.' || context");
        queries.push(view("pg_stat_io", &name, "true"));
    }
    if major >= CHECKPOINTER_VIEW {
        queries.push(view("pg_stat_checkpointer", "'pg_stat_checkpointer'", "true"));
    }
    queries
}

/// What all statements of this database did, added up, but those that ask for counters. Means, extremes and spreads of times
/// are no counters.
fn statements() -> String {
    let condition = "v.dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) \
                     AND v.query NOT LIKE '%pg_stat%' AND v.query NOT LIKE '%pg_current%' \
                     AND one.key ~ '^(calls|plans|rows|total_.*time|.*blks_.*|.*blk_.*_time|wal_.*)$'";
    view("pg_stat_statements", "'statements'", condition)
}

/// All numbers of all rows of a view, added up by name.
fn view(view: &str, name: &str, condition: &str) -> String {
    let left_out: Vec<String> = NO_COUNTERS.iter().map(|column| format!("'{column}'")).collect();
    format!(
        "SELECT {name} || '.' || one.key, sum(one.value::text::float8) FROM {view} AS v, \
         jsonb_each(to_jsonb(v)) AS one WHERE {condition} AND jsonb_typeof(one.value) = 'number' \
         AND one.key NOT IN ({}) GROUP BY 1",
        left_out.join(", ")
    )
}

fn wal_bytes(major: u32) -> String {
    let (difference, position) = match major {
        ..10 => ("pg_xlog_location_diff", "pg_current_xlog_insert_location"),
        _ => ("pg_wal_lsn_diff", "pg_current_wal_insert_lsn"),
    };
    format!("SELECT 'log.bytes', {difference}({position}(), '0/0')")
}

/// Up to 14 a collector writes what it was told to a file, half a second late at most; later ones share
/// memory, and a session adds its counts when it ends.
pub(crate) fn counters_lag(major: u32) -> Duration {
    Duration::from_millis(if major >= PROMPT { 30 } else { 650 })
}

/// One row per client of ours. Who waits for another's flush of the log waits for the disk.
pub(crate) fn waits() -> String {
    "SELECT CASE WHEN state LIKE 'idle%' OR wait_event_type = 'Client' THEN 'client' \
     WHEN wait_event_type IS NULL THEN 'cpu' \
     WHEN wait_event_type = 'IO' OR wait_event LIKE 'WALWrite%' THEN 'disk' \
     WHEN wait_event_type IN ('Lock', 'BufferPin') OR wait_event_type LIKE 'LWLock%' THEN 'lock' \
     ELSE 'other' END, \
     CASE WHEN state LIKE 'idle%' THEN 'Client' ELSE concat_ws(' ', wait_event_type, wait_event) END \
     FROM pg_stat_activity WHERE application_name = 'humdrum' AND pid <> pg_backend_pid()"
        .to_owned()
}

pub(crate) fn query_plan(sql: &str) -> PlanQuestion {
    PlanQuestion { sql: format!("EXPLAIN {sql}"), line: first_column }
}

/// Rows alone: buffers and the times of one run differ from run to run, and 18 tells buffers unasked.
pub(crate) fn plan_run(sql: &str, timeout: Duration) -> RunQuestion {
    let sql = format!("EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF) {sql}");
    let question = PlanQuestion { sql, line: first_column };
    let begin = format!("BEGIN READ ONLY; SET LOCAL statement_timeout = {}", timeout.as_millis().max(1));
    RunQuestion { begin, question, end: "ROLLBACK" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_releases_are_not_asked_for_views_they_lack() {
        let has = |major, view: &str| counters(major).iter().any(|query| query.contains(view));
        assert!(!has(9, "pg_stat_wal") && has(14, "pg_stat_wal"));
        assert!(!has(15, "pg_stat_io") && has(16, "pg_stat_io"));
        assert!(!has(16, "pg_stat_checkpointer") && has(17, "pg_stat_checkpointer"));
        assert!(has(9, "pg_xlog_location_diff") && NO_COUNTERS.is_sorted());
    }

    #[test]
    fn statements_are_added_up_without_those_that_ask() {
        let asked = counters(9).into_iter().find(|query| query.contains("FROM pg_stat_statements AS v"));
        let asked = asked.expect("asked of every release");
        // By names of what is called and read: the view does not show constants.
        for query in counters(18) {
            assert!(query.contains("pg_stat") || query.contains("pg_current"), "{query}");
        }
        assert!(asked.contains("NOT LIKE '%pg_stat%'") && asked.contains("'statements' || '.' || one.key"));
        assert!(!asked.contains("mean_") && asked.contains("|total_.*time|"));
    }
}
