//! A statement of a script as a session can send it.

use humdrum_contract::{Dialect, Outcome, ParamType, SqlSession, Statement};

use crate::effect::counts_alike;
use crate::sql::Sql;
use crate::written::Protocol;

/// A statement that can be sent.
pub(super) struct Ready {
    pub(super) sql: Sql,
    /// `None`: sent as text.
    pub(super) prepared: Option<(Statement, Vec<usize>)>,
    /// Whether the rows that it returns or changes are counted.
    pub(super) counts: bool,
    pub(super) bound: Bound,
}

/// Where a transaction begins and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Begin,
    End,
    Neither,
}

/// Prepares a statement, unless it is sent as text or prepared each time.
pub(super) fn ready(
    sql: &Sql,
    protocol: Protocol,
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
) -> Outcome<Ready> {
    let sql = sql.spoken_by_all();
    let (bound, counts) = (bound(&sql), counts_alike(&sql));
    let (text, variables) = (sql.text(|number| dialect.placeholder(number)), sql.variables());
    let types = vec![ParamType::Inferred; variables.len()];
    let statement = match protocol {
        Protocol::Simple => None,
        Protocol::Extended => Some(session.prepare_each_time(&text, &types)?),
        Protocol::Prepared => Some(session.prepare(&text, &types)?),
    };
    Ok(Ready { sql, prepared: statement.map(|statement| (statement, variables)), counts, bound })
}

fn bound(sql: &Sql) -> Bound {
    let text = sql.text(|_| String::new()).to_ascii_uppercase();
    let mut words = text.split_whitespace();
    match (words.next(), words.next()) {
        (Some("BEGIN"), _) | (Some("START"), Some("TRANSACTION")) => Bound::Begin,
        (Some("COMMIT" | "ABORT"), _) | (Some("ROLLBACK"), None | Some("WORK" | "TRANSACTION")) => Bound::End,
        _ => Bound::Neither,
    }
}
