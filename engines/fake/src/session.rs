//! A session: prepares, runs, loads; every call takes virtual time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use humdrum_contract::{
    Answer, Clock, Column, Fetched, Outcome, Param, ParamType, Pipeline, RowSource, SqlSession, Statement,
};
use humdrum_model::{FNV1A, Fault, fnv1a};

use crate::counted::counted;
use crate::dialect::{BYTES, CHECKSUM, EMPTY, OWED, SCHEMA, SETTLE, TABLES};
use crate::explain::explain;
use crate::latency::{Shape, numbers_in, numbers_of};
use crate::noise::Key;
use crate::pipeline::Piped;
use crate::queue;
use crate::state::{State, Table};
use crate::work::Work;

const LOAD_ROW_NS: f64 = 1_000.0;
const CHORE_NS: f64 = 200_000.0;
/// A statement that changes a queue, and each of its rows; a query takes longer, so that a run of seconds holds few.
const QUEUE_WRITE_NS: f64 = 20_000.0;
const QUEUE_WRITE_ROW_NS: f64 = 6_000.0;
const QUEUE_READ_NS: f64 = 500_000.0;

pub(crate) struct FakeSession {
    state: Arc<State>,
    /// The server's start that this session belongs to.
    start: u64,
    timeout: Duration,
    statements: Vec<Prepared>,
    texts: HashMap<String, Prepared>,
    numbers: Vec<i64>,
    pub(crate) piped: Piped,
}

/// A statement and its noise factor.
struct Prepared {
    shape: Shape,
    text: Key,
    /// Rows of its table, asked for once: sessions begin after loads.
    table_rows: Option<u64>,
    /// The session's luck with this statement: drawn from the first parameters it runs with, which follow from
    /// the plan's seed, the test and the session's number. So a resumed run draws the same.
    session_factor: Option<f64>,
}

impl Prepared {
    fn new(sql: &str) -> Self {
        Self { shape: Shape::of(sql), text: Key::of(sql), table_rows: None, session_factor: None }
    }

    /// Runs it with `numbers`; `given` identifies the statement and its parameters.
    fn perform(
        &mut self,
        state: &State,
        start: u64,
        timeout: Duration,
        numbers: &[i64],
        given: Key,
    ) -> Outcome<Answer> {
        let extra_rows = state.count_operation(start, timeout)?;
        let table_rows = *self.table_rows.get_or_insert_with(|| rows_of(state, self.shape.table.as_deref()));
        let mut work = self.shape.work(numbers, table_rows, state.version);
        if state.no_index() {
            work.ns += self.shape.without_index_ns(table_rows);
        }
        let own = given.and(state.key.number());
        // A statement without parameters of its own would have the same luck every time; it takes the clock's.
        let own = if self.shape.is_always_the_same(numbers) { own.and(state.clock.now_ns()) } else { own };
        let session =
            *self.session_factor.get_or_insert_with(|| own.normal_factor(state.script.session_noise));
        state.spend(&work, session * own.heavy_factor(state.script.noise), self.shape.writes);
        if self.shape.writes && state.is_done() {
            self.apply(state, given);
        }
        let rows = work.rows + extra_rows;
        // The same for every subject and release: only a wrong answer has another.
        Ok(Answer { rows, checksum: given.and(rows).number() })
    }

    /// Does to the table what the statement does, as far as tables are remembered. `given` identifies the
    /// statement and its parameters; sums do not depend on the order of statements, as those of real contents do
    /// not where operations touch different rows.
    fn apply(&self, state: &State, given: Key) {
        let Some(name) = &self.shape.table else { return };
        let mut tables = state.tables();
        let Some(table) = tables.get_mut(name) else { return };
        table.checksum = table.checksum.wrapping_add(given.number());
        table.rows = self.shape.rows_after(table.rows);
    }
}

/// Zero for a table that was not loaded.
pub(crate) fn rows_of(state: &State, table: Option<&str>) -> u64 {
    table.and_then(|name| state.tables().get(name).map(|table| table.rows)).unwrap_or(0)
}

impl Drop for FakeSession {
    fn drop(&mut self) {
        self.state.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

impl FakeSession {
    pub(crate) fn new(state: Arc<State>, timeout: Duration) -> Self {
        let start = state.starts();
        state.sessions.fetch_add(1, Ordering::Relaxed);
        let (statements, texts) = (Vec::new(), HashMap::new());
        Self { state, start, timeout, statements, texts, numbers: Vec::new(), piped: Piped::default() }
    }

    pub(crate) fn answer(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        numbers_of(params, &mut self.numbers);
        let Some(prepared) = self.statements.get_mut(statement.0 as usize) else {
            return Err(Fault::crash(format!("no prepared statement {}", statement.0)));
        };
        let given = prepared.text.and_params(params);
        prepared.perform(&self.state, self.start, self.timeout, &self.numbers, given)
    }

    /// A statement on a table that is used as a queue.
    fn answer_queue(&mut self, table: &str, sql: &str) -> Outcome<Answer> {
        let state = Arc::clone(&self.state);
        let extra_rows = state.count_operation(self.start, self.timeout)?;
        let found = state.queues().run(table, sql, || state.is_done());
        let ns = match found.writes {
            true => QUEUE_WRITE_NS + found.rows as f64 * QUEUE_WRITE_ROW_NS,
            false => QUEUE_READ_NS,
        };
        let own = Key::of(sql).and(state.key.number());
        state.spend(&Work { ns, ..Work::default() }, own.heavy_factor(state.script.noise), found.writes);
        Ok(Answer { rows: found.rows + extra_rows, checksum: own.number() })
    }

    fn answer_text(&mut self, sql: &str) -> Outcome<Answer> {
        if let Some(table) = queue::table_in(sql) {
            return self.answer_queue(table, sql);
        }
        numbers_in(sql, &mut self.numbers);
        // Literal inserts are one statement, however their values differ.
        let kind = sql.split(" VALUES ").next().unwrap_or(sql);
        if !self.texts.contains_key(kind) {
            self.texts.insert(kind.to_owned(), Prepared::new(sql));
        }
        let Some(prepared) = self.texts.get_mut(kind) else { return Ok(Answer::default()) };
        let given = Key::of(sql);
        prepared.perform(&self.state, self.start, self.timeout, &self.numbers, given)
    }

    /// Work outside the measured path.
    fn chore(&self, ns: f64) -> Outcome<()> {
        self.state.answers(self.start, self.timeout)?;
        self.state.spend(&Work { ns, ..Work::default() }, 1.0, false);
        Ok(())
    }

    /// Answers what the lab asks of schemas that it did not design.
    fn of_schema(&self, sql: &str) -> Option<Vec<Vec<Option<String>>>> {
        match sql {
            SCHEMA => return Some(vec![vec![Some("fake".to_owned())]]),
            EMPTY => self.state.tables().clear(),
            TABLES => {
                return Some(self.state.tables().keys().map(|name| vec![Some(name.clone())]).collect());
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn table(&self, name: &str) -> Table {
        self.state.tables().get(name.trim()).copied().unwrap_or_default()
    }
}

impl SqlSession for FakeSession {
    fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>> {
        self.chore(CHORE_NS)?;
        let row = |values: &[u64]| vec![values.iter().map(|value| Some(value.to_string())).collect()];
        if let Some(name) = sql.strip_prefix(CHECKSUM) {
            let table = self.table(name);
            return Ok(row(&[table.rows, table.checksum]));
        }
        if let Some(name) = sql.strip_prefix(BYTES) {
            return Ok(row(&[self.table(name).bytes]));
        }
        if let Some(answer) = self.of_schema(sql) {
            return Ok(answer);
        }
        if sql == OWED {
            return Ok(row(&[self.state.owed_ns()]));
        }
        if let Some(counted) = counted(&self.state, sql) {
            return Ok(counted);
        }
        if let Some(line) = explain(&self.state, sql) {
            return Ok(vec![vec![Some(line?)]]);
        }
        if sql.starts_with(SETTLE) {
            self.state.settle();
            return Ok(Vec::new());
        }
        if let Some(answer) = queue::table_in(sql).and_then(|table| self.state.queues().answer(table, sql)) {
            return Ok(row(&answer));
        }
        Ok(self
            .state
            .define(sql)
            .map_or_else(Vec::new, |Table { rows, checksum, .. }| row(&[rows, checksum])))
    }

    fn prepare(&mut self, sql: &str, _params: &[ParamType]) -> Outcome<Statement> {
        self.chore(CHORE_NS)?;
        self.statements.push(Prepared::new(sql));
        Ok(Statement(self.statements.len() as u32 - 1))
    }

    fn prepare_each_time(&mut self, sql: &str, _params: &[ParamType]) -> Outcome<Statement> {
        self.statements.push(Prepared::new(sql));
        Ok(Statement(self.statements.len() as u32 - 1))
    }

    fn run(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        self.answer(statement, params).map(|answer| answer.rows)
    }

    fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        self.answer_text(sql).map(|answer| answer.rows)
    }

    fn run_checked(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        self.answer(statement, params)
    }

    fn run_text_checked(&mut self, sql: &str) -> Outcome<Answer> {
        self.answer_text(sql)
    }

    /// No rows are held.
    fn fetch(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<Fetched> {
        self.answer(statement, params).map(|_| Fetched::default())
    }

    /// No rows are held, and a server that violates has one all the same.
    fn fetch_text(&mut self, sql: &str) -> Outcome<Fetched> {
        self.answer_text(sql)?;
        if !self.state.violates() {
            return Ok(Fetched::default());
        }
        let columns = vec![Column { name: "found".to_owned(), is_integer: true }];
        Ok(Fetched { columns, rows: vec![vec![Some("1".to_owned())]] })
    }

    fn load(&mut self, table: &str, _columns: &[&str], rows: &mut dyn RowSource) -> Outcome<u64> {
        if self.state.script.load_fails {
            self.state.log("fake: refuses the load, as ordered");
            return Err(Fault::environment(format!("the server refused rows for {table}")));
        }
        let mut loaded = Table::default();
        let mut row = Vec::new();
        while rows.next_row(&mut row) {
            loaded.rows += 1;
            loaded.bytes += row.len() as u64 + 40;
            loaded.checksum = loaded.checksum.wrapping_add(fnv1a(FNV1A, &row));
            row.clear();
        }
        self.state.know_run(loaded.checksum);
        self.chore(loaded.rows as f64 * LOAD_ROW_NS)?;
        let mut tables = self.state.tables();
        let entry = tables.entry(table.to_ascii_lowercase()).or_default();
        entry.rows += loaded.rows;
        entry.bytes += loaded.bytes;
        entry.checksum = entry.checksum.wrapping_add(loaded.checksum);
        Ok(loaded.rows)
    }

    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.timeout = timeout;
        Ok(())
    }

    fn pipeline(&mut self) -> Option<&mut dyn Pipeline> {
        Some(self)
    }

    fn server_process(&self) -> Option<u32> {
        None
    }
}
