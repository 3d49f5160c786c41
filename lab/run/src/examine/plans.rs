//! Query plans: each server is asked for its plan of every statement. A statement whose plans differ then runs once on
//! each server, in a transaction that may not write, and the server tells the rows that each step of its plan had.

use std::time::Duration;

use humdrum_contract::{Connection, Dialect, Outcome, Server, SqlSession};
use humdrum_model::{Fault, FaultKind, PlanRows, PlanRun, QueryPlan, TestInfo};

use super::Examiner;
use crate::instance::Instance;
use crate::run::Run;

/// The server's own limit as a part of ours, so that it is the one who ends a run that takes too long.
const SERVER_FIRST: f64 = 0.9;

/// What is said of a statement for which a server gives no plan.
pub(crate) const NOT_EXPLAINED: &str = "has a statement that is not explained";

impl<'e> Examiner<'e, '_> {
    /// Statements of a test for which this subject has given no plan yet.
    fn unasked(&self, subject: usize, test: &TestInfo) -> Vec<String> {
        let scale = self.run.plan.scale_of(test);
        let statements = self.run.workload.sample_statements(test.own_name(), &scale);
        without_plan(statements, &self.plans, (&test.name, subject))
    }

    /// Statements of a test whose plans differ between the servers that are up, and which did not run on this one.
    fn not_run(&self, subject: usize, test: &TestInfo) -> Vec<String> {
        let mut statements = humdrum_explain::plans_differ(&self.plans, &test.name, &self.up);
        statements.retain(|statement| {
            let own =
                |run: &PlanRun| (run.subject, &run.test, &run.statement) == (subject, &test.name, statement);
            !self.plan_runs.iter().any(own)
        });
        statements
    }

    pub(super) fn has_questions(&self) -> bool {
        let asks = |subject: usize, test: &&TestInfo| {
            !self.unasked(subject, test).is_empty() || !self.not_run(subject, test).is_empty()
        };
        let tests = self.tests();
        self.subjects().into_iter().any(|subject| tests.iter().any(|test| asks(subject, test)))
    }

    /// The tests of the data set that the servers hold.
    fn tests(&self) -> Vec<&'e TestInfo> {
        self.run.plan.tests.iter().filter(|test| test.has_rows(self.data.rows)).collect()
    }

    pub(super) fn query_plans(&mut self) -> Result<(), Fault> {
        let run = self.run;
        for subject in self.subjects() {
            for test in self.tests() {
                run.check_interrupt()?;
                let statements = self.unasked(subject, test);
                let Some(instance) = self.roster.instance(subject) else { break };
                match plans_of(run, subject, instance, test, statements) {
                    Ok((plans, refused)) => {
                        plans.iter().try_for_each(|plan| self.store.append_query_plan(plan))?;
                        self.plans.extend(plans);
                        // Plans that are never there look like plans that never change.
                        if let Some(fault) = refused {
                            let how = NOT_EXPLAINED;
                            self.leave_out(subject, &test.name, how, &fault)?;
                        }
                    }
                    Err(fault) => {
                        // A server that is dead or hangs gives no other answer to the next test.
                        let ends = fault.kind == FaultKind::Timeout || !instance.server.is_running();
                        self.leave_out(subject, &test.name, "not asked for its query plans", &fault)?;
                        if ends {
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Actual rows. What a server does not tell is on record too, with the reason.
    pub(super) fn run_statements(&mut self) -> Result<(), Fault> {
        for subject in self.subjects() {
            for test in self.tests() {
                if !self.run_on(subject, test)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Runs a test's statements on one server. False: the server gives no further answer.
    fn run_on(&mut self, subject: usize, test: &TestInfo) -> Result<bool, Fault> {
        for statement in self.not_run(subject, test) {
            self.run.check_interrupt()?;
            let Some(instance) = self.roster.instance(subject) else { return Ok(false) };
            let Some(dialect) = instance.server.dialect() else { return Ok(false) };
            match rows_of(self.run, instance, dialect, &statement) {
                Ok(rows) => {
                    let one = PlanRun { test: test.name.clone(), subject, statement, rows };
                    self.store.append_plan_run(&one)?;
                    self.plan_runs.push(one);
                }
                Err(fault) => {
                    self.leave_out(subject, &test.name, "not asked for the rows of its plans", &fault)?;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// One server's query plans for the statements of one test, and the first refusal of a statement that it does not explain.
fn plans_of(
    run: &Run<'_>,
    subject: usize,
    instance: &Instance,
    test: &TestInfo,
    statements: Vec<String>,
) -> Result<(Vec<QueryPlan>, Option<Fault>), Fault> {
    let Some(dialect) = instance.server.dialect().filter(|_| !statements.is_empty()) else {
        return Ok((Vec::new(), None));
    };
    let mut connection = connect(run, instance)?;
    Ok(asked(connection.sql()?, dialect, (&test.name, subject), statements))
}

/// The statements of a test for which this subject has given no plan yet.
pub(crate) fn without_plan(
    mut statements: Vec<String>,
    known: &[QueryPlan],
    (test, subject): (&str, usize),
) -> Vec<String> {
    let own = |one: &&QueryPlan| one.subject == subject && one.test == test;
    statements.retain(|statement| !known.iter().filter(own).any(|one| one.statement == *statement));
    statements
}

/// The plans that a server tells of statements of one test, and the first refusal of a statement that it does not explain.
pub(crate) fn asked(
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
    (test, subject): (&str, usize),
    statements: Vec<String>,
) -> (Vec<QueryPlan>, Option<Fault>) {
    let (mut plans, mut refused) = (Vec::new(), None);
    for statement in statements {
        let Some(question) = dialect.query_plan(&statement) else { continue };
        match session.query(&question.sql) {
            Ok(rows) => {
                let lines = lines(&rows, question.line);
                plans.push(QueryPlan { test: test.to_owned(), subject, statement, lines });
            }
            Err(fault) => refused = refused.or(Some(fault)),
        }
    }
    (plans, refused)
}

/// The rows of one statement's steps on one server. An error is an interruption, or a server that is dead or hangs.
fn rows_of(
    run: &Run<'_>,
    instance: &Instance,
    dialect: &dyn Dialect,
    statement: &str,
) -> Result<PlanRows, Fault> {
    let ends = |kind| matches!(kind, FaultKind::Interrupted | FaultKind::Timeout);
    match told(run, &*instance.server, dialect, statement) {
        Err(fault) if ends(fault.kind) || !instance.server.is_running() => Err(fault),
        Err(fault) => Ok(PlanRows::NotTold(fault.to_string())),
        Ok(rows) => Ok(rows),
    }
}

/// Runs a statement once, for the rows of its plan's steps. It has a connection of its own, because one that failed may have broken
/// that of others.
///
/// # Errors
/// Any fault of the server.
pub(crate) fn told(
    run: &Run<'_>,
    server: &dyn Server,
    dialect: &dyn Dialect,
    statement: &str,
) -> Outcome<PlanRows> {
    if !reads(statement) {
        return Ok(PlanRows::NotTold("it may write, and is not run again for them".into()));
    }
    let asked = match dialect.plan_run(statement, timeout(run).mul_f64(SERVER_FIRST)) {
        Err(why) => return Ok(PlanRows::NotTold(why.to_owned())),
        Ok(asked) => asked,
    };
    let mut connection = server.connect(timeout(run))?;
    let session = connection.sql()?;
    session.query(&asked.begin)?;
    let answer = session.query(&asked.question.sql);
    // Where the statement failed, the transaction may have ended by itself.
    let ended = session.query(asked.end);
    let answer = answer?;
    ended?;
    Ok(PlanRows::Told(lines(&answer, asked.question.line)))
}

/// An answer is due in the time of an operation: the statement is one of those that the test runs.
fn connect(run: &Run<'_>, instance: &Instance) -> Outcome<Connection> {
    instance.server.connect(timeout(run))
}

/// The time in which a server answers an operation.
pub(crate) fn timeout(run: &Run<'_>) -> Duration {
    Duration::from_secs_f64(run.plan.design.timeout_seconds)
}

/// The lines of all rows; some servers give a whole plan as one row.
fn lines(rows: &[Vec<Option<String>>], line: fn(&[Option<String>]) -> String) -> Vec<String> {
    rows.iter().flat_map(|row| line(row).lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Whether a statement only reads, as far as its first word tells; the transaction refuses what a function in it writes.
fn reads(statement: &str) -> bool {
    let opens = |letter: char| letter.is_whitespace() || letter == '(';
    let mut start = statement.trim_start_matches(opens);
    while let Some((_, rest)) = comment(start) {
        start = rest.trim_start_matches(opens);
    }
    let word: String = start.chars().take_while(char::is_ascii_alphabetic).collect();
    ["SELECT", "WITH", "TABLE", "VALUES"].iter().any(|reads| word.eq_ignore_ascii_case(reads))
}

/// A comment at the beginning, and what follows it.
fn comment(text: &str) -> Option<(&str, &str)> {
    let line = text.strip_prefix("--").map(|rest| rest.split_once('\n').unwrap_or((rest, "")));
    // What MySQL runs of a comment is a statement to it.
    let block = || {
        text.strip_prefix("/*")
            .filter(|rest| !rest.starts_with(['!', 'M']))
            .and_then(|rest| rest.split_once("*/"))
    };
    line.or_else(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_write_are_known_by_their_first_word() {
        for sql in [
            "SELECT 1",
            " (select 1) UNION (SELECT 2)",
            "WITH a AS (SELECT 1) TABLE a",
            "values(1)",
            "/* app */ -- x\n (SELECT 1)",
        ] {
            assert!(reads(sql), "{sql}");
        }
        for sql in [
            "UPDATE t SET k = 1",
            "DELETE FROM t",
            "INSERT INTO t SELECT 1",
            "CALL p()",
            "",
            "SELECTED",
            "/*! DELETE FROM t */",
            "/* open SELECT",
            "-- SELECT 1",
        ] {
            assert!(!reads(sql), "{sql}");
        }
    }

    #[test]
    fn a_row_of_several_lines_is_several_lines() {
        let rows = [vec![Some("-> Sort\n    -> Table scan on t\n".to_owned())], vec![Some("end".to_owned())]];
        let first = |row: &[Option<String>]| row[0].clone().unwrap_or_default();
        assert_eq!(lines(&rows, first), ["-> Sort", "    -> Table scan on t", "end"]);
    }
}
