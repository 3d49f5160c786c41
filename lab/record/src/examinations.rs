//! Appending and reading examinations and query plans.

use humdrum_model::{Examination, Fault, PlanRun, QueryPlan};
use rusqlite::{Result, Row, params};

use crate::json::{from_json, signed, to_json, unsigned};
use crate::store::Store;

impl Store {
    /// Appends an examination.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_examination(&mut self, one: &Examination) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let Examination { test, round, subject, operations, wall_ns, counters, samples, waits } = one;
            let sql = "INSERT INTO look (test, round, subject, operations, wall_ns, counters, samples, waits) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let (subject, operations, wall_ns) = (*subject as i64, signed(*operations), signed(*wall_ns));
            let (counters, samples, waits) = (to_json(counters)?, signed(*samples), to_json(waits)?);
            let row = params![test, round, subject, operations, wall_ns, counters, samples, waits];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }

    /// Appends a plan.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_query_plan(&mut self, plan: &QueryPlan) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let QueryPlan { test, subject, statement, lines } = plan;
            let sql = "INSERT INTO query_plan (test, subject, statement, lines) VALUES (?1, ?2, ?3, ?4)";
            let row = params![test, *subject as i64, statement, to_json(lines)?];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }

    /// Appends the rows of a plan's steps.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_plan_run(&mut self, run: &PlanRun) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let PlanRun { test, subject, statement, rows } = run;
            let sql = "INSERT INTO plan_run (test, subject, statement, rows) VALUES (?1, ?2, ?3, ?4)";
            let row = params![test, *subject as i64, statement, to_json(rows)?];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }
}

pub(crate) fn examination(row: &Row<'_>) -> Result<Examination> {
    Ok(Examination {
        test: row.get("test")?,
        round: row.get("round")?,
        subject: unsigned(row.get("subject")?) as usize,
        operations: unsigned(row.get("operations")?),
        wall_ns: unsigned(row.get("wall_ns")?),
        counters: from_json(row.get_ref("counters")?.as_str()?)?,
        samples: unsigned(row.get("samples")?),
        waits: from_json(row.get_ref("waits")?.as_str()?)?,
    })
}

pub(crate) fn query_plan(row: &Row<'_>) -> Result<QueryPlan> {
    Ok(QueryPlan {
        test: row.get("test")?,
        subject: unsigned(row.get("subject")?) as usize,
        statement: row.get("statement")?,
        lines: from_json(row.get_ref("lines")?.as_str()?)?,
    })
}

pub(crate) fn plan_run(row: &Row<'_>) -> Result<PlanRun> {
    Ok(PlanRun {
        test: row.get("test")?,
        subject: unsigned(row.get("subject")?) as usize,
        statement: row.get("statement")?,
        rows: from_json(row.get_ref("rows")?.as_str()?)?,
    })
}
