//! The time after the last slice of a test. The connections are closed, and one subject works at a time while the
//! others are frozen, so that none disturbs another's measurement.

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Outcome, Server};
use humdrum_model::Fault;

use crate::lane::LaneState;

/// Time for a server to add up the statistics of sessions that have ended.
const SESSION_END: Duration = Duration::from_millis(20);

/// The servers of a crew that has done its work. Dropping it thaws them all.
pub struct Settling<'a> {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) lanes: Vec<LaneState<'a>>,
    /// Calls of each subject's clients in this test, uncounted ones included.
    pub operations: u64,
}

/// Time and readings of one subject's action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Took {
    /// Time, ns.
    pub wall_ns: u64,
    /// Readings of its probe, as in a slice.
    pub readings: Vec<i64>,
}

impl Settling<'_> {
    /// Subjects that did all of the work.
    pub fn alive(&self) -> Vec<usize> {
        self.lanes.iter().filter(|lane| lane.alive).map(|lane| lane.subject).collect()
    }

    /// Thaws one subject, runs `prepare` and then `act`, and freezes it again. Only `act` is timed. Both get the server
    /// and `tool`.
    ///
    /// # Errors
    /// Faults of the server and of both functions, with the server's log.
    pub fn alone<T: ?Sized>(
        &mut self,
        subject: usize,
        tool: &mut T,
        prepare: impl FnOnce(&dyn Server, &mut T) -> Outcome<()>,
        act: impl FnOnce(&dyn Server, &mut T) -> Outcome<()>,
    ) -> Result<Took, Fault> {
        let lane = self.lanes.iter_mut().find(|lane| lane.subject == subject);
        let lane = lane.ok_or_else(|| Fault::usage(format!("no subject {subject} in this crew")))?;
        lane.thaw()?;
        self.clock.sleep(SESSION_END);
        prepare(lane.server(), tool).map_err(|fault| lane.fail(fault))?;
        let (before, began_ns) = (lane.read()?, self.clock.now_ns());
        act(lane.server(), tool).map_err(|fault| lane.fail(fault))?;
        let wall_ns = self.clock.now_ns() - began_ns;
        let after = lane.end()?;
        Ok(Took { wall_ns, readings: lane.difference(&before, &after) })
    }
}
