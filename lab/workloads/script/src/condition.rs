//! The conditions of a user's own workload: queries that must find no row, whatever its scripts have done.
//!
//! Unlike a checksum of the tables, a condition does not depend on the order in which several clients did their operations,
//! so that it is checked with any number of them.

use std::sync::Arc;

use humdrum_contract::{Column, Dialect, Fetched, Outcome, SqlSession};
use humdrum_model::{Fault, FaultKind};

use crate::effect::{Effect, begins_with};
use crate::machine::Machine;
use crate::parse::{Action, Script};
use crate::sql::Sql;
use crate::tables;

/// Values of the first row that are shown, and characters of each.
const SHOWN_VALUES: usize = 8;
const SHOWN_LETTERS: usize = 40;

/// First words of a query.
const QUERIES: [&str; 2] = ["SELECT", "WITH"];

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Its name.
    pub name: String,
    /// What it is, in one line, if that is given.
    pub about: Option<String>,
    /// Its query.
    script: Script,
}

impl Condition {
    /// A condition of a script that has a statement.
    ///
    /// # Errors
    /// Usage: the script is not one query.
    pub(crate) fn new(name: String, about: Option<String>, script: Script) -> Outcome<Self> {
        let refused = |number: usize, what: &str| {
            let place = script.commands.get(number).map(|command| command.place.clone());
            let hint =
                "write one SELECT that finds the rows that are wrong; the condition holds if it finds none";
            Fault::usage(what).at(place.unwrap_or_default()).hint(hint)
        };
        let other = |action: &Action| !matches!(action, Action::Sql(sql) if sql.keep.is_none());
        if let Some(number) = script.commands.iter().position(|command| other(&command.action)) {
            return Err(refused(number, "a condition has no commands that begin with a backslash"));
        }
        if script.commands.len() > 1 {
            return Err(refused(1, "a condition is a single statement, and this is a second one"));
        }
        if Effect::of(&script) != Effect::Reads {
            return Err(refused(0, "a condition changes and locks no rows, and this statement does"));
        }
        if !script.statements().all(|sql| begins_with(sql, &QUERIES)) {
            return Err(refused(0, "a condition is a query, and this is another statement"));
        }
        Ok(Self { name, about, script })
    }

    /// # Errors
    /// A wrong answer, if it does not hold; what the server says of the query.
    fn check(&self, session: &mut dyn SqlSession, scale: u64) -> Outcome<()> {
        let mut machine = Machine::new(Arc::new(self.script.clone()), 0, scale);
        let mut text = String::new();
        machine.begin(0);
        while let Some(number) = machine.next()? {
            let command = &self.script.commands[number];
            let Action::Sql(sql) = &command.action else { continue };
            let here = |fault: Fault| fault.at(command.place.clone());
            self.query(sql, &machine, session, &mut text).map_err(here)?;
        }
        Ok(())
    }

    fn query(
        &self,
        sql: &Sql,
        machine: &Machine,
        session: &mut dyn SqlSession,
        text: &mut String,
    ) -> Outcome<()> {
        machine.write(sql, text)?;
        let found = session.fetch_text(text)?;
        match found.rows.first() {
            None => Ok(()),
            Some(first) => Err(self.broken(&found, first)),
        }
    }

    fn broken(&self, found: &Fetched, first: &[Option<String>]) -> Fault {
        let about = self.about.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
        let others = match found.rows.len() - 1 {
            0 => String::new(),
            1 => ", and another row".to_owned(),
            more => format!(", and {more} other rows"),
        };
        let what = format!(
            "the condition {}{about} does not hold: the query found {}{others}",
            self.name,
            shown(&found.columns, first)
        );
        let hint = "the load or a script breaks it, its query is wrong, or the server lost or invented rows";
        Fault::new(FaultKind::WrongAnswer, what).hint(hint)
    }
}

/// Checks all conditions.
///
/// # Errors
/// A wrong answer, if one does not hold; what the server says of a query.
pub(crate) fn check(
    conditions: &[Condition],
    session: &mut dyn SqlSession,
    dialect: Option<&dyn Dialect>,
    scale: u64,
) -> Outcome<()> {
    if conditions.is_empty() {
        return Ok(());
    }
    tables::schema_sql(dialect)?.begin(session)?;
    conditions.iter().try_for_each(|condition| condition.check(session, scale))
}

/// A row as text: `w_id = 1, w_ytd = 300010.00`.
fn shown(columns: &[Column], row: &[Option<String>]) -> String {
    let value = |(number, value): (usize, &Option<String>)| {
        let value = value.as_deref().unwrap_or("NULL");
        let short: String = value.chars().take(SHOWN_LETTERS).collect();
        let dots = if short.len() < value.len() { "…" } else { "" };
        let name = columns.get(number).map(|column| format!("{} = ", column.name)).unwrap_or_default();
        format!("{name}{short}{dots}")
    };
    let mut values: Vec<String> = row.iter().enumerate().take(SHOWN_VALUES).map(value).collect();
    if row.len() > SHOWN_VALUES {
        values.push("…".to_owned());
    }
    if values.is_empty() { "a row".to_owned() } else { values.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn condition(text: &str) -> Outcome<Condition> {
        let script = Script::parse(&Source { file: "c.sql", text })?;
        Condition::new("sums".into(), Some("a = b".into()), script)
    }

    #[test]
    fn a_condition_is_one_query() {
        for text in [
            "SELECT 1 FROM t WHERE a <> :scale;",
            "-- about\n\n(SELECT a FROM t) EXCEPT (SELECT a FROM u)",
            "with x as (select 1) select * from x where 'INSERT' = 'b'",
        ] {
            assert!(condition(text).is_ok(), "{text}");
        }
        for (text, wanted) in [
            (
                "SELECT 1;\n SELECT 2;",
                "c.sql:2:2: a condition is a single statement, and this is a second one",
            ),
            ("\\set a 1\nSELECT :a;", "c.sql:1:1: a condition has no commands that begin with a backslash"),
            ("SELECT 1 \\gset", "c.sql:1:1: a condition has no commands that begin with a backslash"),
            ("DELETE FROM t;", "c.sql:1:1: a condition changes and locks no rows, and this statement does"),
            (
                "SELECT a FROM t FOR UPDATE;",
                "c.sql:1:1: a condition changes and locks no rows, and this statement does",
            ),
            ("SET a = 1;", "c.sql:1:1: a condition is a query, and this is another statement"),
        ] {
            let fault = condition(text).expect_err("refused");
            assert_eq!((fault.to_string().as_str(), fault.exit_code()), (wanted, 2));
            assert!(fault.hint.is_some());
        }
    }

    #[test]
    fn what_a_query_found_is_shown() {
        let column = |name: &str| Column { name: name.into(), is_integer: true };
        let mut found =
            Fetched { columns: vec![column("id"), column("sum")], rows: vec![vec![Some("7".into()), None]] };
        let said = |found: &Fetched| condition("SELECT 1").unwrap().broken(found, &found.rows[0]).what;
        let one = "the condition sums (a = b) does not hold: the query found id = 7, sum = NULL";
        assert_eq!(said(&found), one);
        found.rows.extend([vec![], vec![]]);
        assert_eq!(said(&found), format!("{one}, and 2 other rows"));
        let long = vec![Some("é".repeat(41)); 9];
        let shown = shown(&[], &long);
        assert!(shown.starts_with(&format!("{}…, ", "é".repeat(40))) && shown.ends_with("…, …"), "{shown}");
    }
}
