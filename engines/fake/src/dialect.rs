//! The fake server's SQL: the common one, with words of its own for questions that it answers from
//! memory.

use std::time::Duration;

use humdrum_contract::{
    Dialect, Gauge, PlanQuestion, Question, QueueSql, RunQuestion, SchemaSql, WaitedQuestion, first_column,
};

/// Prefix of a question for (rows, checksum).
pub(crate) const CHECKSUM: &str = "FAKE CHECKSUM ";
/// The query for the schema's name.
pub(crate) const SCHEMA: &str = "FAKE SCHEMA";
/// The query for the tables' names.
pub(crate) const TABLES: &str = "FAKE TABLES";
/// The statement that drops all tables.
pub(crate) const EMPTY: &str = "FAKE EMPTY";
/// Prefix of a question for bytes.
pub(crate) const BYTES: &str = "FAKE BYTES ";
/// A question for (name, value) of what the server counts.
pub(crate) const COUNTERS: &str = "FAKE COUNTERS";
/// A question for (kind, event, times, ns) of what sessions waited for.
pub(crate) const WAITED: &str = "FAKE WAITED";
/// Prefix of a question for how a statement is run.
pub(crate) const EXPLAIN: &str = "FAKE EXPLAIN ";
/// Prefix of a question that runs a statement and tells its rows; `LOOK` begins and ends what may not write.
pub(crate) const RUN: &str = "FAKE RUN ";
const LOOK: &str = "FAKE LOOK";
/// The query for the debt in nanoseconds of work.
pub(crate) const OWED: &str = "FAKE OWED";
/// Prefix of the statement that pays the debt.
pub(crate) const SETTLE: &str = "FAKE SETTLE ";

pub(crate) struct FakeDialect;

impl Dialect for FakeDialect {
    fn placeholder(&self, n: usize) -> String {
        format!("${n}")
    }

    fn serial_primary_key(&self) -> &'static str {
        "SERIAL PRIMARY KEY"
    }

    fn table_options(&self) -> &'static str {
        ""
    }

    fn settle(&self, tables: &[String]) -> Vec<String> {
        tables.iter().map(|table| format!("{SETTLE}{table}")).collect()
    }

    fn table_checksum(&self, table: &str) -> String {
        format!("{CHECKSUM}{table}")
    }

    fn table_bytes(&self, table: &str) -> String {
        format!("{BYTES}{table}")
    }

    fn prewarm(&self, table: &str) -> Vec<String> {
        vec![format!("{SETTLE}{table}")]
    }

    fn queue(&self) -> Option<QueueSql> {
        Some(QueueSql {
            id_column: "bigserial PRIMARY KEY",
            time_type: "timestamp",
            table_options: "",
            ids_at_once: 1,
            after_create: |_| Vec::new(),
            indexes_at_once: true,
            delete_takes_limit: true,
            forces_index: false,
            prepares_queries: false,
            table_gauges: |_| Vec::new(),
            server_gauges: Vec::new,
        })
    }

    fn schema(&self) -> Option<SchemaSql> {
        Some(SchemaSql {
            names: &["fake"],
            session: &[],
            schema: SCHEMA,
            empty: |_| vec![EMPTY.to_owned()],
            tables: TABLES,
            columns: "FAKE COLUMNS",
            checksum: |table, _| format!("{CHECKSUM}{table}"),
            settle: |tables| tables.iter().map(|table| format!("{SETTLE}{table}")).collect(),
            analyze: |table| format!("{SETTLE}{table}"),
        })
    }

    fn server_state(&self) -> Vec<Gauge> {
        vec![Gauge {
            name: "owed_ns",
            unit: "ns",
            description: "work that writes have put off",
            question: Question::new(OWED),
        }]
    }

    fn counters(&self) -> Vec<String> {
        vec![COUNTERS.to_owned()]
    }

    fn waited(&self) -> Option<WaitedQuestion> {
        Some(WaitedQuestion { sql: WAITED.to_owned(), off: "it was told to: leave out +counts_no_waits" })
    }

    fn query_plan(&self, sql: &str) -> Option<PlanQuestion> {
        Some(PlanQuestion { sql: format!("{EXPLAIN}{sql}"), line: first_column })
    }

    fn plan_run(&self, sql: &str, _timeout: Duration) -> Result<RunQuestion, &'static str> {
        let question = PlanQuestion { sql: format!("{RUN}{sql}"), line: first_column };
        Ok(RunQuestion { begin: LOOK.to_owned(), question, end: LOOK })
    }
}
