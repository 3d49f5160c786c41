//! The pipeline of a session: statements take their time when they are sent, and their answers are kept until it ends.

use humdrum_contract::{Answer, Outcome, Param, Pipeline, Statement};
use humdrum_model::{Fault, FaultKind};

use crate::session::FakeSession;

/// Answers up to the first fault.
#[derive(Default)]
pub(crate) struct Piped {
    answers: Vec<Answer>,
    fault: Option<Fault>,
}

impl Pipeline for FakeSession {
    fn begin(&mut self, _checked: bool) {
        self.piped.answers.clear();
        self.piped.fault = None;
    }

    fn send(&mut self, statement: Statement, params: &[Param<'_>]) -> Outcome<()> {
        if self.piped.fault.is_some() {
            return Ok(());
        }
        match self.answer(statement, params) {
            Ok(answer) => self.piped.answers.push(answer),
            Err(fault) if matches!(fault.kind, FaultKind::Crash | FaultKind::Timeout) => return Err(fault),
            Err(fault) => self.piped.fault = Some(fault),
        }
        Ok(())
    }

    fn sync(&mut self) -> Outcome<()> {
        Ok(())
    }

    fn end(&mut self, each: &mut dyn FnMut(Answer)) -> Outcome<()> {
        self.piped.answers.iter().for_each(|answer| each(*answer));
        self.piped.fault.take().map_or(Ok(()), Err)
    }
}
