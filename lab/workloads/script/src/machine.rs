//! Runs a script's commands up to its next statement, and keeps its variables.

use std::sync::Arc;

use humdrum_contract::{Fetched, Outcome, Param, Random};
use humdrum_model::Fault;

use crate::evaluate::{DEFAULT_SEED, Variables};
use crate::parse::{Action, Script};
use crate::sql::{Keep, Piece, Sql};
use crate::value::Value;

/// One run of a script at a time.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) script: Arc<Script>,
    /// Values of the variables that every script has.
    automatic: [Value; 4],
    variables: Variables,
    /// The next command.
    at: usize,
    saved: Saved,
}

/// The state to which a transaction returns that is run again.
#[derive(Clone, Debug)]
struct Saved {
    at: usize,
    random: Random,
    values: Vec<Value>,
    texts: Vec<String>,
}

impl Machine {
    /// A machine for one client. The two seeds are the same in every run, so that runs can be compared.
    pub(crate) fn new(script: Arc<Script>, client: u32, scale: u64) -> Self {
        let numbers = [i64::from(client), scale.cast_signed(), DEFAULT_SEED, DEFAULT_SEED];
        let random = Random::new(0);
        let variables = Variables::new(&script.names, random);
        let saved = Saved { at: 0, random, values: Vec::new(), texts: Vec::new() };
        Self { script, automatic: numbers.map(Value::Int), variables, at: 0, saved }
    }

    /// Begins a run with this seed.
    pub(crate) fn begin(&mut self, seed: u64) {
        self.at = 0;
        self.variables.random = Random::new(seed);
        self.variables.values.fill(Value::Unset);
        self.variables.values[..self.automatic.len()].copy_from_slice(&self.automatic);
    }

    /// Goes on to the next statement, or the next command of a pipeline; returns its position among the commands, `None` at the end.
    pub(crate) fn next(&mut self) -> Outcome<Option<usize>> {
        while let Some(command) = self.script.commands.get(self.at) {
            self.at += 1;
            let here = |fault: Fault| fault.at(command.place.clone());
            match &command.action {
                Action::Sql(_) | Action::Pipeline(_) => return Ok(Some(self.at - 1)),
                Action::Set { variable, value } => {
                    let value = value.evaluate(&mut self.variables).map_err(here)?;
                    self.variables.set(*variable, value);
                }
                Action::Sample { samples, variables } => samples.draw(variables, &mut self.variables),
                Action::Unless { condition, target } => {
                    if !condition.evaluate(&mut self.variables).map_err(here)?.holds() {
                        self.at = *target;
                    }
                }
                Action::Jump(target) => self.at = *target,
            }
        }
        Ok(None)
    }

    /// Runs the statement at a position again next.
    pub(crate) fn again(&mut self, command: usize) {
        self.at = command;
    }

    /// Keeps the state before the statement at a position, for `restore`.
    pub(crate) fn save(&mut self, command: usize) {
        self.saved.at = command;
        self.saved.random = self.variables.random;
        self.saved.values.clone_from(&self.variables.values);
        self.saved.texts.clone_from(&self.variables.texts);
    }

    /// Returns to the state that was kept last.
    pub(crate) fn restore(&mut self) {
        self.at = self.saved.at;
        self.variables.random = self.saved.random;
        self.variables.values.clone_from(&self.saved.values);
        self.variables.texts.clone_from(&self.saved.texts);
    }

    /// The value of a variable for the server.
    pub(crate) fn param(&self, variable: usize) -> Outcome<Param<'_>> {
        Ok(match self.variables.values[variable] {
            Value::Null => Param::Null,
            Value::Bool(value) => Param::Bool(value),
            Value::Int(value) => Param::Long(value),
            Value::Double(_) | Value::Text => Param::Text(&self.variables.texts[variable]),
            Value::Unset => return Err(self.variables.unset(variable)),
        })
    }

    /// Writes a statement's text with the values in it.
    pub(crate) fn write(&self, sql: &Sql, out: &mut String) -> Outcome<()> {
        out.clear();
        for piece in &sql.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Variable(variable) => match self.param(*variable)? {
                    Param::Text(text) => out.push_str(text),
                    _ => out.push_str(&self.variables.values[*variable].to_string()),
                },
            }
        }
        Ok(())
    }

    /// Makes an answer's values variables.
    pub(crate) fn keep(&mut self, keep: &Keep, answer: &Fetched) -> Outcome<()> {
        if keep.one_row && answer.rows.len() != 1 {
            let fault =
                Fault::usage(format!("\\gset expects one row, and the answer has {}", answer.rows.len()));
            return Err(
                fault.hint("make the query return exactly one row, or take \\aset, which keeps the last one")
            );
        }
        let Some(row) = answer.rows.last() else { return Ok(()) };
        for (column, value) in answer.columns.iter().zip(row) {
            // A column that no later command reads has no variable.
            let name = format!("{}{}", keep.prefix, column.name);
            let Some(variable) = self.script.names.find(&name) else { continue };
            let whole = |text: &str| text.parse().ok().filter(|_| column.is_integer);
            match value.as_deref() {
                None => self.variables.set(variable, Value::Null),
                Some(text) => match whole(text) {
                    Some(number) => self.variables.set(variable, Value::Int(number)),
                    None => self.variables.set_text(variable, text),
                },
            }
        }
        Ok(())
    }
}
