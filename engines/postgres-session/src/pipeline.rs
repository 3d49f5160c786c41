//! Pipelines: many statements in one write, and their answers in one go. What the client sends is kept until the pipeline ends,
//! as libpq does it.

use humdrum_contract::{Answer, Outcome, Param, Pipeline, Statement};
use humdrum_model::{Fault, FaultKind};

use crate::Session;
use crate::bind::{FLUSH, SYNC};
use crate::message::{hash_row, rows_changed, server_error, tags};
use crate::wire::Wire;

/// Bytes that are kept. If more were sent before any answer is read, both sides could wait for the other to read: this fits
/// into the buffers of every connection. A longer pipeline reads its first answers before it ends.
const KEPT_MOST: usize = 32 * 1024;

/// The pipeline of a session.
#[derive(Default)]
pub(crate) struct Piped {
    /// What is not sent yet; kept so that the hot path does not allocate.
    message: Vec<u8>,
    /// Rows are hashed.
    checked: bool,
    /// Statements whose answers are not read.
    unread: usize,
    /// Points of synchronization whose answers are not read.
    syncs: usize,
    /// Answers up to the first fault.
    answers: Vec<Answer>,
    fault: Option<Fault>,
}

impl Piped {
    fn send(&mut self, wire: &mut Wire) -> Outcome<()> {
        let sent = wire.send(&self.message);
        self.message.clear();
        sent
    }

    /// Sends what is kept if it is much, and reads the answers to it. The server skips statements behind one that failed: their
    /// answers never come.
    fn spill(&mut self, wire: &mut Wire) -> Outcome<()> {
        if self.message.len() < KEPT_MOST {
            return Ok(());
        }
        self.message.extend_from_slice(FLUSH);
        self.send(wire)?;
        self.read(wire, |piped| piped.unread == 0 || piped.fault.is_some())
    }

    /// Reads answers until there are enough.
    fn read(&mut self, wire: &mut Wire, enough: impl Fn(&Self) -> bool) -> Outcome<()> {
        let (mut answer, mut returned) = (Answer::default(), 0);
        while !enough(self) {
            let (tag, body) = wire.next()?;
            match tag {
                tags::DATA_ROW => {
                    returned += 1;
                    if self.checked {
                        answer.checksum = answer.checksum.wrapping_add(hash_row(body));
                    }
                }
                tags::COMMAND_COMPLETE | tags::EMPTY => {
                    let changed = if tag == tags::EMPTY { 0 } else { rows_changed(body) };
                    answer.rows = if returned > 0 { returned } else { changed };
                    if self.fault.is_none() {
                        self.answers.push(answer);
                    }
                    self.unread = self.unread.saturating_sub(1);
                    (answer, returned) = (Answer::default(), 0);
                }
                tags::ERROR => {
                    let said = server_error(body);
                    if said.kind == FaultKind::Crash {
                        return Err(said);
                    }
                    self.fault.get_or_insert(said);
                    (answer, returned) = (Answer::default(), 0);
                }
                tags::READY => self.syncs = self.syncs.saturating_sub(1),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Pipeline for Session {
    fn begin(&mut self, checked: bool) {
        let Piped { message, answers, .. } = &mut self.piped;
        message.clear();
        answers.clear();
        let (message, answers) = (std::mem::take(message), std::mem::take(answers));
        self.piped = Piped { message, answers, checked, ..Piped::default() };
    }

    fn send(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<()> {
        self.prepared[statement.0 as usize].append(params, &mut self.piped.message);
        self.piped.unread += 1;
        self.piped.spill(&mut self.wire)
    }

    fn sync(&mut self) -> Outcome<()> {
        self.piped.message.extend_from_slice(SYNC);
        self.piped.syncs += 1;
        Ok(())
    }

    fn end(&mut self, each: &mut dyn FnMut(Answer)) -> Outcome<()> {
        self.sync()?;
        self.piped.send(&mut self.wire)?;
        self.piped.read(&mut self.wire, |piped| piped.syncs == 0)?;
        self.piped.answers.iter().for_each(|answer| each(*answer));
        self.piped.fault.take().map_or(Ok(()), Err)
    }
}
