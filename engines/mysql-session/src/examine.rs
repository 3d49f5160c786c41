//! Queries for examinations: counters of a server, waits of its sessions, and query plans. They run outside
//! all measured blocks.

use humdrum_contract::PlanQuestion;

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

/// Table, access, index, what it is compared with, and remarks; estimates are left out. Later releases have two columns
/// more.
pub(crate) fn query_plan(sql: &str) -> PlanQuestion {
    let line = |row: &[Option<String>]| {
        let columns: [usize; 5] = if row.len() >= 12 { [2, 4, 6, 8, 11] } else { [2, 3, 5, 7, 9] };
        let value = |column: usize| row.get(column).cloned().flatten();
        let words = ["table", "access", "key", "ref", "extra"].into_iter().zip(columns);
        let told = words.filter_map(|(word, column)| Some(format!("{word}={}", value(column)?)));
        told.collect::<Vec<_>>().join(" ")
    };
    PlanQuestion { sql: format!("EXPLAIN {sql}"), line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_plan_has_no_estimates() {
        let row = |text: &str| -> Vec<Option<String>> {
            text.split('|').map(|value| (value != "-").then(|| value.to_owned())).collect()
        };
        let line = query_plan("SELECT 1").line;
        assert_eq!(
            line(&row("1|SIMPLE|t|-|range|k_1|k_1|4|-|100|100.00|Using where")),
            "table=t access=range key=k_1 extra=Using where"
        );
        assert_eq!(
            line(&row("1|SIMPLE|t|range|k_1|k_1|4|-|100|Using where")),
            "table=t access=range key=k_1 extra=Using where"
        );
    }
}
