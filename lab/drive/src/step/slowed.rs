//! Injects a known slowdown into a step: after each statement the client waits for a share of the time that the statement
//! took. A statement of a step changes data or is followed by others that do, so none is done twice; and a step may be
//! one statement, so none is chosen.

use std::sync::Arc;

use humdrum_contract::{ClientStreams, Clock, Outcome, StatementStream};
use humdrum_model::Injection;

use crate::inject::wait_until;

/// A stream whose statements take longer by a share.
struct Slowed {
    stream: Box<dyn StatementStream>,
    clock: Arc<dyn Clock>,
    share: f64,
}

impl StatementStream for Slowed {
    fn act(&mut self, number: u64) -> Outcome<u64> {
        let began_ns = self.clock.now_ns();
        let rows = self.stream.act(number)?;
        let ended_ns = self.clock.now_ns();
        wait_until(&*self.clock, ended_ns + ((ended_ns - began_ns) as f64 * self.share) as u64);
        Ok(rows)
    }

    fn retries(&self) -> u64 {
        self.stream.retries()
    }

    fn server_process(&self) -> Option<u32> {
        self.stream.server_process()
    }
}

/// The clients with that slowdown in all their streams; unchanged if none is injected.
pub(super) fn slowed(
    clients: Vec<ClientStreams>,
    injection: &Injection,
    clock: &Arc<dyn Clock>,
) -> Vec<ClientStreams> {
    let share = injection.repeated;
    if share == 0.0 {
        return clients;
    }
    let over = |stream: Option<Box<dyn StatementStream>>| {
        stream.map(|stream| Box::new(Slowed { stream, clock: Arc::clone(clock), share }) as _)
    };
    let all = |streams: ClientStreams| ClientStreams {
        insert: over(streams.insert),
        delete: over(streams.delete),
        query: over(streams.query),
        look_up: over(streams.look_up),
    };
    clients.into_iter().map(all).collect()
}
