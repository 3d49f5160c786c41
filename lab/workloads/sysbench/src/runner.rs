//! How a statement is run: measured, or with its rows hashed. It is a type parameter and not a flag, so that the hot path
//! has no branch for it.

use humdrum_contract::{Answer, Outcome, Param, SqlSession, Statement};

pub(crate) trait Runner {
    type Out: Default;
    fn run(session: &mut dyn SqlSession, statement: Statement, params: &[Param<'_>]) -> Outcome<Self::Out>;
    fn run_text(session: &mut dyn SqlSession, sql: &str) -> Outcome<Self::Out>;
    fn add(sum: &mut Self::Out, more: Self::Out);
}

pub(crate) struct Measured;

impl Runner for Measured {
    type Out = u64;
    fn run(session: &mut dyn SqlSession, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        session.run(statement, params)
    }
    fn run_text(session: &mut dyn SqlSession, sql: &str) -> Outcome<u64> {
        session.run_text(sql)
    }
    fn add(sum: &mut u64, more: u64) {
        *sum += more;
    }
}

pub(crate) struct Checked;

impl Runner for Checked {
    type Out = Answer;
    fn run(session: &mut dyn SqlSession, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        session.run_checked(statement, params)
    }
    fn run_text(session: &mut dyn SqlSession, sql: &str) -> Outcome<Answer> {
        session.run_text_checked(sql)
    }
    fn add(sum: &mut Answer, more: Answer) {
        sum.rows += more.rows;
        sum.checksum = sum.checksum.wrapping_add(more.checksum);
    }
}
