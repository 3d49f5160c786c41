//! Queries and housekeeping of a SQL server around writes: numbers, quantities, and chores that end when a
//! number reaches a limit.

use humdrum_model::Fault;

use crate::{Outcome, SqlSession, TextRows};

/// A number that a server is asked for outside the measured path.
#[derive(Clone, Debug)]
pub struct Question {
    /// The query.
    pub sql: String,
    /// Finds the number in the answer; `None` if it is missing, which is a fault.
    pub number: fn(&TextRows) -> Option<f64>,
}

impl Question {
    /// A query whose first row's first value is the number.
    pub fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), number: |rows| number_at(rows, 0) }
    }

    /// Asks.
    ///
    /// # Errors
    /// As `SqlSession::query`, and if the answer holds no number.
    pub fn ask(&self, session: &mut dyn SqlSession) -> Outcome<f64> {
        let rows = session.query(&self.sql)?;
        let missing = || Fault::crash(format!("no number in the answer to `{}`", self.sql));
        (self.number)(&rows).ok_or_else(missing)
    }
}

/// The number in one column of the first row, for `Question::number`.
pub fn number_at(rows: &TextRows, column: usize) -> Option<f64> {
    rows.first()?.get(column)?.as_deref()?.trim().parse().ok()
}

/// One quantity of the state that writes leave behind. The same quantity has the same name on all engines:
/// `table_bytes`, `index_bytes`, `dead_rows`, `history_length`, `dirty_pages`, `checkpoint_age_bytes` (log
/// written since the last checkpoint).
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Name, with the unit last if it has one.
    pub name: &'static str,
    /// Unit (`bytes`, `rows`, `pages`, `transactions`).
    pub unit: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// The query for it.
    pub question: Question,
}

/// A step of housekeeping: statements, and then a wait until the work that they started is done.
#[derive(Clone, Debug, Default)]
pub struct Chore {
    /// Run in order, each to its end.
    pub statements: Vec<String>,
    /// Then polled until it holds.
    pub wait: Option<Wait>,
}

/// The condition for the end of a chore, because a statement may only start the work. The reference sleeps
/// for a fixed time instead.
#[derive(Clone, Debug)]
pub struct Wait {
    /// The awaited thing, as in "waiting for {what}".
    pub what: &'static str,
    /// Asked every few milliseconds.
    pub question: Question,
    /// Done when the number is this or less.
    pub at_most: f64,
}

impl Chore {
    /// Statements whose work is done when they return.
    pub fn of<T: Into<String>>(statements: impl IntoIterator<Item = T>) -> Self {
        Self { statements: statements.into_iter().map(Into::into).collect(), wait: None }
    }

    /// The same chore, done when `question` gives `at_most` or less.
    #[must_use]
    pub fn until(mut self, what: &'static str, question: Question, at_most: f64) -> Self {
        self.wait = Some(Wait { what, question, at_most });
        self
    }
}
