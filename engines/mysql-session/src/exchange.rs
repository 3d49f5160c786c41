//! Statements as text and their answers over one connection, for loading a table and finding a thread.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::cursor::Cursor;
use crate::greeting::Greeting;
use crate::reply::{ServerError, marks};
use crate::statement;
use crate::target::CharacterSet;
use crate::wire::Wire;

/// ER_UNSUPPORTED_PS: the server runs this statement only as text.
const CANNOT_BE_PREPARED: u16 = 1295;

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

    /// Prepares a statement, by its message; returns the number that the server gives it, `None` if it runs only as text.
    pub(crate) fn prepare(&mut self, message: &mut [u8], params: usize) -> Outcome<Option<u32>> {
        self.wire.send(message)?;
        let packet = self.wire.next()?;
        if packet.first() == Some(&marks::ERROR) {
            let error = ServerError::read(packet);
            if error.code == CANNOT_BE_PREPARED && params == 0 {
                return Ok(None);
            }
            return Err(error.fault());
        }
        let described = Described::read(packet).inspect_err(|_| self.wire.give_up())?;
        self.wire.skip_columns(described.params)?;
        self.wire.skip_columns(described.columns)?;
        if usize::from(described.params) != params {
            let has = described.params;
            return Err(Fault::usage(format!("it has {has} parameters, and {params} were declared")));
        }
        Ok(Some(described.id))
    }

    /// Sends a ping, and waits for the answer.
    pub(crate) fn ping(&mut self) -> Outcome<()> {
        self.wire.send(&mut statement::ping())?;
        self.wire.finish().map(drop)
    }
}

/// What the server says of a statement that it prepared.
struct Described {
    id: u32,
    columns: u16,
    params: u16,
}

impl Described {
    fn read(packet: &[u8]) -> Outcome<Self> {
        let mut rest = Cursor::new(packet);
        rest.u8()?;
        Ok(Self { id: rest.u32()?, columns: rest.u16()?, params: rest.u16()? })
    }
}
