//! The turns: who runs when, what is read at the edges, and what becomes of a subject that fails.

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Answer, Client, Clock, Outcome, Probe, Server};
use humdrum_model::{Calibration, Fault, MetricKind, Slice};

use crate::calibrate::Pace;
use crate::latency::Latencies;
use crate::slice::{Tally, Work};
use crate::team::Team;

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
}

/// All subjects of one test in one session, their connections open.
pub struct Crew<'a> {
    clock: Arc<dyn Clock>,
    team: Team,
    lanes: Vec<LaneState<'a>>,
}

struct LaneState<'a> {
    subject: usize,
    server: &'a mut dyn Server,
    probe: Box<dyn Probe>,
    kinds: Vec<MetricKind>,
    alive: bool,
    /// Stopped in place whenever it is not this subject's turn.
    freeze: bool,
}

/// What a block is to do.
pub struct Turn<'a> {
    /// Subjects in the order in which they run.
    pub order: &'a [usize],
    /// Seed of the block's operations.
    pub seed: u64,
    /// Operations per slice.
    pub work: &'a Calibration,
}

/// What became of it.
#[derive(Default)]
pub struct BlockOutcome {
    /// In the order in which they ran; without the subjects that failed.
    pub slices: Vec<Slice>,
    /// Subjects that failed in it; they take no further turns.
    pub faults: Vec<(usize, Fault)>,
}

impl<'a> Crew<'a> {
    /// `freeze`: stop every subject in place but the one whose turn it is.
    ///
    /// # Panics
    /// When lanes have no clients or not equally many.
    pub fn new(clock: Arc<dyn Clock>, lanes: Vec<Lane<'a>>, freeze: bool) -> Self {
        let split = lanes.into_iter().map(|lane| LaneState::split(lane, freeze));
        let (states, clients): (Vec<_>, Vec<_>) = split.unzip();
        Self { team: Team::new(Arc::clone(&clock), by_member(clients)), clock, lanes: states }
    }

    /// Subjects that still take turns.
    pub fn alive(&self) -> Vec<usize> {
        self.lanes.iter().filter(|lane| lane.alive).map(|lane| lane.subject).collect()
    }

    /// Takes a subject out of the turns.
    pub fn dismiss(&mut self, subject: usize) {
        self.lanes.iter_mut().filter(|lane| lane.subject == subject).for_each(|lane| lane.alive = false);
    }

    /// Whether time is made up (the `fake` engine), so that the host's own state means nothing.
    pub fn is_virtual(&self) -> bool {
        self.clock.is_virtual()
    }

    /// Runs the same few operations on every subject and hashes what comes back.
    pub fn check(&mut self, seed: u64, operations: u64) -> Vec<(usize, Outcome<Answer>)> {
        let mut answers = Vec::new();
        for (number, lane) in self.lanes.iter_mut().enumerate().filter(|(_, lane)| lane.alive) {
            let answer = check(self.team.first_client(number), seed, operations);
            let answer = answer.map_err(|fault| lane.fail(fault));
            answers.push((lane.subject, answer));
        }
        answers
    }

    /// Runs slices of growing length until one lasts long enough to tell the pace; `None` for a subject that
    /// fails. `enough` is the length wanted.
    pub fn pace(&mut self, subject: usize, seed: u64, enough: Duration) -> Result<Pace, Fault> {
        let mut operations = self.team.size() as u64;
        loop {
            let work = Calibration { test: String::new(), operations, guard_operations: 0, blocks: 1 };
            let slice = self.slice(subject, seed ^ operations, &work)?;
            if slice.wall_ns >= enough.as_nanos() as u64 {
                let seconds = slice.wall_ns as f64 / 1e9;
                return Ok(Pace { operations_per_second: operations as f64 / seconds });
            }
            operations *= 4;
        }
    }

    /// Repeats blocks for `seconds` and forgets what they measured.
    pub fn warm_up(&mut self, seconds: f64, turn: &Turn<'_>) -> Vec<(usize, Fault)> {
        let end_ns = self.clock.now_ns() + (seconds * 1e9) as u64;
        let mut faults = Vec::new();
        let mut seed = turn.seed;
        while self.clock.now_ns() < end_ns && !self.alive().is_empty() {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            faults.extend(self.block(&Turn { seed, ..*turn }).faults);
        }
        self.team.clear_latencies();
        faults
    }

    /// Runs one block.
    pub fn block(&mut self, turn: &Turn<'_>) -> BlockOutcome {
        let mut outcome = BlockOutcome::default();
        for subject in turn.order {
            if self.lanes.iter().any(|lane| lane.subject == *subject && lane.alive) {
                match self.slice(*subject, turn.seed, turn.work) {
                    Ok(slice) => outcome.slices.push(slice),
                    Err(fault) => outcome.faults.push((*subject, fault)),
                }
            }
        }
        outcome
    }

    /// Latencies of every subject since the warm-up, and the end of the connections.
    pub fn finish(self) -> Vec<(usize, Vec<(u64, u64)>)> {
        let subjects: Vec<usize> = self.lanes.iter().map(|lane| lane.subject).collect();
        let buckets = self.team.finish().iter().map(Latencies::buckets).collect::<Vec<_>>();
        subjects.into_iter().zip(buckets).collect()
    }

    fn slice(&mut self, subject: usize, seed: u64, work: &Calibration) -> Result<Slice, Fault> {
        let position = self.lanes.iter().position(|lane| lane.subject == subject);
        let position = position.ok_or_else(|| Fault::usage(format!("no subject {subject} in this crew")))?;
        let lane = &mut self.lanes[position];
        let before = lane.begin()?;
        let job = Work::new(seed, work.guard_operations, work.operations, self.team.size());
        let mut tally = self.team.run(position, job);
        if let Some(fault) = tally.fault.take() {
            return Err(lane.fail(fault));
        }
        let after = lane.end()?;
        Ok(lane.record(work, &tally, &before, &after))
    }
}

impl<'a> LaneState<'a> {
    fn split(lane: Lane<'a>, freeze: bool) -> (Self, Vec<Box<dyn Client>>) {
        let kinds = lane.probe.metrics().iter().map(|metric| metric.kind).collect();
        let Lane { subject, server, clients, probe } = lane;
        if freeze {
            // A server that cannot be stopped is dead, which its first turn shows.
            let _ = server.freeze();
        }
        (Self { subject, server, probe, kinds, alive: true, freeze }, clients)
    }

    /// The edge before a slice: the subject goes on if it was stopped, and its probes are read.
    fn begin(&mut self) -> Outcome<Vec<i64>> {
        if self.freeze {
            self.server.thaw().map_err(|fault| self.fail(fault))?;
        }
        self.read()
    }

    /// The edge after a slice. The subject is stopped after the reading, so that what it still does between
    /// its turns is paid within its own slices.
    fn end(&mut self) -> Outcome<Vec<i64>> {
        let readings = self.read()?;
        if self.freeze {
            self.server.freeze().map_err(|fault| self.fail(fault))?;
        }
        Ok(readings)
    }

    fn read(&mut self) -> Outcome<Vec<i64>> {
        let mut readings = Vec::with_capacity(self.kinds.len());
        self.probe.read(&mut readings).map_err(|fault| self.fail(fault))?;
        Ok(readings)
    }

    /// Takes the subject out of the turns; the fault gains the server's log.
    fn fail(&mut self, fault: Fault) -> Fault {
        self.alive = false;
        self.server.explain(fault)
    }

    fn record(&self, work: &Calibration, tally: &Tally, before: &[i64], after: &[i64]) -> Slice {
        let edges = before.iter().zip(after).zip(&self.kinds);
        let readings = edges.map(|((before, after), kind)| match kind {
            MetricKind::Counter => after - before,
            MetricKind::Gauge => *after,
        });
        Slice {
            subject: self.subject,
            start_ns: tally.start_ns,
            wall_ns: (tally.end_ns - tally.start_ns).max(1),
            operations: work.operations,
            guard_operations: work.guard_operations,
            rows: tally.rows,
            client_cpu_ns: tally.cpu_ns,
            readings: readings.collect(),
        }
    }
}

impl Drop for LaneState<'_> {
    /// However the crew ends, no server is left stopped.
    fn drop(&mut self) {
        if self.freeze {
            let _ = self.server.thaw();
        }
    }
}

fn check(client: &mut dyn Client, seed: u64, operations: u64) -> Outcome<Answer> {
    let mut sum = Answer::default();
    for number in 0..operations {
        let answer = client.operate_checked(seed.wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95)))?;
        sum.rows += answer.rows;
        sum.checksum = sum.checksum.wrapping_add(answer.checksum);
    }
    Ok(sum)
}

/// From `clients[lane][member]` to `clients[member][lane]`.
fn by_member(lanes: Vec<Vec<Box<dyn Client>>>) -> Vec<Vec<Box<dyn Client>>> {
    let size = lanes.first().map_or(0, Vec::len);
    assert!(
        size > 0 && lanes.iter().all(|lane| lane.len() == size),
        "as many clients in every lane, at least one"
    );
    let mut members: Vec<Vec<Box<dyn Client>>> = (0..size).map(|_| Vec::new()).collect();
    for lane in lanes {
        members.iter_mut().zip(lane).for_each(|(member, client)| member.push(client));
    }
    members
}
