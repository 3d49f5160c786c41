//! One cell: one test in one session. Connects, checks the answers, finds the pace (once per run), warms up,
//! and measures a fixed number of blocks.

mod lanes;
mod on_record;
mod pace;

pub use lanes::probe;
pub use on_record::{blocks_done, is_complete, is_settled};

use std::sync::Arc;
use std::time::Instant;

use humdrum_contract::{Clock, Probe, Progress, Update, Workload};
use humdrum_drive::{Crew, Turn};
use humdrum_model::{
    Block, Calibration, Fault, FaultKind, Latency, Phase, Plan, Results, SessionInfo, Stage, TestInfo,
};
use humdrum_plan::{SLICE_CHECK_FACTOR, block_seed, order, sums_contents};
use humdrum_record::Store;
use humdrum_sample::HostWatch;

use super::aftermath::Settling;
use super::bench::Bench;
use super::events::failed;
use crate::lab::Lab;

/// Operations whose answers are hashed and compared, before measuring; one of a long test.
const CHECKED_OPERATIONS: u64 = 3;

/// A test in a session.
pub struct Cell<'a> {
    pub lab: &'a Lab,
    pub plan: &'a Plan,
    pub session: &'a SessionInfo,
    pub test: &'a TestInfo,
    /// All tests of the session, in order.
    pub tests: &'a [&'a TestInfo],
    /// Subjects that take no part in this test any more.
    pub out_of_it: &'a [usize],
    /// What the store held when the session began.
    pub before: &'a Results,
}

/// Whether a cell came to running anything.
enum Ran {
    /// Nobody to compare, or nothing to do.
    Not,
    /// As far as its subjects went.
    Whole,
}

/// A subject's part that is over, and why.
pub struct Exit {
    pub subject: usize,
    pub fault: Fault,
}

/// What an earlier session found of a test's slices.
fn calibration(test: &str, before: &Results) -> Option<Calibration> {
    before.calibrations.iter().find(|calibration| calibration.test == test).cloned()
}

/// Blocks in this session; the stretch of a slice check knows that its slices are longer.
fn blocks(session: &SessionInfo, calibration: &Calibration) -> u32 {
    let blocks = f64::from(calibration.blocks) * session.stretch;
    ((blocks / 2.0) as u32 * 2).max(4)
}

impl Cell<'_> {
    /// Runs it; a subject that fails in it is recorded and recovered.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn run(&self, bench: &mut Bench<'_>, store: &mut Store) -> Result<(), Fault> {
        if !self.test.writes && is_complete(self.session, &self.test.name, self.before) {
            return Ok(());
        }
        let mut exits = Vec::new();
        let outcome = self.measure(bench, store, &mut exits);
        if matches!(outcome, Ok(Ran::Whole)) {
            let well = |subject: &usize| !exits.iter().any(|exit| exit.subject == *subject);
            bench.did_well((0..self.plan.subjects.len()).filter(well));
        }
        if self.test.writes && !matches!(outcome, Ok(Ran::Not)) {
            self.part_ways(bench, &exits);
        }
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
        outcome.map(drop)
    }

    /// Who did not do all the writes has other data than those who did, until the next load.
    fn part_ways(&self, bench: &mut Bench<'_>, exits: &[Exit]) {
        let failed = exits.iter().map(|exit| exit.subject);
        for subject in failed.chain(self.out_of_it.iter().copied()) {
            if let Some(stand) = &mut bench.stands[subject] {
                stand.sits_out = Some(self.session.number);
            }
        }
    }

    /// The test only ages the tables for later ones.
    fn ages(&self) -> bool {
        self.session.unrecorded.contains(&self.test.name)
    }

    fn measure(&self, bench: &mut Bench<'_>, store: &mut Store, exits: &mut Vec<Exit>) -> Result<Ran, Fault> {
        let done = blocks_done(self.session, &self.test.name, self.before);
        let calibration = calibration(&self.test.name, self.before);
        if calibration.is_none() && self.ages() {
            return Ok(Ran::Not);
        }
        let (clock, workload) = (bench.clock(), bench.workload);
        let settling = self.settling(workload, &clock);
        let mut stewards = if self.test.writes { self.stewards(bench, exits) } else { Vec::new() };
        settling.look_before(&mut stewards, bench, store, exits)?;
        let lanes = self.lanes(bench, &stewards, exits);
        if lanes.len() < 2 || lanes[0].subject != 0 {
            return Ok(Ran::Not);
        }
        let mut crew = Crew::new(clock, lanes, self.test.writes);
        exits.extend(self.check(&mut crew));
        let calibration = match calibration {
            Some(calibration) => calibration,
            None => match self.calibrate(&mut crew, workload, store, exits)? {
                Some(calibration) => calibration,
                None => return Ok(Ran::Whole),
            },
        };
        let finished = self.blocks_of(&mut crew, &calibration, done, store, exits);
        let (buckets, aftermath) = crew.finish();
        let on_record = is_complete(self.session, &self.test.name, self.before);
        for (subject, buckets) in buckets.into_iter().filter(|_| !self.ages() && !on_record) {
            let latency =
                Latency { test: self.test.name.clone(), session: self.session.number, subject, buckets };
            store.append_latency(&latency)?;
        }
        finished?;
        if self.test.writes {
            let began = Instant::now();
            settling.settle(aftermath, &mut stewards, store, exits)?;
            let paid = began.elapsed();
            settling.compare(stewards, bench, store, exits)?;
            let (paid, whole) = (paid.as_secs_f64(), began.elapsed().as_secs_f64());
            bench.tell(&format!("{}: paid in {paid:.2} s, summed up after {whole:.2} s", self.test.name));
        }
        Ok(Ran::Whole)
    }

    fn settling<'s>(&'s self, workload: &'s dyn Workload, clock: &Arc<dyn Clock>) -> Settling<'s> {
        let last_write = self.tests.iter().rev().find(|test| test.phase == Phase::Write);
        Settling {
            lab: self.lab,
            plan: self.plan,
            session: self.session.number,
            test: &self.test.name,
            workload,
            clock: Arc::clone(clock),
            records: !self.ages(),
            before: self.before,
            pays: !self.plan.compat || last_write.is_some_and(|last| last.name == self.test.name),
            sums: sums_contents(self.test, self.tests, &self.plan.scale),
        }
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

    /// Operations per slice in this session.
    fn work(&self, calibration: &Calibration) -> Calibration {
        let longer = if self.session.stage == Stage::SliceCheck { SLICE_CHECK_FACTOR as u64 } else { 1 };
        Calibration { operations: calibration.operations * longer, ..calibration.clone() }
    }

    /// Runs the blocks. Those that are `done`, on record from before an interruption, are left out where the test
    /// reads, and repeated unrecorded where it writes.
    fn blocks_of(
        &self,
        crew: &mut Crew<'_>,
        calibration: &Calibration,
        done: u32,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let (plan, session, name) = (self.plan, self.session.number, &self.test.name);
        let (subjects, work) = (plan.subjects.len(), &self.work(calibration));
        let seed = block_seed(plan.seed, name, session, u32::MAX - 1);
        let warm_up = Turn { order: &order(plan.seed, name, session, 0, subjects), seed, work };
        let faults = crew.warm_up(plan.design.warmup_seconds, &warm_up);
        exits.extend(faults.into_iter().map(|(subject, fault)| Exit { subject, fault }));
        let mut watch = HostWatch::new(humdrum_provision::hosts::cpus(), self.steal(crew));
        let (first, end) = (if self.test.writes { 0 } else { done }, blocks(self.session, calibration));
        for index in first..end {
            self.lab.dirs.interrupt.check()?;
            if crew.alive().len() < 2 || !crew.alive().contains(&0) {
                break;
            }
            if index == done {
                // Those of blocks that were on record are as well.
                crew.forget_latencies();
            }
            let turn = Turn {
                order: &order(plan.seed, name, session, index, subjects),
                seed: block_seed(plan.seed, name, session, index),
                work,
            };
            let outcome = crew.block(&turn);
            exits.extend(outcome.faults.into_iter().map(|(subject, fault)| Exit { subject, fault }));
            if index >= done && !self.ages() {
                self.record(index, outcome.slices, &mut watch, store)?;
            }
            self.tell(index, end);
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
