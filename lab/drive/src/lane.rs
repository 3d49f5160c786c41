//! One subject's server during its turns: awake in its own slices and, in a test that writes, stopped in place in
//! everybody else's.

use humdrum_contract::{Outcome, Probe, Role, Server};
use humdrum_model::{Calibration, Fault, MetricKind, Slice};

use crate::crew::Lane;
use crate::placement::Placement;
use crate::slice::Tally;

/// A lane without its clients, which the team has.
pub(crate) struct LaneState<'a> {
    pub(crate) subject: usize,
    server: &'a mut dyn Server,
    probe: Box<dyn Probe>,
    kinds: Vec<MetricKind>,
    pub(crate) alive: bool,
    /// Stopped in place whenever it is not this subject's turn.
    freeze: bool,
    /// Server processes that were put where no client is, and what lets them go again.
    beside: Option<(Placement, Vec<u32>)>,
}

impl<'a> LaneState<'a> {
    /// Takes the lane's server; stops it in place with `freeze`, where it can be.
    pub(crate) fn new(lane: Lane<'a>, freeze: bool) -> (Self, Vec<Box<dyn humdrum_contract::Client>>) {
        let kinds = lane.probe.metrics().iter().map(|metric| metric.kind).collect();
        let Lane { subject, server, clients, probe } = lane;
        let beside = if freeze { put_beside(server, &clients) } else { None };
        let freeze = freeze && server.can_freeze();
        if freeze {
            // A server that cannot be stopped is dead, which its first turn shows.
            let _ = server.freeze();
        }
        (Self { subject, server, probe, kinds, alive: true, freeze, beside }, clients)
    }

    /// The server itself.
    pub(crate) fn server(&self) -> &dyn Server {
        &*self.server
    }

    /// The turns are over: its processes may run where they could before.
    pub(crate) fn free(&mut self) {
        if let Some((placement, processes)) = self.beside.take() {
            processes.iter().for_each(|pid| placement.free(*pid));
        }
    }

    /// The subject goes on, if it was stopped.
    pub(crate) fn wake(&mut self) -> Outcome<()> {
        if self.freeze { self.server.thaw().map_err(|fault| self.fail(fault)) } else { Ok(()) }
    }

    /// The subject is stopped again.
    pub(crate) fn rest(&mut self) -> Outcome<()> {
        if self.freeze { self.server.freeze().map_err(|fault| self.fail(fault)) } else { Ok(()) }
    }

    /// The edge after a slice. The subject is stopped after the reading, so that what it still does between
    /// its turns is paid within its own slices.
    pub(crate) fn end(&mut self) -> Outcome<Vec<i64>> {
        let readings = self.read()?;
        self.rest()?;
        Ok(readings)
    }

    /// Reads the probes.
    pub(crate) fn read(&mut self) -> Outcome<Vec<i64>> {
        let mut readings = Vec::with_capacity(self.kinds.len());
        self.probe.read(&mut readings).map_err(|fault| self.fail(fault))?;
        Ok(readings)
    }

    /// Takes the subject out of the turns; the fault gains the server's log.
    pub(crate) fn fail(&mut self, fault: Fault) -> Fault {
        self.alive = false;
        // Whatever is left of it (a statement that timed out runs on) does not work while the others have their turns.
        self.freeze = self.freeze || self.server.can_freeze();
        if self.freeze {
            let _ = self.server.freeze();
        }
        self.server.explain(fault)
    }

    /// Readings between two edges: a counter's difference, a gauge's last value.
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
            quarter_ns: None,
            blamed: false,
        }
    }
}

/// What works in the background leaves the clients' processors, where there are others.
fn put_beside(
    server: &dyn Server,
    clients: &[Box<dyn humdrum_contract::Client>],
) -> Option<(Placement, Vec<u32>)> {
    let placement = if server.clock().is_virtual() { None } else { Placement::of_this_thread() }?;
    let background = server.processes().into_iter().filter(|process| process.role == Role::Background);
    let background: Vec<u32> = background.map(|process| process.pid).collect();
    placement.put_beside(clients.len(), &background).then_some((placement, background))
}

impl Drop for LaneState<'_> {
    /// However the turns end (a fault, Ctrl-C, a panic), no server is left stopped.
    fn drop(&mut self) {
        self.free();
        if self.freeze {
            let _ = self.server.thaw();
        }
    }
}
