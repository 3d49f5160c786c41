//! A statement that is prepared, run and closed each time, as clients do that keep no prepared statements (those of Go and
//! PHP by default). That takes two round trips: the protocol names a statement by a number that the server gives it.

use humdrum_contract::{Outcome, Param, ParamType};

use crate::exchange::Exchange;
use crate::statement::{self, Known};

/// A statement that is prepared each time it runs.
#[derive(Debug)]
pub(crate) struct EachTime {
    /// The message that prepares it.
    prepare: Vec<u8>,
    /// As it was prepared last.
    known: Known,
    id: u32,
}

impl EachTime {
    pub(crate) fn new(sql: &str, params: &[ParamType]) -> Self {
        Self { prepare: statement::prepare(sql), known: Known::new(0, params), id: 0 }
    }

    /// Prepares and sends it. Returns its message as text if the server cannot prepare it; nothing was run then.
    pub(crate) fn send(&mut self, exchange: &mut Exchange, params: &[Param<'_>]) -> Outcome<Option<Vec<u8>>> {
        let Some(id) = exchange.prepare(&mut self.prepare, params.len())? else {
            return Ok(Some(statement::as_text(&self.prepare)));
        };
        self.id = id;
        self.known.renew(id);
        self.known.message(params, &mut exchange.message);
        exchange.wire.send(&mut exchange.message)?;
        Ok(None)
    }

    /// Closes it behind its answer.
    pub(crate) fn close(&self, exchange: &mut Exchange) -> Outcome<()> {
        exchange.wire.send(&mut statement::close(self.id))
    }
}
