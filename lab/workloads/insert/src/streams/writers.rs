//! The writing streams, and the look-up of the queue's least id for deletes.

use humdrum_contract::{Outcome, QueueSql, SqlSession, StatementStream};
use humdrum_model::{Fault, FaultKind};

use super::{Least, Place, id_of};
use crate::rows::{self, Rows};
use crate::schema;
use crate::table::BATCH;

/// Most deletes in a row that may find nothing. Clients that share a table may choose rows that another is deleting;
/// more than this is a wrong answer.
const FRUITLESS_MAX: u32 = 1000;

/// Most times that a statement is run again after the server rolled it back because of another session.
const RETRIES_MAX: u32 = 100;

/// A session that runs a statement again after the server rolled it back, as every concurrent writer must.
struct Retrying {
    session: Box<dyn SqlSession>,
    retries: u64,
}

impl Retrying {
    fn new(session: Box<dyn SqlSession>) -> Self {
        Self { session, retries: 0 }
    }

    fn run(&mut self, sql: &str) -> Outcome<u64> {
        for _ in 0..RETRIES_MAX {
            match self.session.run_text(sql) {
                Err(fault) if fault.retryable => self.retries += 1,
                outcome => return outcome,
            }
        }
        self.session.run_text(sql)
    }
}

/// Inserts rows. One statement is one transaction.
pub(super) struct Inserter {
    session: Retrying,
    rows: Rows,
    first_row: u64,
    per_statement: u64,
}

impl Inserter {
    pub(super) fn new(place: &Place<'_>, session: Box<dyn SqlSession>) -> Self {
        let rows = Rows::new(place.seed, place.client, &place.table, place.compat);
        let (first_row, per_statement) = (place.step.first_row(place.scale), place.step.rows_per_statement);
        Self { session: Retrying::new(session), rows, first_row, per_statement }
    }
}

impl StatementStream for Inserter {
    fn act(&mut self, number: u64) -> Outcome<u64> {
        let first = self.first_row + number * self.per_statement;
        self.session.run(self.rows.statement(first, self.per_statement))
    }

    fn retries(&self) -> u64 {
        self.session.retries
    }

    fn server_process(&self) -> Option<u32> {
        self.session.session.server_process()
    }
}

/// Builds the indexes of one table. With `--compat` it inserts one more batch first, as the reference does.
pub(super) struct Indexer {
    session: Box<dyn SqlSession>,
    batches: Vec<Rows>,
    first_row: u64,
    statements: Vec<String>,
    rows: u64,
}

impl Indexer {
    pub(super) fn new(place: &Place<'_>, session: Box<dyn SqlSession>, queue: &QueueSql) -> Self {
        let (seed, table) = (place.seed, &place.table);
        let sharing = place.scale.clients / place.scale.tables.max(1);
        let clients = place.client * sharing.max(1)..(place.client + 1) * sharing.max(1);
        let batches = clients.filter(|_| place.compat).map(|client| Rows::new(seed, client, table, true));
        Self {
            session,
            batches: batches.collect(),
            first_row: place.step.first_row(place.scale),
            statements: schema::index(queue, &place.table),
            rows: place.scale.rows,
        }
    }
}

impl StatementStream for Indexer {
    fn act(&mut self, _number: u64) -> Outcome<u64> {
        for batch in &mut self.batches {
            self.session.run_text(batch.statement(self.first_row, BATCH))?;
        }
        self.statements.iter().try_for_each(|sql| self.session.query(sql).map(drop))?;
        Ok(self.rows)
    }

    fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }
}

/// Deletes the oldest rows.
pub(super) struct Deleter {
    session: Retrying,
    least: Least,
    per_statement: u64,
    text: DeleteText,
}

/// The delete statement, in which only two numbers change. It does not use `std::fmt`, whose code is evicted from the
/// caches between two statements.
struct DeleteText {
    text: String,
    /// Bytes before the first number.
    head: usize,
    end: &'static str,
}

impl DeleteText {
    fn new(table: &str, takes_limit: bool) -> Self {
        let oldest = "transactionid >= ";
        let (text, end) = match takes_limit {
            true => (format!("DELETE FROM {table} WHERE {oldest}"), ""),
            false => (
                format!(
                    "DELETE FROM {table} WHERE transactionid IN (SELECT transactionid FROM {table} WHERE {oldest}"
                ),
                ")",
            ),
        };
        Self { head: text.len(), text, end }
    }

    fn of(&mut self, least: u64, rows: u64) -> &str {
        self.text.truncate(self.head);
        rows::push_number(&mut self.text, least);
        self.text.push_str(" ORDER BY transactionid ASC LIMIT ");
        rows::push_number(&mut self.text, rows);
        self.text.push_str(self.end);
        &self.text
    }
}

impl Deleter {
    pub(super) fn new(place: &Place<'_>, session: Box<dyn SqlSession>, queue: &QueueSql) -> Self {
        let text = DeleteText::new(&place.table, queue.delete_takes_limit);
        let (session, least) = (Retrying::new(session), place.least.clone());
        Self { session, least, per_statement: place.step.rows_per_statement, text }
    }
}

impl StatementStream for Deleter {
    fn act(&mut self, _number: u64) -> Outcome<u64> {
        let least = self.least.advance(self.per_statement);
        let (mut left, mut fruitless) = (self.per_statement, 0);
        while left > 0 {
            let deleted = self.session.run(self.text.of(least, left))?;
            if deleted > left {
                let what = format!("a DELETE with a limit of {left} says that it deleted {deleted} rows");
                return Err(Fault::new(FaultKind::WrongAnswer, what));
            }
            left -= deleted;
            fruitless = if deleted == 0 { fruitless + 1 } else { 0 };
            if fruitless == FRUITLESS_MAX {
                let what = format!("{FRUITLESS_MAX} deletes in a row found no row from id {least} on");
                return Err(Fault::new(FaultKind::WrongAnswer, what));
            }
        }
        Ok(self.per_statement)
    }

    fn retries(&self) -> u64 {
        self.session.retries
    }

    fn server_process(&self) -> Option<u32> {
        self.session.session.server_process()
    }
}

/// Looks up the least id. It shows how fast an engine skips deleted rows that are not removed yet.
pub(super) struct LookUp {
    session: Box<dyn SqlSession>,
    least: Least,
    sql: String,
}

impl LookUp {
    pub(super) fn new(place: &Place<'_>, session: Box<dyn SqlSession>) -> Self {
        let least = place.least.clone();
        Self { session, least, sql: format!("SELECT min(transactionid) FROM {}", place.table) }
    }
}

impl StatementStream for LookUp {
    fn act(&mut self, _number: u64) -> Outcome<u64> {
        self.least.raise(id_of(&mut *self.session, &self.sql)?);
        Ok(1)
    }

    fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletes_are_the_references() {
        let text = |takes_limit| DeleteText::new("pi1", takes_limit).of(7, 50).to_owned();
        assert_eq!(
            text(true),
            "DELETE FROM pi1 WHERE transactionid >= 7 ORDER BY transactionid ASC LIMIT 50"
        );
        assert_eq!(
            text(false),
            "DELETE FROM pi1 WHERE transactionid IN (SELECT transactionid FROM pi1 WHERE transactionid >= 7 \
             ORDER BY transactionid ASC LIMIT 50)"
        );
    }
}
