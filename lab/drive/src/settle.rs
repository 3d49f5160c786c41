//! After the last slice of a test: the connections are closed and the subjects are seen to one at a time, the
//! others still stopped in place, so that what each does is its own.

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Outcome, Server};
use humdrum_model::Fault;

use crate::lane::LaneState;

/// Sessions that end tell the server what they did; it has taken that in within this.
const FAREWELL: Duration = Duration::from_millis(20);

/// The servers of a crew that has done its work. Dropping it lets them all go on.
pub struct Settling<'a> {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) lanes: Vec<LaneState<'a>>,
    /// Calls of each subject's clients since its test began, uncounted ones included.
    pub operations: u64,
}

/// What something that one subject did alone took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Took {
    /// Nanoseconds.
    pub wall_ns: u64,
    /// Readings of its probe, as in a slice.
    pub readings: Vec<i64>,
}

impl Settling<'_> {
    /// Subjects that did all of the work.
    pub fn alive(&self) -> Vec<usize> {
        self.lanes.iter().filter(|lane| lane.alive).map(|lane| lane.subject).collect()
    }

    /// Wakes one subject for `look` and then `act`, which is timed, and stops it again. Both get the server and
    /// `tool`.
    ///
    /// # Errors
    /// Whatever the server or the two say; the fault carries the server's log.
    pub fn alone<T: ?Sized>(
        &mut self,
        subject: usize,
        tool: &mut T,
        look: impl FnOnce(&dyn Server, &mut T) -> Outcome<()>,
        act: impl FnOnce(&dyn Server, &mut T) -> Outcome<()>,
    ) -> Result<Took, Fault> {
        let lane = self.lanes.iter_mut().find(|lane| lane.subject == subject);
        let lane = lane.ok_or_else(|| Fault::usage(format!("no subject {subject} in this crew")))?;
        lane.wake()?;
        self.clock.sleep(FAREWELL);
        look(lane.server(), tool).map_err(|fault| lane.fail(fault))?;
        let (before, began_ns) = (lane.read()?, self.clock.now_ns());
        act(lane.server(), tool).map_err(|fault| lane.fail(fault))?;
        let wall_ns = self.clock.now_ns() - began_ns;
        let after = lane.end()?;
        Ok(Took { wall_ns, readings: lane.difference(&before, &after) })
    }
}
