//! Pipelines of a script: where they begin and end, as far as that is known before a script runs.
//!
//! As in pgbench, a pipeline may begin in a branch of `\if` and end behind it. What is wrong whichever branches are taken is
//! refused when the script is read, and the rest when it runs.

use humdrum_contract::{Engine, Outcome};
use humdrum_model::Fault;

use crate::parse::{Action, Command, Script};

/// A command of pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `\startpipeline`
    Start,
    /// `\syncpipeline`
    Sync,
    /// `\endpipeline`
    End,
}

/// Whether a pipeline may be open at a command; neither, if the command is never reached.
#[derive(Clone, Copy, Default)]
struct Reach {
    open: bool,
    closed: bool,
}

impl Reach {
    fn and(&mut self, other: Self) {
        self.open |= other.open;
        self.closed |= other.closed;
    }

    fn surely_open(self) -> bool {
        self.open && !self.closed
    }

    fn surely_closed(self) -> bool {
        self.closed && !self.open
    }
}

/// Refuses what is wrong in every run. Jumps lead forward alone, so that one walk sees all ways to a command before the command.
pub(crate) fn check(commands: &[Command]) -> Outcome<()> {
    let mut reach = vec![Reach::default(); commands.len() + 1];
    reach[0].closed = true;
    for (at, command) in commands.iter().enumerate() {
        let mut here = reach[at];
        let fault = match &command.action {
            Action::Pipeline(mark) => {
                let fault = misplaced(*mark, here.surely_open(), here.surely_closed());
                let reached = here.open || here.closed;
                here = Reach { open: reached && *mark != Mark::End, closed: reached && *mark == Mark::End };
                fault
            }
            Action::Sql(sql) if sql.keep.is_some() && here.surely_open() => Some(no_answer_yet()),
            Action::Unless { target, .. } => {
                reach[*target].and(here);
                None
            }
            Action::Jump(target) => {
                reach[*target].and(here);
                continue;
            }
            Action::Sql(_) | Action::Set { .. } | Action::Sample { .. } => None,
        };
        if let Some(fault) = fault {
            return Err(fault.at(command.place.clone()));
        }
        reach[at + 1].and(here);
    }
    let last = commands.iter().rev().find(|command| command.action == Action::Pipeline(Mark::Start));
    match last.filter(|_| reach[commands.len()].surely_open()) {
        Some(start) => Err(not_closed().at(start.place.clone())),
        None => Ok(()),
    }
}

/// The fault of a command that stands where a pipeline is open or closed.
pub(crate) fn misplaced(mark: Mark, open: bool, closed: bool) -> Option<Fault> {
    match mark {
        Mark::Start if open => {
            let fault = Fault::usage("a pipeline is open already");
            Some(fault.hint("end it first: \\endpipeline"))
        }
        Mark::Sync | Mark::End if closed => {
            let fault = Fault::usage("no pipeline is open here");
            Some(fault.hint("begin one before its first statement: \\startpipeline"))
        }
        _ => None,
    }
}

/// The fault of `\gset` and `\aset` in a pipeline.
pub(crate) fn no_answer_yet() -> Fault {
    Fault::usage("\\gset and \\aset are not allowed in a pipeline: the answer is read at its end")
        .hint("move the statement in front of \\startpipeline, or behind \\endpipeline")
}

/// The fault of a script that ends within a pipeline.
pub(crate) fn not_closed() -> Fault {
    Fault::usage("no \\endpipeline closes this \\startpipeline")
        .hint("write \\endpipeline behind the last statement")
}

impl Script {
    /// The place of its first pipeline.
    fn pipeline(&self) -> Option<&str> {
        let first = self.commands.iter().find(|command| matches!(command.action, Action::Pipeline(_)));
        first.map(|command| &*command.place)
    }

    /// Refuses pipelines.
    pub(crate) fn without_pipelines(&self, why: &str, hint: &str) -> Outcome<()> {
        match self.pipeline() {
            Some(place) => Err(Fault::usage(why).at(place.to_owned()).hint(hint)),
            None => Ok(()),
        }
    }

    /// Refuses pipelines for an engine that has none.
    pub(crate) fn suits(&self, engine: &dyn Engine) -> Outcome<()> {
        if engine.pipelines() {
            return Ok(());
        }
        let name = engine.name();
        self.without_pipelines(
            &format!("the protocol of {name} has no pipelines"),
            &format!(
                "take the lines of the pipeline out, measure the test without {name}, or name other --tests"
            ),
        )
    }
}
