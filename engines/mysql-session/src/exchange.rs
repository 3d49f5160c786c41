//! Statements as text and their answers over one connection, for loading a table and finding a thread.

use humdrum_contract::Outcome;

use crate::greeting::Greeting;
use crate::statement;
use crate::target::CharacterSet;
use crate::wire::Wire;

/// A connection that is logged in.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) wire: Wire,
    pub(crate) greeting: Greeting,
    pub(crate) character_set: CharacterSet,
    /// The message being built; kept so that the hot path does not allocate.
    pub(crate) message: Vec<u8>,
}

impl Exchange {
    pub(crate) fn new(wire: Wire, greeting: Greeting, character_set: CharacterSet) -> Self {
        Self { wire, greeting, character_set, message: Vec::with_capacity(4096) }
    }

    pub(crate) fn send_text(&mut self, sql: &str) -> Outcome<()> {
        statement::query(sql, &mut self.message);
        self.wire.send(&mut self.message)
    }

    /// As `SqlSession::query`.
    pub(crate) fn query(&mut self, sql: &str) -> Outcome<Vec<Vec<Option<String>>>> {
        self.send_text(sql)?;
        self.wire.text_rows()
    }

    /// As `SqlSession::run_text`.
    pub(crate) fn run_text(&mut self, sql: &str) -> Outcome<u64> {
        self.send_text(sql)?;
        self.wire.count_rows()
    }

    /// Sends a ping, and waits for the answer.
    pub(crate) fn ping(&mut self) -> Outcome<()> {
        self.wire.send(&mut statement::ping())?;
        self.wire.finish().map(drop)
    }
}
