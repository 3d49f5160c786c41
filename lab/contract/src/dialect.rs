//! Where SQL differs between engines.

use std::time::Duration;

use crate::{Chore, Gauge, Question, QueueSql, SchemaSql};

/// The query for a statement's plan, and the part of its answer that is the plan and not an estimate.
#[derive(Clone, Debug)]
pub struct PlanQuestion {
    /// The query.
    pub sql: String,
    /// One line of the plan from a row of the answer.
    pub line: fn(&[Option<String>]) -> String,
}

/// The query for what the threads of a server have waited for since it started, as the server itself counts it.
#[derive(Clone, Debug)]
pub struct WaitedQuestion {
    /// Its rows are the kind of a wait (`disk`, `lock`, `other`), the engine's own name of the event, how often threads waited
    /// for it, and for how many ns in all.
    pub sql: String,
    /// Why a server may have no rows, and what makes it count.
    pub off: &'static str,
}

/// The first column of a row, for `PlanQuestion::line` of a server that tells a plan as text.
pub fn first_column(row: &[Option<String>]) -> String {
    row.first().cloned().flatten().unwrap_or_default()
}

/// How a server runs a statement that reads and tells how many rows each step of its plan had.
#[derive(Clone, Debug)]
pub struct RunQuestion {
    /// The statements before it: they begin a transaction that may not write, and let the server itself end a run that takes too long.
    pub begin: String,
    /// The query that runs the statement; its lines have estimated and actual rows.
    pub question: PlanQuestion,
    /// The statement after it, also after a failure.
    pub end: &'static str,
}

/// Where SQL differs between engines. Everything else a workload writes is common to all.
pub trait Dialect: Send + Sync {
    /// The `n`th placeholder of a prepared statement, from 1.
    fn placeholder(&self, n: usize) -> String;
    /// Type of an integer primary key that the server numbers itself, `PRIMARY KEY` included.
    fn serial_primary_key(&self) -> &'static str;
    /// Text after the closing parenthesis of CREATE TABLE.
    fn table_options(&self) -> &'static str;
    /// Statements after a bulk load that leave no background work to do: vacuum, analyze, checkpoint.
    fn settle(&self, tables: &[String]) -> Vec<String>;
    /// One query whose single row is (rows, checksum) of a table's columns `id, k, c, pad`; the checksum is
    /// the same number on every engine and release.
    fn table_checksum(&self, table: &str) -> String;
    /// One query whose single value is the bytes of a table with its indexes.
    fn table_bytes(&self, table: &str) -> String;
    /// Statements that renew the optimizer's statistics and read a table and its indexes into memory.
    /// Statistics come from a random sample, which changes the time of a statement that is planned each time
    /// by several percent (`docs/host-effects.md`). If they were copied with the data, one sample would last
    /// for the whole run.
    fn prewarm(&self, table: &str) -> Vec<String>;
    /// The value that an INSERT passes for a primary key that the server generates; `None`: the column is
    /// left out.
    fn serial_value(&self) -> Option<&'static str> {
        None
    }
    /// The post-write step, in order. When the last chore is done, all work that acknowledged writes left behind is done
    /// (rows vacuumed or purged, pages flushed, a checkpoint written), and statistics are fresh. The step is timed: a
    /// chore must neither sleep nor do work that writes do not cause. A setting that a chore changes must be put back by a
    /// later chore; chores after a failed one are not run.
    fn post_write(&self, tables: &[String]) -> Vec<Chore> {
        vec![Chore::of(self.settle(tables))]
    }
    /// Quantities of one table; the workload adds them up over its tables. They must be cheap: no whole table
    /// is read. They are read after the test's connections are closed, so that counts of those sessions have
    /// arrived.
    fn table_state(&self, table: &str) -> Vec<Gauge> {
        let question = Question::new(self.table_bytes(table));
        let description = "size of tables and indexes";
        vec![Gauge { name: "bytes", unit: "bytes", description, question }]
    }
    /// How the engine defines a table that is used as a queue; `None`: not supported.
    fn queue(&self) -> Option<QueueSql> {
        None
    }
    /// How the engine treats tables that the lab did not design; `None`: not supported.
    fn schema(&self) -> Option<SchemaSql> {
        None
    }
    /// Quantities of the whole server: its debt (history not purged, pages and log not flushed).
    fn server_state(&self) -> Vec<Gauge> {
        Vec::new()
    }
    /// Queries whose rows are (name, value) of the engine's own counters, which only grow. A query that a release does
    /// not answer is skipped.
    fn counters(&self) -> Vec<String> {
        Vec::new()
    }
    /// How long counters may lag behind the work of sessions that have ended.
    fn counters_lag(&self) -> Duration {
        Duration::from_millis(20)
    }
    /// A query with a row for each of our sessions except the one that runs it: the kind of its present wait,
    /// one of `cpu`, `client`, `disk`, `lock`, `other`, and the engine's own name for it.
    fn waits(&self) -> Option<String> {
        None
    }
    /// How the server tells what its threads have waited for, those beside the sessions included. `None`: it does not count that.
    fn waited(&self) -> Option<WaitedQuestion> {
        None
    }
    /// The query for a statement's plan, without running the statement.
    fn query_plan(&self, _sql: &str) -> Option<PlanQuestion> {
        None
    }
    /// How a statement that reads is run once, for at most `timeout`, for the actual rows of its plan's steps.
    ///
    /// # Errors
    /// Why this release does not tell them, for a cell of a report.
    fn plan_run(&self, _sql: &str, _timeout: Duration) -> Result<RunQuestion, &'static str> {
        Err("this engine does not tell them")
    }
}
