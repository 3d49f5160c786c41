//! One subject's server during the turns. In a test that writes, it is frozen during the slices of other subjects.

use humdrum_contract::{Client, Outcome, Probe, Role, Server};
use humdrum_model::{Calibration, Fault, Injection, MetricKind, Slice};

use crate::placement::Placement;
use crate::tally::Tally;

/// One subject's part in a crew.
pub struct Lane<'a> {
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Its server.
    pub server: &'a mut dyn Server,
    /// Its clients; as many in every lane.
    pub clients: Vec<Box<dyn Client>>,
    /// Read at the edges of its slices.
    pub probe: Box<dyn Probe>,
    /// A known slowdown that is put in on purpose; by default none.
    pub injection: Injection,
}

/// How a server is kept from disturbing the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quiet {
    /// Not at all: it has no work of its own, or is to be watched at it.
    No,
    /// Its background processes run on processors without clients.
    Beside,
    /// The same, and it is frozen outside its own turns.
    Frozen,
}

/// A lane without its clients, which belong to the team.
pub(crate) struct LaneState<'a> {
    pub(crate) subject: usize,
    server: &'a mut dyn Server,
    probe: Box<dyn Probe>,
    kinds: Vec<MetricKind>,
    pub(crate) alive: bool,
    /// Whether the server is frozen outside its own turns.
    freezes: bool,
    /// Background processes that were moved to processors without clients, and how to release them.
    beside: Option<(Placement, Vec<u32>)>,
    pub(crate) injection: Injection,
}

impl<'a> LaneState<'a> {
    /// Splits a lane into its server and its clients, and freezes the server if that is wanted and possible.
    pub(crate) fn new(lane: Lane<'a>, quiet: Quiet) -> (Self, Vec<Box<dyn Client>>) {
        let kinds = lane.probe.metrics().iter().map(|metric| metric.kind).collect();
        let Lane { subject, server, clients, probe, injection } = lane;
        let beside = if quiet == Quiet::No { None } else { put_beside(server, &clients) };
        let freezes = quiet == Quiet::Frozen && server.can_freeze();
        if freezes {
            // An error means that the server is dead; its first turn reports that.
            let _ = server.freeze();
        }
        (Self { subject, server, probe, kinds, alive: true, freezes, beside, injection }, clients)
    }

    /// The server.
    pub(crate) fn server(&self) -> &dyn Server {
        &*self.server
    }

    /// Lets the background processes run on all processors again, after the last turn.
    pub(crate) fn release(&mut self) {
        if let Some((placement, processes)) = self.beside.take() {
            processes.iter().for_each(|pid| placement.free(*pid));
        }
    }

    /// Thaws the server before its turn.
    pub(crate) fn thaw(&mut self) -> Outcome<()> {
        if self.freezes { self.server.thaw().map_err(|fault| self.fail(fault)) } else { Ok(()) }
    }

    /// Freezes the server after its turn.
    pub(crate) fn freeze(&mut self) -> Outcome<()> {
        if self.freezes { self.server.freeze().map_err(|fault| self.fail(fault)) } else { Ok(()) }
    }

    /// The edge after a slice: readings, then a freeze. A server that has work left after its turn must do it in its
    /// next one.
    pub(crate) fn end(&mut self) -> Outcome<Vec<i64>> {
        let readings = self.read()?;
        self.freeze()?;
        Ok(readings)
    }

    /// Reads the probes.
    pub(crate) fn read(&mut self) -> Outcome<Vec<i64>> {
        let mut readings = Vec::with_capacity(self.kinds.len());
        self.probe.read(&mut readings).map_err(|fault| self.fail(fault))?;
        Ok(readings)
    }

    /// Takes the subject out of the turns, and adds the server's log to the fault.
    pub(crate) fn fail(&mut self, fault: Fault) -> Fault {
        self.alive = false;
        // A statement that timed out may still be running. It must not disturb the other subjects' turns.
        self.freezes = self.freezes || self.server.can_freeze();
        if self.freezes {
            let _ = self.server.freeze();
        }
        self.server.explain(fault)
    }

    /// Readings between two edges: the difference of a counter, the last value of a gauge.
    pub(crate) fn difference(&self, before: &[i64], after: &[i64]) -> Vec<i64> {
        let edges = before.iter().zip(after).zip(&self.kinds);
        let readings = edges.map(|((before, after), kind)| match kind {
            MetricKind::Counter => after - before,
            MetricKind::Gauge => *after,
        });
        readings.collect()
    }

    pub(crate) fn record(&self, work: &Calibration, tally: &Tally, before: &[i64], after: &[i64]) -> Slice {
        Slice {
            subject: self.subject,
            start_ns: tally.start_ns,
            wall_ns: (tally.end_ns - tally.start_ns).max(1),
            operations: work.operations,
            guard_operations: work.guard_operations,
            rows: tally.rows,
            client_cpu_ns: tally.cpu_ns,
            readings: self.difference(before, after),
            quarter_ns: tally.quarters(),
            idle_ns: tally.idle_ns(),
            blamed: false,
        }
    }
}

/// Moves background processes to processors without clients, if there are any.
fn put_beside(server: &dyn Server, clients: &[Box<dyn Client>]) -> Option<(Placement, Vec<u32>)> {
    let placement = if server.clock().is_virtual() { None } else { Placement::of_this_thread() }?;
    let background = server.processes().into_iter().filter(|process| process.role == Role::Background);
    let background: Vec<u32> = background.map(|process| process.pid).collect();
    placement.put_beside(clients.len(), &background).then_some((placement, background))
}

impl Drop for LaneState<'_> {
    /// Thaws the server when the turns end, even by a fault, Ctrl-C or a panic.
    fn drop(&mut self) {
        self.release();
        if self.freezes {
            let _ = self.server.thaw();
        }
    }
}
