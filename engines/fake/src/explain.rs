//! Query plans in a line each, and the rows of a statement that runs once.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::dialect::{EXPLAIN, RUN};
use crate::latency::{Shape, numbers_in};
use crate::queue;
use crate::session::rows_of;
use crate::state::State;

/// The answer, if `sql` asks for the plan of a statement or for its rows.
pub(crate) fn explain(state: &State, sql: &str) -> Option<Outcome<String>> {
    if let Some(statement) = sql.strip_prefix(EXPLAIN) {
        return Some(match state.script.no_explain {
            true => Err(Fault::environment("the server does not explain statements")),
            false => Ok(plan(state, statement).to_owned()),
        });
    }
    sql.strip_prefix(RUN).map(|statement| Ok(run_once(state, statement)))
}

/// How a statement is run. Tables that are queues are read by an index that has all that a query asks for.
fn plan(state: &State, statement: &str) -> &'static str {
    match queue::table_in(statement) {
        Some(_) if state.no_index() => "Seq Scan",
        Some(_) => "Index Only Scan",
        None => Shape::of(statement).plan(state.no_index()),
    }
}

/// The plan with the rows that the statement reads, estimated as one for an index and the whole table for a scan.
fn run_once(state: &State, statement: &str) -> String {
    let shape = Shape::of(statement);
    let mut numbers = Vec::new();
    numbers_in(statement, &mut numbers);
    let table_rows = rows_of(state, shape.table.as_deref());
    let rows = match queue::table_in(statement) {
        Some(table) => state.queues().run(table, statement, || false).rows,
        None => shape.work(&numbers, table_rows, state.version).rows,
    };
    let plan = plan(state, statement);
    let estimate = if plan.starts_with("Seq") { table_rows } else { 1 };
    format!("{plan}  (rows={estimate}) (actual rows={rows} loops=1)")
}
