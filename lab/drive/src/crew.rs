//! The turns: which subject runs when, what is read at the edges, and what happens when a subject fails.

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Answer, Client, Clock, Operation, Outcome};
use humdrum_model::{Calibration, Fault, Slice};

use crate::calibrate::Pace;
use crate::inject::{Slowed, held_back};
use crate::lane::{Lane, LaneState, Quiet};
use crate::latency::Latencies;
use crate::settle::Settling;
use crate::slice::{Work, operation_seed};
use crate::team::Team;

/// All subjects of one test in one session, their connections open.
pub struct Crew<'a> {
    clock: Arc<dyn Clock>,
    team: Team,
    lanes: Vec<LaneState<'a>>,
    /// Whether the test changes data. Every subject then does the same numbered operations, uncounted ones too.
    writes: bool,
    /// Operations of each subject so far.
    done: u64,
    /// The slices so far that found a pace.
    prelude: Prelude,
}

/// Seed and operations of each slice that found a pace. A subject that comes later repeats them: then it has done as much.
pub type Prelude = Vec<(u64, u64)>;

/// The work of a block.
pub struct Turn<'a> {
    /// Subjects in the order in which they run.
    pub order: &'a [usize],
    /// Seed of the block's operations.
    pub seed: u64,
    /// Operations per slice.
    pub work: &'a Calibration,
}

/// The measurements of a block.
#[derive(Default)]
pub struct BlockOutcome {
    /// In the order in which they ran, without those of subjects that failed.
    pub slices: Vec<Slice>,
    /// Subjects that failed. They take no further turns.
    pub faults: Vec<(usize, Fault)>,
}

/// Each subject's latencies, as (highest ns of a bucket, count).
pub type Buckets = Vec<(usize, Vec<(u64, u64)>)>;

impl<'a> Crew<'a> {
    /// A crew of these lanes. With `writes`, the test changes data: a subject is then frozen outside its own turns, if there
    /// are others, and all subjects do the same operations from the first to the last, uncounted ones included.
    ///
    /// # Panics
    /// When lanes have no clients, or different numbers of them.
    pub fn new(clock: Arc<dyn Clock>, lanes: Vec<Lane<'a>>, writes: bool) -> Self {
        let quiet = if lanes.len() > 1 { Quiet::Frozen } else { Quiet::Beside };
        Self::with(clock, lanes, writes, if writes { quiet } else { Quiet::No })
    }

    /// A crew without freezing, for examining servers while they work, because a frozen server answers no
    /// query.
    ///
    /// # Panics
    /// As `new`.
    pub fn awake(clock: Arc<dyn Clock>, lanes: Vec<Lane<'a>>, writes: bool) -> Self {
        Self::with(clock, lanes, writes, Quiet::No)
    }

    /// The same on data on which this many operations were done before: numbers go on from there.
    pub fn after(self, operations: u64) -> Self {
        Self { done: operations, ..self }
    }

    fn with(clock: Arc<dyn Clock>, lanes: Vec<Lane<'a>>, writes: bool, quiet: Quiet) -> Self {
        let slowed = |mut lane: Lane<'a>| {
            let clients = lane.clients.into_iter();
            lane.clients =
                clients.map(|client| Slowed::over(client, &lane.injection, writes, &clock)).collect();
            lane
        };
        let split = lanes.into_iter().map(slowed).map(|lane| LaneState::new(lane, quiet));
        let (lanes, clients): (Vec<_>, Vec<_>) = split.unzip();
        let team = Team::new(Arc::clone(&clock), by_member(clients));
        Self { team, clock, lanes, writes, done: 0, prelude: Prelude::new() }
    }

    /// Subjects that still take turns.
    pub fn alive(&self) -> Vec<usize> {
        self.lanes.iter().filter(|lane| lane.alive).map(|lane| lane.subject).collect()
    }

    /// Takes a subject out of the turns.
    pub fn dismiss(&mut self, subject: usize) {
        self.lanes.iter_mut().filter(|lane| lane.subject == subject).for_each(|lane| lane.alive = false);
    }

    /// Whether the clock is virtual (the `fake` engine), so that the host's state has no bearing on results.
    pub fn is_virtual(&self) -> bool {
        self.clock.is_virtual()
    }

    /// Runs the same few operations on every subject and returns a checksum of the answers of each.
    pub fn check(&mut self, seed: u64, operations: u64) -> Vec<(usize, Outcome<Answer>)> {
        let mut answers = Vec::new();
        for (number, lane) in self.lanes.iter_mut().enumerate().filter(|(_, lane)| lane.alive) {
            let client = self.team.first_client(number);
            let checked = lane.thaw().and_then(|()| {
                let answer = check(client, seed, self.done, operations, self.writes);
                answer.map_err(|fault| lane.fail(fault))
            });
            let answer = checked.and_then(|answer| lane.freeze().map(|()| answer));
            answers.push((lane.subject, answer));
        }
        self.done += operations;
        answers
    }

    /// One subject's pace: that of the fastest of slices of growing length. The last takes at least `enough`.
    ///
    /// # Errors
    /// When the subject fails.
    pub fn pace(&mut self, subject: usize, seed: u64, enough: Duration) -> Result<Pace, Fault> {
        let (mut operations, enough_ns) = (self.team.size() as u64, enough.as_nanos() as u64);
        let mut fastest: f64 = 0.0;
        loop {
            self.prelude.push((seed ^ operations, operations));
            let slice = self.slice(subject, seed ^ operations, &uncounted(operations))?;
            // A stall is likelier at the end of what stops by time, and is no pace: the last slice alone is not asked.
            if slice.wall_ns >= enough_ns / 16 {
                fastest = fastest.max(Pace::of(operations, slice.wall_ns).operations_per_second);
            }
            if slice.wall_ns >= enough_ns {
                return Ok(Pace { operations_per_second: fastest });
            }
            operations *= 4;
        }
    }

    /// The pace of all subjects, found with equal work: all of them go on until each has been busy for `enough`.
    /// No slice holds more than `most` operations.
    pub fn paces(&mut self, seed: u64, enough: Duration, most: u64) -> Vec<(usize, Outcome<Pace>)> {
        let mut operations = (self.team.size() as u64).min(most);
        let mut seen: Vec<(usize, Outcome<(u64, u64)>)> =
            self.alive().into_iter().map(|subject| (subject, Ok((0, 0)))).collect();
        let busy = |(_, so_far): &(usize, Outcome<(u64, u64)>)| {
            so_far.as_ref().is_ok_and(|(_, wall_ns)| *wall_ns < enough.as_nanos() as u64)
        };
        while seen.iter().any(busy) {
            let work = uncounted(operations);
            self.prelude.push((seed ^ self.done, operations));
            for (subject, so_far) in &mut seen {
                let Ok((done, wall_ns)) = *so_far else { continue };
                let slice = self.slice(*subject, seed ^ self.done, &work);
                *so_far = slice.map(|slice| (done + operations, wall_ns + slice.wall_ns));
            }
            self.done += operations;
            operations = (operations * 4).min(most);
        }
        let pace = |so_far: Outcome<(u64, u64)>| so_far.map(|(done, wall_ns)| Pace::of(done, wall_ns));
        seen.into_iter().map(|(subject, so_far)| (subject, pace(so_far))).collect()
    }

    /// The slices so far that found a pace.
    pub fn prelude(&self) -> &Prelude {
        &self.prelude
    }

    /// Runs the slices that found the pace of another subject, without finding one.
    pub fn repeat(&mut self, prelude: &Prelude) -> Vec<(usize, Fault)> {
        let mut faults = Vec::new();
        for &(seed, operations) in prelude {
            for subject in self.alive() {
                let fault = self.slice(subject, seed, &uncounted(operations)).err();
                faults.extend(fault.map(|fault| (subject, fault)));
            }
            // Operations are numbered through in tests that write only.
            self.done += if self.writes { operations } else { 0 };
        }
        faults
    }

    /// Runs `blocks` blocks and discards their measurements. They are a number and not a time: a warm-up that ended by time
    /// would end more often in a stall than outside, and blocks after it would have more than their share of stalls.
    pub fn warm_up(&mut self, blocks: u32, turn: &Turn<'_>) -> Vec<(usize, Fault)> {
        let mut faults = Vec::new();
        let mut seed = turn.seed;
        for _ in 0..blocks {
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
        self.done += turn.work.guard_operations + turn.work.operations;
        outcome
    }

    /// Discards the latencies so far.
    pub fn forget_latencies(&mut self) {
        self.team.clear_latencies();
    }

    /// Closes the connections. Returns each subject's latencies since the warm-up, and the servers.
    pub fn finish(mut self) -> (Buckets, Settling<'a>) {
        let subjects: Vec<usize> = self.lanes.iter().map(|lane| lane.subject).collect();
        let buckets = self.team.finish().iter().map(Latencies::buckets).collect::<Vec<_>>();
        self.lanes.iter_mut().for_each(LaneState::release);
        let settling = Settling { clock: self.clock, lanes: self.lanes, operations: self.done };
        (subjects.into_iter().zip(buckets).collect(), settling)
    }

    fn slice(&mut self, subject: usize, seed: u64, work: &Calibration) -> Result<Slice, Fault> {
        let position = self.lanes.iter().position(|lane| lane.subject == subject);
        let position = position.ok_or_else(|| Fault::usage(format!("no subject {subject} in this crew")))?;
        let lane = &mut self.lanes[position];
        lane.thaw()?;
        if self.writes {
            let numbers = self.done..self.done + work.guard_operations + work.operations;
            let ready = self.team.first_client(position).make_ready(numbers);
            ready.map_err(|fault| lane.fail(fault))?;
        }
        let before = lane.read()?;
        let job = Work::new(seed, self.done, work.guard_operations, work.operations, self.team.size());
        let mut tally = self.team.run(position, job);
        if let Some(fault) = tally.fault.take() {
            return Err(lane.fail(fault));
        }
        if let Some(wait) = held_back(&lane.injection, seed, tally.end_ns - tally.start_ns) {
            self.clock.sleep(wait);
            tally.end_ns = self.clock.now_ns();
        }
        let after = lane.end()?;
        Ok(lane.record(work, &tally, &before, &after))
    }
}

/// The calibration of a slice that only measures a pace.
fn uncounted(operations: u64) -> Calibration {
    Calibration { test: String::new(), operations, guard_operations: 0, blocks: 1 }
}

fn check(client: &mut dyn Client, seed: u64, first: u64, operations: u64, writes: bool) -> Outcome<Answer> {
    if writes {
        client.make_ready(first..first + operations)?;
    }
    let mut sum = Answer::default();
    for number in 0..operations {
        let operation = Operation { seed: operation_seed(seed, number as i64), number: first + number };
        let answer = client.operate_checked(operation)?;
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
