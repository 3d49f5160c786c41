//! Queries for examinations: counters of a server, waits of its sessions, and query plans. They run outside
//! all measured blocks.

use std::time::Duration;

use humdrum_contract::{PlanQuestion, RunQuestion, first_column};

/// Status variables that are levels and no counters.
const NO_COUNTERS: [&str; 16] = [
    "Innodb\\_buffer\\_pool\\_%pages%",
    "Innodb\\_checkpoint%",
    "Innodb\\_current%",
    "Innodb\\_history%",
    "Innodb\\_ibuf%size",
    "Innodb\\_lsn%",
    "Innodb\\_max%",
    "Innodb\\_mem\\_%",
    "Innodb\\_num\\_open%",
    "Innodb\\_page\\_size",
    "Innodb\\_redo\\_log\\_%",
    "Innodb\\_row\\_lock\\_time\\_%",
    "Max\\_used%",
    "Open\\_%",
    "Threads\\_%",
    "Uptime%",
];

/// Queries with rows of (name, value). What InnoDB counts on its own is only asked where it has counted.
pub(crate) fn counters() -> Vec<String> {
    let left_out: Vec<String> =
        NO_COUNTERS.iter().map(|name| format!("Variable_name NOT LIKE '{name}'")).collect();
    let metrics = "SELECT CONCAT('innodb_metrics.', NAME), `COUNT` FROM information_schema.INNODB_METRICS \
        WHERE `TYPE` IN ('counter', 'status_counter') AND `COUNT` > 0";
    vec![format!("SHOW GLOBAL STATUS WHERE {}", left_out.join(" AND ")), metrics.to_owned()]
}

/// One row per session of ours. Row locks are known to InnoDB alone, all others by the state that a session shows.
pub(crate) fn waits() -> String {
    "SELECT CASE WHEN p.COMMAND = 'Sleep' THEN 'client' \
     WHEN x.trx_state = 'LOCK WAIT' OR p.STATE LIKE 'Waiting for%lock%' THEN 'lock' \
     WHEN p.STATE IN ('waiting for handler commit', 'Waiting for semi-sync ACK from slave') THEN 'disk' \
     ELSE 'cpu' END, \
     CASE WHEN p.COMMAND = 'Sleep' THEN 'Client' WHEN x.trx_state = 'LOCK WAIT' THEN 'row lock' \
     ELSE COALESCE(p.STATE, '') END \
     FROM information_schema.PROCESSLIST p \
     LEFT JOIN information_schema.INNODB_TRX x ON x.trx_mysql_thread_id = p.ID \
     WHERE p.ID <> CONNECTION_ID() AND p.USER = SUBSTRING_INDEX(CURRENT_USER(), '@', 1) \
     AND p.COMMAND IN ('Sleep', 'Query', 'Execute')"
        .to_owned()
}

/// A statement for every release: of those with the setting, one whose answer is a tree where no table is to be had. `FORMAT =
/// TRADITIONAL` in the query itself would be an error then.
const AS_TABLE: &str = "SET @humdrum = 0 /*!80032 , SESSION explain_format = 'TRADITIONAL' */";

/// How a release tells the rows that each step of a plan had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TellsRows {
    /// Not at all, and why.
    Not(&'static str),
    /// `EXPLAIN ANALYZE`, as a tree: MySQL from 8.0.18 on.
    Tree,
    /// `ANALYZE`, as the table of `EXPLAIN` with two columns more: MariaDB.
    Table,
}

/// Table, access, index, what it is compared with, and remarks; estimates come last. Later releases of MySQL have two columns
/// more. The table is asked for, because a release that has trees by default (9.7) would otherwise seem to have another plan for
/// every statement. The hypergraph optimizer has no table and gives a tree all the same, which stays as it is.
pub(crate) fn query_plan(sql: &str) -> PlanQuestion {
    let line = |row: &[Option<String>]| match row.len() {
        ..10 => tree_line(row),
        12.. => table_line(row, [2, 4, 6, 8, 11], 9),
        _ => table_line(row, [2, 3, 5, 7, 9], 8),
    };
    PlanQuestion { sql: format!("{AS_TABLE}; EXPLAIN {sql}"), line }
}

/// Rows alone: the times of one run differ from run to run.
pub(crate) fn plan_run(sql: &str, tells: TellsRows, timeout: Duration) -> Result<RunQuestion, &'static str> {
    let (limit, question) = match tells {
        TellsRows::Not(why) => return Err(why),
        TellsRows::Tree => {
            let limit = format!("max_execution_time = {}", timeout.as_millis().max(1));
            (limit, PlanQuestion { sql: format!("EXPLAIN ANALYZE {sql}"), line: tree_line })
        }
        TellsRows::Table => {
            let line = |row: &[Option<String>]| {
                let actual = row.get(9).cloned().flatten();
                let actual =
                    actual.map_or_else(|| "never run".to_owned(), |rows| format!("actual rows={rows}"));
                format!("{} ({actual})", table_line(row, [2, 3, 5, 7, 12], 8))
            };
            let limit = format!("max_statement_time = {}", timeout.as_secs_f64());
            (limit, PlanQuestion { sql: format!("ANALYZE {sql}"), line })
        }
    };
    let begin = format!("SET SESSION {limit}; START TRANSACTION READ ONLY");
    Ok(RunQuestion { begin, question, end: "ROLLBACK" })
}

fn table_line(row: &[Option<String>], columns: [usize; 5], estimate: usize) -> String {
    let value = |column: usize| row.get(column).cloned().flatten();
    let words = ["table", "access", "key", "ref", "extra"].into_iter().zip(columns);
    let told = words.filter_map(|(word, column)| Some(format!("{word}={}", value(column)?)));
    let told = told.collect::<Vec<_>>().join(" ");
    match value(estimate) {
        Some(rows) => format!("{told}  (rows={rows})"),
        None => told,
    }
}

/// `(actual time=0.02..0.03 rows=5 loops=1)` without the time.
fn tree_line(row: &[Option<String>]) -> String {
    let text = first_column(row);
    let mut pieces = text.split("actual time=");
    let first = pieces.next().unwrap_or_default().to_owned();
    let rest = |piece: &str| format!("actual {}", piece.split_once(' ').map_or("", |(_, rest)| rest));
    let rest: String = pieces.map(rest).collect();
    (first + &rest).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Vec<Option<String>> {
        text.split('|').map(|value| (value != "-").then(|| value.to_owned())).collect()
    }

    #[test]
    fn a_line_of_a_plan_ends_with_its_estimate() {
        let line = query_plan("SELECT 1").line;
        assert_eq!(
            line(&row("1|SIMPLE|t|-|range|k_1|k_1|4|-|100|100.00|Using where")),
            "table=t access=range key=k_1 extra=Using where  (rows=100)"
        );
        assert_eq!(
            line(&row("1|SIMPLE|t|range|k_1|k_1|4|-|100|Using where")),
            "table=t access=range key=k_1 extra=Using where  (rows=100)"
        );
    }

    #[test]
    fn actual_rows_are_told_without_times() {
        let tree = "-> Filter: (t.k > 1)  (cost=0.7 rows=2) (actual time=0.03..0.04 rows=1 loops=1)\n    \
                    -> Table scan on t  (cost=0.7 rows=4) (actual time=0.01..0.02 rows=4 loops=1)\n    \
                    -> Hash  (never executed)\n";
        let of = |tells| plan_run("SELECT 1", tells, Duration::from_millis(1500)).expect("told");
        assert!(of(TellsRows::Tree).begin.starts_with("SET SESSION max_execution_time = 1500; START"));
        assert!(of(TellsRows::Table).begin.starts_with("SET SESSION max_statement_time = 1.5; START"));
        assert_eq!(
            (of(TellsRows::Tree).question.line)(&row(tree)),
            "-> Filter: (t.k > 1)  (cost=0.7 rows=2) (actual rows=1 loops=1)\n    \
             -> Table scan on t  (cost=0.7 rows=4) (actual rows=4 loops=1)\n    \
             -> Hash  (never executed)"
        );
        let line = of(TellsRows::Table).question.line;
        let told = line(&row("1|SIMPLE|t|range|k_1|k_1|4|-|100|98.00|50.00|49.00|Using where"));
        assert_eq!(told, "table=t access=range key=k_1 extra=Using where  (rows=100) (actual rows=98.00)");
        let never = line(&row("1|SIMPLE|u|ref|k_1|k_1|4|t.id|1|-|100.00|-|Using index"));
        assert_eq!(never, "table=u access=ref key=k_1 ref=t.id extra=Using index  (rows=1) (never run)");
        assert!(plan_run("SELECT 1", TellsRows::Not("too old"), Duration::ZERO).is_err());
    }
}
