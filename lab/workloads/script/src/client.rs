//! One client of a test: runs the script of its test, or one of a mix, as an operation.

use std::sync::Arc;

use humdrum_contract::{
    Answer, Client, Dialect, Fetched, Operation, Outcome, Param, ParamType, Random, RowHash, SqlSession,
    Statement,
};
use humdrum_model::Fault;

use crate::effect::counts_alike;
use crate::machine::Machine;
use crate::parse::{Action, Script};
use crate::sql::Sql;
use crate::written::Protocol;

/// A transaction that the server rolled back for another session is run again at most so often.
const RETRIES_MAX: u32 = 100;

/// Parameters of one statement for which no heap is needed.
const FEW: usize = 16;

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
                let ready = ready(sql, protocol, &mut *session, dialect);
                ready.map(Some).map_err(|fault| fault.at(command.place.clone()))
            }
            _ => Ok(None),
        });
        let statements = statements.collect::<Outcome<Vec<_>>>()?;
        turns.push(Turn { machine, statements, weight: *weight });
    }
    let weights = turns.iter().map(|turn| turn.weight).sum();
    Ok(Box::new(ScriptClient { session, turns, weights, last: 0, text: String::new() }))
}

struct ScriptClient {
    session: Box<dyn SqlSession>,
    turns: Vec<Turn>,
    /// Sum of all weights.
    weights: u64,
    /// The script of the last operation.
    last: usize,
    /// The text being sent; kept so that the hot path does not allocate.
    text: String,
}

/// A script with its prepared statements.
struct Turn {
    machine: Machine,
    /// By command; `None` where it sends nothing.
    statements: Vec<Option<Ready>>,
    weight: u64,
}

/// A statement that can be sent.
struct Ready {
    sql: Sql,
    /// `None`: sent as text.
    prepared: Option<(Statement, Vec<usize>)>,
    /// Whether the rows that it returns or changes are counted.
    counts: bool,
    bound: Bound,
}

/// Where a transaction begins and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Begin,
    End,
    Neither,
}

fn ready(
    sql: &Sql,
    protocol: Protocol,
    session: &mut dyn SqlSession,
    dialect: &dyn Dialect,
) -> Outcome<Ready> {
    let sql = sql.spoken_by_all();
    let (bound, counts) = (bound(&sql), counts_alike(&sql));
    if protocol == Protocol::Simple {
        return Ok(Ready { sql, prepared: None, counts, bound });
    }
    let (text, variables) = (sql.text(|number| dialect.placeholder(number)), sql.variables());
    let statement = session.prepare(&text, &vec![ParamType::Inferred; variables.len()])?;
    Ok(Ready { sql, prepared: Some((statement, variables)), counts, bound })
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
        for (number, turn) in self.turns.iter().enumerate() {
            if left < turn.weight {
                return number;
            }
            left -= turn.weight;
        }
        0
    }

    /// Runs a script. A transaction that the server rolled back for another session is run again from its beginning, with
    /// the same numbers, and so is a single statement.
    fn run(&mut self, operation: Operation, checked: bool) -> Outcome<Answer> {
        let chosen = self.chosen(operation.seed);
        self.last = chosen;
        let Self { session, turns, text, .. } = self;
        let turn = &mut turns[chosen];
        turn.machine.begin(operation.seed);
        let (mut answer, mut before) = (Answer::default(), None);
        let mut retries = 0;
        while let Some(command) = turn.machine.next()? {
            let ready = turn.statements[command].as_ref();
            let (bound, counts) = ready.map_or((Bound::Neither, true), |ready| (ready.bound, ready.counts));
            if bound == Bound::Begin {
                turn.machine.save(command);
                before = Some(answer);
            }
            match turn.perform(command, &mut **session, text, checked) {
                Ok(one) => {
                    answer.rows += if counts { one.rows } else { 0 };
                    answer.checksum = answer.checksum.wrapping_mul(31).wrapping_add(one.checksum);
                    before = before.filter(|_| bound != Bound::End);
                }
                Err(fault) if fault.retryable && retries < RETRIES_MAX => {
                    retries += 1;
                    if let Some(earlier) = before.take() {
                        session.run_text("ROLLBACK")?;
                        turn.machine.restore();
                        answer = earlier;
                    } else {
                        turn.machine.again(command);
                    }
                }
                Err(fault) => return Err(fault.at(turn.machine.script.commands[command].place.clone())),
            }
        }
        Ok(answer)
    }
}

impl Turn {
    /// Sends the statement of a command.
    fn perform(
        &mut self,
        command: usize,
        session: &mut dyn SqlSession,
        text: &mut String,
        checked: bool,
    ) -> Outcome<Answer> {
        let Some(ready) = &self.statements[command] else { return Ok(Answer::default()) };
        let fetched = match &ready.prepared {
            Some((statement, variables)) => {
                let (mut few, mut many) = ([Param::Null; FEW], Vec::new());
                let params = match few.get_mut(..variables.len()) {
                    Some(few) => few,
                    None => {
                        many.resize(variables.len(), Param::Null);
                        &mut many[..]
                    }
                };
                for (slot, variable) in params.iter_mut().zip(variables) {
                    *slot = self.machine.param(*variable)?;
                }
                match ready.sql.keep {
                    Some(_) => session.fetch(*statement, params)?,
                    None if checked => return session.run_checked(*statement, params),
                    None => return session.run(*statement, params).map(counted),
                }
            }
            None => {
                self.machine.write(&ready.sql, text)?;
                match ready.sql.keep {
                    Some(_) => session.fetch_text(text)?,
                    None if checked => return session.run_text_checked(text),
                    None => return session.run_text(text).map(counted),
                }
            }
        };
        if let Some(keep) = &ready.sql.keep {
            self.machine.keep(keep, &fetched)?;
        }
        Ok(if checked { hashed(&fetched) } else { counted(fetched.rows.len() as u64) })
    }
}

fn counted(rows: u64) -> Answer {
    Answer { rows, checksum: 0 }
}

/// As sessions hash rows.
fn hashed(fetched: &Fetched) -> Answer {
    let row = |row: &Vec<Option<String>>| {
        let mut hash = RowHash::new(row.len());
        row.iter().for_each(|value| hash.value(value.as_deref().map(str::as_bytes)));
        hash.finish()
    };
    let checksum = fetched.rows.iter().map(row).fold(0_u64, u64::wrapping_add);
    Answer { rows: fetched.rows.len() as u64, checksum }
}

/// The fault of an engine that the lab cannot give such tables to.
pub(crate) fn no_schema() -> Fault {
    Fault::usage("this engine does not run a user's own workload").hint("take an engine that speaks SQL")
}
