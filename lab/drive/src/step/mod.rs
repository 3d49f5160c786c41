//! Whole steps. A client has several connections, its writers may be paced, and subjects take turns in chunks.
//!
//! ```text
//!   chunk     base ▓▓▓▓▓▓▓▓            subject ▓▓▓▓▓▓▓▓          … the same statements for every subject
//!                  │      └ the last writer is done; queries end with it
//!                  └ probes read; every other subject is frozen
//! ```
//!
//! `pacing.rs` says when a statement is due, `queue.rs` keeps inserts and deletes together, `tally.rs` counts,
//! `slowed.rs` injects a known slowdown, `threads.rs` runs a chunk with a thread for each connection, `alone.rs` runs it on a virtual clock.

mod alone;
mod pacing;
mod queue;
mod slowed;
mod tally;
mod threads;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use humdrum_contract::{
    ClientStreams, Clock, Counts, Interrupt, Probe, Random, Server, StatementStream, StepWork,
};
use humdrum_model::{Calibration, Fault, Injection, Slice, StepFacts};

use crate::inject::held_back;
use crate::lane::{Lane, LaneState, Quiet};
use crate::settle::Settling;
use crate::tally::Tally;
use slowed::slowed;
use tally::StepTally;

/// One subject's part in a step.
pub struct StepLane<'a> {
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Its server.
    pub server: &'a mut dyn Server,
    /// Its clients.
    pub clients: Vec<ClientStreams>,
    /// Read at the edges of its chunks.
    pub probe: Box<dyn Probe>,
    /// The known slowdown in it.
    pub injection: Injection,
}

/// All subjects of one step in one session, their connections open.
pub struct StepCrew<'a> {
    clock: Arc<dyn Clock>,
    interrupt: Interrupt,
    work: StepWork,
    lanes: Vec<StepLaneState<'a>>,
}

struct StepLaneState<'a> {
    lane: LaneState<'a>,
    clients: Vec<ClientStreams>,
    tally: StepTally,
}

/// One turn of one subject.
pub(crate) struct Chunk<'c> {
    pub(crate) clock: &'c dyn Clock,
    pub(crate) interrupt: &'c Interrupt,
    pub(crate) work: &'c StepWork,
    /// Statements of each client.
    pub(crate) range: Range<u64>,
    pub(crate) start_ns: u64,
    /// How long the subject's earlier chunks lasted.
    pub(crate) earlier_ns: u64,
}

impl Chunk<'_> {
    /// The subject's own time, ns: time in its chunks, without the gaps between them.
    pub(crate) fn own_ns(&self, now_ns: u64) -> u64 {
        self.earlier_ns + now_ns.saturating_sub(self.start_ns)
    }
}

impl<'a> StepCrew<'a> {
    /// A crew of these lanes. With several, a subject is frozen outside its own turns.
    pub fn new(
        clock: Arc<dyn Clock>,
        interrupt: &Interrupt,
        work: StepWork,
        lanes: Vec<StepLane<'a>>,
    ) -> Self {
        let quiet = if lanes.len() > 1 { Quiet::Frozen } else { Quiet::No };
        let state = |StepLane { subject, server, clients, probe, injection }| {
            let clients = slowed(clients, &injection, &clock);
            let (lane, _) =
                LaneState::new(Lane { subject, server, clients: Vec::new(), probe, injection }, quiet);
            StepLaneState { lane, clients, tally: StepTally::default() }
        };
        let lanes = lanes.into_iter().map(state).collect();
        Self { clock, interrupt: interrupt.clone(), work, lanes }
    }

    /// Subjects that still take part.
    pub fn alive(&self) -> Vec<usize> {
        self.lanes.iter().filter(|state| state.lane.alive).map(|state| state.lane.subject).collect()
    }

    /// Runs one subject's turn: these statements of each client.
    ///
    /// # Errors
    /// When the subject fails; it takes no further turns. When interrupted.
    pub fn chunk(&mut self, subject: usize, range: Range<u64>) -> Result<Slice, Fault> {
        let (clock, work) = (Arc::clone(&self.clock), self.work);
        let state = self.lanes.iter_mut().find(|state| state.lane.subject == subject);
        let state = state.ok_or_else(|| Fault::usage(format!("no subject {subject} in this step")))?;
        let StepLaneState { lane, clients, tally } = state;
        lane.thaw()?;
        let before = lane.read()?;
        let start_ns = clock.now_ns();
        let (interrupt, earlier_ns) = (&self.interrupt, tally.wall_ns);
        let seed = Random::of(lane.injection.seed, range.start).next();
        let chunk = Chunk { clock: &*clock, interrupt, work: &work, range, start_ns, earlier_ns };
        let run = if clock.is_virtual() { alone::run } else { threads::run };
        let seen = run(&chunk, clients);
        if let Some(wait) = held_back(&lane.injection, seed, clock.now_ns() - start_ns) {
            clock.sleep(wait);
        }
        let end_ns = clock.now_ns().max(start_ns + 1);
        let after = lane.end();
        let cpu_ns = seen.cpu_ns;
        if let Some(fault) = seen.fault {
            return Err(lane.fail(fault));
        }
        let (operations, rows) = (counted(&work, &seen.tally), seen.tally.rows_changed());
        tally.add(seen.tally, end_ns - start_ns);
        let done = Tally { start_ns, end_ns, rows, cpu_ns, ..Tally::default() };
        let calibration = Calibration { test: String::new(), operations, guard_operations: 0, blocks: 0 };
        Ok(lane.record(&calibration, &done, &before, &after?))
    }

    /// Freezes a subject's server again, which a debugger may have let go on after its turn.
    ///
    /// # Errors
    /// When it has ended.
    pub fn freeze(&mut self, subject: usize) -> Result<(), Fault> {
        let state = self.lanes.iter_mut().find(|state| state.lane.subject == subject && state.lane.alive);
        state.map_or(Ok(()), |state| state.lane.freeze())
    }

    /// Closes the connections. Returns what was measured of each subject that did the whole step, and the servers.
    pub fn finish(self) -> (Vec<StepFacts>, Settling<'a>) {
        let rate = self.work.rows_per_second;
        let mut lanes = Vec::new();
        let mut facts = Vec::new();
        let mut operations = 0;
        for StepLaneState { lane, clients, mut tally } in self.lanes {
            if lane.alive {
                tally.insert.retries = retries(clients.iter().map(|streams| &streams.insert));
                tally.delete.retries = retries(clients.iter().map(|streams| &streams.delete));
                let target = rate.map(|rate| (rate * clients.len() as u64) as f64);
                operations = tally.insert.rows;
                facts.push(StepFacts { subject: lane.subject, target, ..tally.facts() });
            }
            drop(clients);
            lanes.push(lane);
        }
        (facts, Settling { clock: self.clock, lanes, operations })
    }
}

fn retries<'h>(streams: impl Iterator<Item = &'h Option<Box<dyn StatementStream>>>) -> u64 {
    streams.flatten().map(|stream| stream.retries()).sum()
}

/// The number that the step's rate counts.
fn counted(work: &StepWork, tally: &StepTally) -> u64 {
    match work.counts {
        Counts::Rows => tally.insert.rows,
        Counts::Queries => tally.query.statements,
    }
}
