//! Postgres' part of a table that is used as a queue.

use humdrum_contract::{Gauge, Question, QueueSql};

/// Ids that a session takes at a time, as the reference has it.
const IDS_AT_ONCE: u64 = 1000;

/// For one major release.
pub(crate) fn sql(major: u32) -> QueueSql {
    QueueSql {
        id_column: "bigserial PRIMARY KEY",
        time_type: "timestamp without time zone",
        table_options: "",
        ids_at_once: IDS_AT_ONCE,
        after_create: |table| vec![format!("ALTER SEQUENCE {table}_transactionid_seq CACHE {IDS_AT_ONCE}")],
        indexes_at_once: false,
        delete_takes_limit: false,
        forces_index: false,
        prepares_queries: true,
        table_gauges: live_rows,
        server_gauges: if major >= 10 { log_bytes } else { Vec::new },
    }
}

fn live_rows(table: &str) -> Vec<Gauge> {
    vec![Gauge {
        name: "live_rows",
        unit: "rows",
        description: "rows that are not deleted, by the server's own estimate",
        question: Question::new(format!("SELECT coalesce(pg_stat_get_live_tuples('{table}'::regclass), 0)")),
    }]
}

fn log_bytes() -> Vec<Gauge> {
    vec![Gauge {
        name: "log_bytes",
        unit: "bytes",
        description: "size of the log's files",
        question: Question::new("SELECT sum(size) FROM pg_ls_waldir()"),
    }]
}
