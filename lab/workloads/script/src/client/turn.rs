//! One script of a client: sends its statements, alone or in pipelines, and runs transactions again that the server rolled back.

use humdrum_contract::{Answer, Fetched, Outcome, Param, Pipeline, RowHash, SqlSession};
use humdrum_model::Fault;

use super::pipe::Pipe;
use super::ready::{Bound, Ready};
use crate::machine::Machine;
use crate::parse::Action;
use crate::pipeline::{Mark, misplaced, no_answer_yet, not_closed};

/// A transaction that the server rolled back for another session is run again at most so often.
const RETRIES_MAX: u32 = 100;

/// Parameters of one statement for which no heap is needed.
const FEW: usize = 16;

/// A script with its prepared statements.
pub(super) struct Turn {
    pub(super) machine: Machine,
    /// By command; `None` where it sends nothing.
    pub(super) statements: Vec<Option<Ready>>,
}

/// What statements are sent over.
pub(super) struct Line<'a> {
    pub(super) session: &'a mut dyn SqlSession,
    /// The text being sent.
    pub(super) text: &'a mut String,
    pub(super) pipe: &'a mut Pipe,
    /// Rows are hashed.
    pub(super) checked: bool,
}

impl Turn {
    /// Runs the script. A transaction that the server rolled back for another session is run again from its beginning, with
    /// the same numbers, and so is a single statement, and a pipeline of which nothing is committed.
    pub(super) fn run(&mut self, seed: u64, line: &mut Line<'_>) -> Outcome<Answer> {
        self.machine.begin(seed);
        let (mut answer, mut before) = (Answer::default(), None);
        let mut retries = 0;
        while let Some(command) = self.machine.next()? {
            let begins = self.begins(command, line.pipe, before.is_some());
            if begins {
                self.machine.save(command);
                before = Some(answer);
            }
            match self.perform(command, begins, line, &mut answer) {
                Ok(bound) => before = before.filter(|_| bound != Bound::End),
                Err(fault) if fault.retryable && retries < RETRIES_MAX && !self.has_committed(line.pipe) => {
                    retries += 1;
                    line.pipe.leave(line.session);
                    if let Some(earlier) = before.take() {
                        line.session.run_text("ROLLBACK")?;
                        self.machine.restore();
                        answer = earlier;
                    } else {
                        self.machine.again(command);
                    }
                }
                Err(fault) => return Err(fault.at(self.place(command, line.pipe))),
            }
        }
        if line.pipe.open {
            let starts = self.machine.script.commands.iter().rev();
            let mut starts = starts.filter(|command| command.action == Action::Pipeline(Mark::Start));
            let place = starts.next().map(|start| start.place.clone());
            return Err(not_closed().at(place.unwrap_or_default()));
        }
        Ok(answer)
    }

    fn bound(&self, command: usize) -> Bound {
        self.statements[command].as_ref().map_or(Bound::Neither, |ready| ready.bound)
    }

    /// Whether a command begins what is run again as a whole. A pipeline does, outside of transactions; BEGIN within one does not.
    fn begins(&self, command: usize, pipe: &Pipe, in_transaction: bool) -> bool {
        match self.machine.script.commands[command].action {
            Action::Pipeline(Mark::Start) => !in_transaction,
            _ => !pipe.open && self.bound(command) == Bound::Begin,
        }
    }

    fn has_committed(&self, pipe: &Pipe) -> bool {
        pipe.has_committed(|command| self.bound(command))
    }

    /// The place of the statement that failed.
    fn place(&self, command: usize, pipe: &Pipe) -> String {
        let commands = &self.machine.script.commands;
        let ended = pipe.open && commands[command].action == Action::Pipeline(Mark::End);
        let failed = pipe.sent.get(pipe.answered).filter(|_| ended);
        commands[*failed.unwrap_or(&command)].place.clone()
    }

    /// Sends the statement of a command, or does a command of a pipeline. Adds the answers that it reads, and says where that
    /// leaves a transaction.
    fn perform(
        &mut self,
        command: usize,
        begins: bool,
        line: &mut Line<'_>,
        answer: &mut Answer,
    ) -> Outcome<Bound> {
        if let Action::Pipeline(mark) = self.machine.script.commands[command].action {
            return self.mark(mark, begins, line, answer);
        }
        let Some(ready) = &self.statements[command] else { return Ok(Bound::Neither) };
        if line.pipe.open {
            self.send(ready, line)?;
            line.pipe.sent.push(command);
            return Ok(Bound::Neither);
        }
        let (bound, counts) = (ready.bound, ready.counts);
        add(answer, self.statement(command, line)?, counts);
        Ok(bound)
    }

    /// Begins, parts or ends a pipeline.
    fn mark(&self, mark: Mark, begins: bool, line: &mut Line<'_>, answer: &mut Answer) -> Outcome<Bound> {
        let Line { session, pipe, checked, .. } = line;
        if let Some(fault) = misplaced(mark, pipe.open, !pipe.open) {
            return Err(fault);
        }
        let pipeline = pipeline(&mut **session)?;
        match mark {
            Mark::Start => {
                pipeline.begin(*checked);
                pipe.begin(begins);
            }
            Mark::Sync => {
                pipeline.sync()?;
                pipe.part();
            }
            Mark::End => {
                pipeline.end(&mut |one| {
                    let ready = pipe.sent.get(pipe.answered).and_then(|sent| self.statements[*sent].as_ref());
                    add(answer, one, ready.is_none_or(|ready| ready.counts));
                    pipe.answered += 1;
                })?;
                pipe.open = false;
                return Ok(pipe.bound(|command| self.bound(command)));
            }
        }
        Ok(Bound::Neither)
    }

    /// Sends a statement in the open pipeline.
    fn send(&self, ready: &Ready, line: &mut Line<'_>) -> Outcome<()> {
        let Some((statement, variables)) = &ready.prepared else { return Err(no_pipelines()) };
        if ready.sql.keep.is_some() {
            return Err(no_answer_yet());
        }
        let pipeline = pipeline(line.session)?;
        self.with_params(variables, |params| pipeline.send(*statement, params))
    }

    /// Sends a statement by itself, and reads its answer.
    fn statement(&mut self, command: usize, line: &mut Line<'_>) -> Outcome<Answer> {
        let Line { session, text, checked, .. } = line;
        let Some(ready) = &self.statements[command] else { return Ok(Answer::default()) };
        let fetched = match &ready.prepared {
            Some((statement, variables)) => match ready.sql.keep {
                Some(_) => self.with_params(variables, |params| session.fetch(*statement, params))?,
                None if *checked => {
                    return self.with_params(variables, |params| session.run_checked(*statement, params));
                }
                None => {
                    let run = |params: &[Param<'_>]| session.run(*statement, params);
                    return self.with_params(variables, run).map(counted);
                }
            },
            None => {
                self.machine.write(&ready.sql, text)?;
                match ready.sql.keep {
                    Some(_) => session.fetch_text(text)?,
                    None if *checked => return session.run_text_checked(text),
                    None => return session.run_text(text).map(counted),
                }
            }
        };
        if let Some(keep) = &ready.sql.keep {
            self.machine.keep(keep, &fetched)?;
        }
        Ok(if *checked { hashed(&fetched) } else { counted(fetched.rows.len() as u64) })
    }

    /// Calls with the values of variables.
    fn with_params<T>(
        &self,
        variables: &[usize],
        call: impl FnOnce(&[Param<'_>]) -> Outcome<T>,
    ) -> Outcome<T> {
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
        call(params)
    }
}

/// Adds the answer of a statement to that of the operation.
fn add(answer: &mut Answer, one: Answer, counts: bool) {
    answer.rows += if counts { one.rows } else { 0 };
    answer.checksum = answer.checksum.wrapping_mul(31).wrapping_add(one.checksum);
}

fn pipeline(session: &mut dyn SqlSession) -> Outcome<&mut dyn Pipeline> {
    session.pipeline().ok_or_else(no_pipelines)
}

/// Plans refuse such a pair before a server is started.
fn no_pipelines() -> Fault {
    Fault::usage("this protocol has no pipelines").hint("take the lines of the pipeline out")
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
