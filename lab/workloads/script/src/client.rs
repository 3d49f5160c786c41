//! One client of a test: runs the script of its test, or one of a mix, as an operation.

use std::sync::Arc;

use humdrum_contract::{Answer, Client, Dialect, Operation, Outcome, Random, SqlSession};
use humdrum_model::Fault;

use crate::machine::Machine;
use crate::parse::{Action, Script};
use crate::written::Protocol;

mod pipe;
mod ready;
mod turn;

use pipe::Pipe;
use turn::{Line, Turn};

/// Chooses among the scripts of a mix by numbers of its own.
const CHOICE: u64 = 0x6d69_7800;

/// A script and its weight in a mix.
pub(crate) type Part = (Arc<Script>, u64);

/// Opens the client of a test.
pub(crate) fn open(
    parts: &[Part],
    protocol: Protocol,
    mut session: Box<dyn SqlSession>,
    dialect: &dyn Dialect,
    (client, scale): (u32, u64),
) -> Outcome<Box<dyn Client>> {
    let mut turns = Vec::new();
    for (script, weight) in parts {
        let machine = Machine::new(Arc::clone(script), client, scale);
        let statements = script.commands.iter().map(|command| match &command.action {
            Action::Sql(sql) => {
                let ready = ready::ready(sql, protocol, &mut *session, dialect);
                ready.map(Some).map_err(|fault| fault.at(command.place.clone()))
            }
            _ => Ok(None),
        });
        let statements = statements.collect::<Outcome<Vec<_>>>()?;
        turns.push((Turn { machine, statements }, *weight));
    }
    let weights = turns.iter().map(|(_, weight)| weight).sum();
    Ok(Box::new(ScriptClient {
        session,
        turns,
        weights,
        last: 0,
        text: String::new(),
        pipe: Pipe::default(),
    }))
}

struct ScriptClient {
    session: Box<dyn SqlSession>,
    /// With their weights.
    turns: Vec<(Turn, u64)>,
    /// Sum of all weights.
    weights: u64,
    /// The script of the last operation.
    last: usize,
    /// The text being sent; kept so that the hot path does not allocate.
    text: String,
    pipe: Pipe,
}

impl Client for ScriptClient {
    fn operate(&mut self, operation: Operation) -> Outcome<u64> {
        self.run(operation, false).map(|answer| answer.rows)
    }

    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer> {
        self.run(operation, true)
    }

    fn scripts(&self) -> usize {
        self.turns.len()
    }

    fn script(&self) -> usize {
        self.last
    }

    fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }
}

impl ScriptClient {
    /// The script of an operation: by its seed and the weights.
    fn chosen(&self, seed: u64) -> usize {
        if self.turns.len() == 1 {
            return 0;
        }
        let mut left = Random::of(seed, CHOICE).below(self.weights);
        for (number, (_, weight)) in self.turns.iter().enumerate() {
            if left < *weight {
                return number;
            }
            left -= weight;
        }
        0
    }

    /// Runs the script of an operation.
    fn run(&mut self, operation: Operation, checked: bool) -> Outcome<Answer> {
        let chosen = self.chosen(operation.seed);
        self.last = chosen;
        let Self { session, turns, text, pipe, .. } = self;
        let mut line = Line { session: &mut **session, text, pipe, checked };
        let answer = turns[chosen].0.run(operation.seed, &mut line);
        if answer.is_err() {
            pipe.leave(&mut **session);
        }
        answer
    }
}

/// The fault of an engine that the lab cannot give such tables to.
pub(crate) fn no_schema() -> Fault {
    Fault::usage("this engine does not run a user's own workload").hint("take an engine that speaks SQL")
}
