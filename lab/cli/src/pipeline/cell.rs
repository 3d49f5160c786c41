//! One cell: one test in one session. Connects, checks the answers, finds the pace (once per run), warms up,
//! and measures a fixed number of blocks.

use std::time::Duration;

use humdrum_contract::{Client, Probe, ProbeContext, Process, Progress, Role, Update};
use humdrum_drive::{Crew, Lane, Pace, Turn};
use humdrum_model::{
    Block, Calibration, Fault, FaultKind, Latency, Metric, Plan, Results, SessionInfo, Stage, TestInfo,
};
use humdrum_plan::{SLICE_CHECK_FACTOR, block_seed, order};
use humdrum_record::Store;
use humdrum_sample::{HostWatch, Sampler};

use super::bench::{Bench, Stand};
use super::events::failed;
use crate::lab::Lab;

/// Operations whose answers are hashed and compared, before measuring; one of a long test.
const CHECKED_OPERATIONS: u64 = 3;

/// How long the slice that finds the pace lasts.
const PACE: Duration = Duration::from_millis(25);

/// A test in a session.
pub struct Cell<'a> {
    pub lab: &'a Lab,
    pub plan: &'a Plan,
    pub session: &'a SessionInfo,
    pub test: &'a TestInfo,
    /// Subjects that take no part in this test any more.
    pub out_of_it: &'a [usize],
    /// What the store held when the session began.
    pub before: &'a Results,
}

/// A subject's part that is over, and why.
struct Exit {
    subject: usize,
    fault: Fault,
}

impl Cell<'_> {
    /// Runs it; a subject that fails in it is recorded and recovered.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn run(&self, bench: &mut Bench<'_>, store: &mut Store) -> Result<(), Fault> {
        let done = self.blocks_done();
        let mut exits = Vec::new();
        let outcome = self.measure(bench, store, done, &mut exits);
        for exit in &mut exits {
            let fault = std::mem::replace(&mut exit.fault, Fault::crash(""));
            self.lab.console.update(Update::Note(&format!(
                "{}: {}: {fault}",
                self.plan.subjects[exit.subject].label, self.test.name
            )));
            let needs_restart = fault.kind != FaultKind::WrongAnswer;
            store.append_event(&failed(exit.subject, &self.test.name, self.session.number, fault))?;
            if needs_restart {
                bench.recover(exit.subject, self.session, store)?;
            }
        }
        outcome
    }

    /// Blocks of this cell that an interrupted run recorded.
    fn blocks_done(&self) -> u32 {
        let own = |block: &&Block| block.session == self.session.number && block.test == self.test.name;
        self.before.blocks.iter().filter(own).map(|block| block.index + 1).max().unwrap_or(0)
    }

    fn measure(
        &self,
        bench: &mut Bench<'_>,
        store: &mut Store,
        done: u32,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let calibration = self.calibration();
        if calibration.as_ref().is_some_and(|calibration| done >= self.blocks(calibration)) {
            return Ok(());
        }
        let clock = bench.clock();
        let lanes = self.lanes(bench, exits);
        if lanes.len() < 2 || lanes[0].subject != 0 {
            return Ok(());
        }
        let mut crew = Crew::new(clock, lanes, self.test.writes);
        exits.extend(self.check(&mut crew));
        let calibration = match calibration {
            Some(calibration) => calibration,
            None => match self.calibrate(&mut crew, store, exits)? {
                Some(calibration) => calibration,
                None => return Ok(()),
            },
        };
        let work = self.work(&calibration);
        let finished = self.blocks_of(&mut crew, &work, done..self.blocks(&calibration), store, exits);
        for (subject, buckets) in crew.finish() {
            let latency =
                Latency { test: self.test.name.clone(), session: self.session.number, subject, buckets };
            store.append_latency(&latency)?;
        }
        finished
    }

    /// Connects all clients of all subjects that still take part.
    fn lanes<'b>(&self, bench: &'b mut Bench<'_>, exits: &mut Vec<Exit>) -> Vec<Lane<'b>> {
        let workload = bench.workload;
        let mut lanes = Vec::new();
        for (subject, stand) in bench.stands.iter_mut().enumerate() {
            let Some(stand) = stand else { continue };
            if self.out_of_it.contains(&subject) {
                continue;
            }
            let clients = (0..self.plan.scale.clients).map(|number| self.client(workload, stand, number));
            match clients.collect::<Result<Vec<_>, Fault>>() {
                Ok(clients) => lanes.push(self.lane(subject, stand, clients, &bench.metrics)),
                Err(fault) => exits.push(Exit { subject, fault: stand.server.explain(fault) }),
            }
        }
        lanes
    }

    fn client(
        &self,
        workload: &dyn humdrum_contract::Workload,
        stand: &Stand,
        number: u32,
    ) -> Result<Box<dyn Client>, Fault> {
        let timeout = Duration::from_secs_f64(self.plan.design.timeout_seconds);
        let connection = stand.server.connect(timeout)?;
        workload.client(&self.test.name, connection, stand.server.dialect(), &self.plan.scale, number)
    }

    fn lane<'b>(
        &self,
        subject: usize,
        stand: &'b mut Stand,
        clients: Vec<Box<dyn Client>>,
        metrics: &[Metric],
    ) -> Lane<'b> {
        let serving: Vec<u32> = clients.iter().filter_map(|client| client.server_process()).collect();
        let all = stand.server.processes();
        let others = all.iter().filter(|process| !serving.contains(&process.pid));
        let own = serving.iter().map(|pid| Process { pid: *pid, role: Role::Session });
        let processes = own.chain(others.map(|process| Process { role: Role::Background, ..*process }));
        let context =
            ProbeContext { processes: processes.collect(), data_folder: stand.server.data_folder() };
        let probe = Box::new(Sampler::new(stand.server.probes(), &self.lab.probes, &context, Some(metrics)));
        Lane { subject, server: &mut *stand.server, clients, probe }
    }

    /// The same operations on every subject must give the same rows as on the base.
    fn check(&self, crew: &mut Crew<'_>) -> Vec<Exit> {
        let operations = if self.test.long { 1 } else { CHECKED_OPERATIONS };
        let seed = block_seed(self.plan.seed, &self.test.name, self.session.number, u32::MAX);
        let answers = crew.check(seed, operations);
        let base = answers.first().and_then(|(_, answer)| answer.as_ref().ok().copied());
        let wrong = |(subject, answer): (usize, Result<humdrum_contract::Answer, Fault>)| match answer {
            Err(fault) => Some(Exit { subject, fault }),
            Ok(answer) if base.is_some_and(|base| base != answer) => {
                let what = format!("answers differ from the base's: {answer:?} against {base:?}");
                Some(Exit { subject, fault: Fault::new(FaultKind::WrongAnswer, what) })
            }
            Ok(_) => None,
        };
        let exits: Vec<Exit> = answers.into_iter().filter_map(wrong).collect();
        exits.iter().for_each(|exit| crew.dismiss(exit.subject));
        exits
    }

    /// What an earlier session found.
    fn calibration(&self) -> Option<Calibration> {
        self.before.calibrations.iter().find(|calibration| calibration.test == self.test.name).cloned()
    }

    /// Finds the pace of every subject, after a first warm-up.
    fn calibrate(
        &self,
        crew: &mut Crew<'_>,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<Option<Calibration>, Fault> {
        let design = &self.plan.design;
        let extra = (design.first_warmup_seconds - design.warmup_seconds).max(0.0);
        let mut paces = Vec::new();
        let subjects = crew.alive();
        for subject in &subjects {
            let seed = block_seed(self.plan.seed, &self.test.name, u32::MAX, *subject as u32);
            let share = Duration::from_secs_f64(extra / subjects.len() as f64).max(PACE);
            match crew.pace(*subject, seed, share).and_then(|_| crew.pace(*subject, seed, PACE)) {
                Ok(pace) => paces.push(pace),
                Err(fault) => exits.push(Exit { subject: *subject, fault }),
            }
        }
        if paces.is_empty() {
            return Ok(None);
        }
        let calibration = Pace::calibrate(&paces, self.test, design, self.plan.scale.clients);
        store.append_calibration(&calibration)?;
        Ok(Some(calibration))
    }

    /// Operations per slice in this session.
    fn work(&self, calibration: &Calibration) -> Calibration {
        let longer = if self.session.stage == Stage::SliceCheck { SLICE_CHECK_FACTOR as u64 } else { 1 };
        Calibration { operations: calibration.operations * longer, ..calibration.clone() }
    }

    /// Blocks in this session; the stretch of a slice check knows that its slices are longer.
    fn blocks(&self, calibration: &Calibration) -> u32 {
        let blocks = f64::from(calibration.blocks) * self.session.stretch;
        ((blocks / 2.0) as u32 * 2).max(4)
    }

    fn blocks_of(
        &self,
        crew: &mut Crew<'_>,
        work: &Calibration,
        indices: std::ops::Range<u32>,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let (plan, session, name) = (self.plan, self.session.number, &self.test.name);
        let subjects = plan.subjects.len();
        let seed = block_seed(plan.seed, name, session, u32::MAX - 1);
        let warm_up = Turn { order: &order(plan.seed, name, session, 0, subjects), seed, work };
        let faults = crew.warm_up(plan.design.warmup_seconds, &warm_up);
        exits.extend(faults.into_iter().map(|(subject, fault)| Exit { subject, fault }));
        let mut watch = HostWatch::new(humdrum_provision::hosts::cpus(), self.steal(crew));
        for index in indices.clone() {
            self.lab.house.interrupt.check()?;
            if crew.alive().len() < 2 || !crew.alive().contains(&0) {
                break;
            }
            let turn = Turn {
                order: &order(plan.seed, name, session, index, subjects),
                seed: block_seed(plan.seed, name, session, index),
                work,
            };
            let outcome = crew.block(&turn);
            exits.extend(outcome.faults.into_iter().map(|(subject, fault)| Exit { subject, fault }));
            self.record(index, outcome.slices, &mut watch, store)?;
            self.tell(index, indices.end);
        }
        self.discard(watch.finish(), store)
    }

    /// The host's steal means nothing to servers on a virtual clock, which report their own CPU time.
    fn steal(&self, crew: &Crew<'_>) -> Option<Box<dyn Probe>> {
        if crew.is_virtual() { None } else { humdrum_probes::steal() }
    }

    fn record(
        &self,
        index: u32,
        slices: Vec<humdrum_model::Slice>,
        watch: &mut HostWatch,
        store: &mut Store,
    ) -> Result<(), Fault> {
        let (test, session) = (self.test.name.clone(), self.session.number);
        let block = Block { test, session, index, slices, discarded: None };
        store.append_block(&block)?;
        self.discard(watch.block(&block), store)
    }

    fn discard(&self, discard: Option<humdrum_sample::Discard>, store: &mut Store) -> Result<(), Fault> {
        let Some(discard) = discard else { return Ok(()) };
        let blocks = discard.first..=discard.last;
        store.discard_blocks(&self.test.name, self.session.number, blocks, &discard.reason)
    }

    /// Ten times a cell is often enough to see it move, and rare enough to cost nothing.
    fn tell(&self, index: u32, total: u32) {
        if index.is_multiple_of((total / 10).max(1)) {
            let what = format!("session {} · {}", self.session.number + 1, self.test.name);
            let (done, total) = (u64::from(index), Some(u64::from(total)));
            self.lab.console.update(Update::Part { what: &what, done, total, unit: "blocks" });
        }
    }
}
