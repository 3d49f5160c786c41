//! A script: commands in order, from the text of a file.

use humdrum_contract::Outcome;

use crate::control::Control;
use crate::expression::Expression;
use crate::names::Names;
use crate::pipeline::{self, Mark};
use crate::sample::{Alone, Opener, Samples};
use crate::source::Source;
use crate::sql::{self, Sql};

/// A script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// In order; jumps give positions.
    pub commands: Vec<Command>,
    /// Its variables.
    pub names: Names,
}

/// A command and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// `FILE:LINE:COLUMN`.
    pub place: String,
    /// What it does.
    pub action: Action,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Sends a statement.
    Sql(Sql),
    /// Gives a variable a value.
    Set {
        /// The variable.
        variable: usize,
        /// Its value.
        value: Expression,
    },
    /// Gives variables the values of a row of a file.
    Sample {
        /// The file's rows.
        samples: Samples,
        /// By column.
        variables: Vec<usize>,
    },
    /// Goes on at a position unless a condition holds.
    Unless {
        /// The condition.
        condition: Expression,
        /// The position.
        target: usize,
    },
    /// Goes on at a position.
    Jump(usize),
    /// Begins, synchronizes or ends a pipeline.
    Pipeline(Mark),
}

impl Script {
    /// Reads a script that names no files.
    ///
    /// # Errors
    /// Usage, with file, line and column.
    pub fn parse(source: &Source<'_>) -> Outcome<Self> {
        Self::parse_with(source, &mut Alone)
    }

    /// Reads a script, and the files that it names.
    ///
    /// # Errors
    /// Usage, with file, line and column.
    pub fn parse_with(source: &Source<'_>, opener: &mut dyn Opener) -> Outcome<Self> {
        let (mut commands, mut names) = (Vec::new(), Names::default());
        let (mut control, mut at) = (Control::default(), 0);
        while at < source.text.len() {
            let rest = source.rest(at);
            let start = at + rest.len() - rest.trim_start().len();
            if source.rest(start).starts_with('\\') && !source.rest(start).starts_with("\\;") {
                at = control.read(source, start, &mut names, &mut commands, opener)?;
                continue;
            }
            if source.rest(start).starts_with("--") {
                at = start + source.rest(start).find('\n').unwrap_or(source.rest(start).len());
                continue;
            }
            let (sql, behind, _) = sql::statement(source, start, &mut names)?;
            if !sql.pieces.is_empty() {
                commands.push(Command { place: source.place(start), action: Action::Sql(sql) });
            }
            at = behind;
        }
        control.finish(source)?;
        pipeline::check(&commands)?;
        Ok(Self { commands, names })
    }

    /// Its statements.
    pub fn statements(&self) -> impl Iterator<Item = &Sql> {
        self.commands.iter().filter_map(|command| match &command.action {
            Action::Sql(sql) => Some(sql),
            _ => None,
        })
    }
}
