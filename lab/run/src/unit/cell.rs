//! A cell: one test in one session, in blocks of milliseconds. Connects, checks the answers, finds the pace (once per
//! run), warms up, and measures a fixed number of blocks. Tests that read do so with several connections, one after
//! the other.

mod answers;
mod host;
mod lanes;
mod pace;
mod spans;

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use humdrum_contract::{Clock, Update};
use humdrum_drive::{Crew, Settling, Turn};
use humdrum_model::{
    Block, Calibration, Contents, Fault, Latency, Metric, Moment, Payment, Phase, SessionInfo, Slice,
    TestInfo,
};
use humdrum_plan::{block_seed, order, sums_contents};
use humdrum_record::Store;

use super::{Consequence, Done, Exit, Ran, Sink, Unit};
use crate::alike::Alike;
use crate::journal::{Expected, Journal};
use crate::roster::Entrant;
use crate::run::Run;
use crate::settle::{Control, Settle};
use host::Watched;

/// A test in a session.
pub(crate) struct Cell<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) session: &'a SessionInfo,
    /// The record when the session began.
    pub(crate) journal: &'a Journal,
    /// What the session's subjects have shown so far.
    pub(crate) alike: &'a Alike,
    /// The subject that has the host to itself; `None` where all take turns.
    pub(crate) alone: Option<usize>,
    /// All tests of the session, in order.
    pub(crate) tests: &'a [&'a TestInfo],
    /// The index of this cell's test.
    pub(crate) position: usize,
}

/// The means to run a cell.
struct Attempt<'t, 's> {
    clock: Arc<dyn Clock>,
    metrics: &'t [Metric],
    store: &'t mut Store,
    sink: &'t mut (dyn Sink + 's),
    exits: &'t mut Vec<Exit>,
    contents: &'t mut Vec<(usize, Option<Contents>)>,
}

impl Unit for Cell<'_> {
    fn test(&self) -> &TestInfo {
        self.tests[self.position]
    }

    fn position(&self) -> usize {
        self.position
    }

    fn changes_data(&self) -> bool {
        self.test().writes
    }

    /// Subjects that failed this test in an earlier session or gave wrong answers; more sessions would show
    /// nothing new.
    fn excluded(&self) -> Vec<usize> {
        self.journal.failed_in(&self.test().name, None)
    }

    fn expected(&self) -> Expected<'_> {
        let (test, scale) = (self.test(), &self.run.plan.scale_of(self.test()));
        let last = if sums_contents(test, self.tests, scale) { Moment::Paid } else { Moment::After };
        Expected {
            session: self.session,
            test: &test.name,
            blocks: self.journal.calibration(&test.name).map(|calibration| self.blocks(&calibration)),
            settled_by: test.writes.then_some(last),
            excluded: self.excluded(),
            unrecorded: self.is_unrecorded(),
        }
    }

    fn consequence(&self) -> Consequence {
        Consequence::NextTest { writes: self.test().writes }
    }

    fn run(
        &self,
        clock: Arc<dyn Clock>,
        metrics: &[Metric],
        mut entrants: Vec<Entrant<'_>>,
        store: &mut Store,
        sink: &mut dyn Sink,
    ) -> (Done, Result<(), Fault>) {
        let (mut exits, mut contents) = (Vec::new(), Vec::new());
        let (exits_of, contents_of) = (&mut exits, &mut contents);
        let mut attempt = Attempt { clock, metrics, store, sink, exits: exits_of, contents: contents_of };
        let outcome = self.measure(&mut entrants, &mut attempt);
        let ran = *outcome.as_ref().unwrap_or(&Ran::Partly);
        (Done { exits, contents, ran }, outcome.map(drop))
    }
}

impl Cell<'_> {
    /// Whether the test writes, is decided, and runs unrecorded so that later reads find an aged table.
    fn is_unrecorded(&self) -> bool {
        self.session.unrecorded.contains(&self.test().name)
    }

    fn measure(&self, entrants: &mut [Entrant<'_>], attempt: &mut Attempt<'_, '_>) -> Result<Ran, Fault> {
        let (run, test) = (self.run, self.test());
        let calibration = self.journal.calibration(&test.name);
        if calibration.is_none() && self.is_unrecorded() {
            return Ok(Ran::Not);
        }
        let settle = self.settle(&attempt.clock);
        let mut controls = if test.writes { self.controls(entrants, attempt.exits) } else { Vec::new() };
        settle.before(&mut controls, entrants, attempt.store, attempt.exits)?;
        let Some(mut crew) = self.connect(0, entrants, &controls, attempt) else {
            return self.refuse_mistakes(attempt.exits).map(|()| Ran::Not);
        };
        self.refuse_mistakes(attempt.exits)?;
        let found = match calibration {
            Some(known) => {
                self.repeat_prelude(&mut crew, attempt.exits);
                Some(known)
            }
            None => self.calibrate(&mut crew, run.workload, attempt.store, attempt.exits)?,
        };
        let Some(calibration) = found else { return Ok(Ran::Whole) };
        let spans = self.spans(&calibration);
        let Some((first, others)) = spans.split_first() else { return Ok(Ran::Whole) };
        let mut watched = self.watch(attempt)?;
        let mut settling = self.run_span(crew, &calibration, first, &mut watched, attempt)?;
        for (number, span) in (1..).zip(others) {
            drop(settling);
            let Some(crew) = self.connect(number, entrants, &controls, attempt) else {
                return self.judge_host(watched, &spans, attempt).map(|()| Ran::Whole);
            };
            settling = self.run_span(crew, &calibration, span, &mut watched, attempt)?;
        }
        self.judge_host(watched, &spans, attempt)?;
        if test.writes {
            let began = Instant::now();
            settle.each(settling, &mut controls, attempt.store, attempt.exits)?;
            let paid = began.elapsed().as_secs_f64();
            *attempt.contents = settle.sum_up(controls, entrants, attempt.store, attempt.exits)?;
            let whole = began.elapsed().as_secs_f64();
            run.detail(&format!("{}: paid in {paid:.2} s, summed up after {whole:.2} s", test.name));
        }
        Ok(Ran::Whole)
    }

    /// The clients' connections number `number` (from 0) to all subjects that have not failed, after a check of
    /// their answers. `None` if there is nothing to measure.
    fn connect<'e>(
        &self,
        number: usize,
        entrants: &'e mut [Entrant<'_>],
        controls: &[Control],
        attempt: &mut Attempt<'_, '_>,
    ) -> Option<Crew<'e>> {
        let lanes = self.lanes(number, entrants, controls, attempt.metrics, attempt.exits);
        if !self.has_work(&lanes.iter().map(|lane| lane.subject).collect::<Vec<_>>()) {
            return None;
        }
        let mut crew = Crew::new(Arc::clone(&attempt.clock), lanes, self.test().writes);
        let differing = self.check(number, &mut crew, attempt.exits);
        attempt.exits.extend(differing);
        Some(crew)
    }

    /// Whether these are enough to measure: the base and a subject to compare with it, or the one that has the host to itself.
    fn has_work(&self, subjects: &[usize]) -> bool {
        match self.alone {
            Some(subject) => subjects.contains(&subject),
            None => subjects.len() >= 2 && subjects.contains(&0),
        }
    }

    /// Runs the blocks of a connection and keeps its latencies, also if it is interrupted.
    fn run_span<'e>(
        &self,
        mut crew: Crew<'e>,
        calibration: &Calibration,
        span: &Range<u32>,
        watched: &mut Watched,
        attempt: &mut Attempt<'_, '_>,
    ) -> Result<Settling<'e>, Fault> {
        let finished = self.run_blocks(&mut crew, calibration, span, watched, attempt);
        let settling = self.keep_latencies(crew, attempt.store)?;
        finished.map(|()| settling)
    }

    fn keep_latencies<'c>(&self, crew: Crew<'c>, store: &mut Store) -> Result<Settling<'c>, Fault> {
        let (buckets, settling) = crew.finish();
        let expected = self.expected();
        let recorded = self.journal.blocks(expected.session.number, expected.test);
        let on_record = expected.blocks.is_some_and(|blocks| recorded >= blocks);
        for (subject, buckets) in buckets.into_iter().filter(|_| !self.is_unrecorded() && !on_record) {
            let (test, session) = (self.test().name.clone(), self.session.number);
            store.append_latency(&Latency { test, session, subject, buckets })?;
        }
        Ok(settling)
    }

    fn settle(&self, clock: &Arc<dyn Clock>) -> Settle<'_> {
        let (plan, test) = (self.run.plan, self.test());
        let last_write = self.tests.iter().rev().find(|test| test.phase == Phase::Write);
        let is_own = !plan.compat || test.payment != Payment::Usual;
        Settle {
            run: self.run,
            session: self.session.number,
            test: &test.name,
            data: plan.scale_of_session(self.session),
            clock: Arc::clone(clock),
            journal: self.journal,
            records: !self.is_unrecorded(),
            pays: is_own || last_write.is_some_and(|last| last.name == test.name),
            records_debt: is_own,
            reads_folder: false,
            lasts_seconds: None,
            look: None,
            verify: None,
            sums_up: sums_contents(test, self.tests, &plan.scale_of(test)),
        }
    }

    /// Runs the blocks of a connection. Blocks that are on record from before an interruption are skipped if the
    /// test reads, and repeated unrecorded if it writes.
    fn run_blocks(
        &self,
        crew: &mut Crew<'_>,
        calibration: &Calibration,
        span: &Range<u32>,
        watched: &mut Watched,
        attempt: &mut Attempt<'_, '_>,
    ) -> Result<(), Fault> {
        let (plan, session, name) = (self.run.plan, self.session.number, &self.test().name);
        let (subjects, work) = (plan.subjects.len(), &self.work(calibration));
        let done = self.journal.blocks(session, name);
        let first = if self.test().writes { span.start } else { span.start.max(done) };
        let seed = block_seed(plan.seed, name, session, u32::MAX - 1).wrapping_add(u64::from(span.start));
        let warm_up = Turn { order: &order(plan.seed, name, session, first, subjects), seed, work };
        let faults = crew.warm_up(self.warm_up_blocks(calibration), &warm_up);
        attempt.exits.extend(faults.into_iter().map(|(subject, fault)| Exit { subject, fault }));
        for index in first..span.end {
            self.run.check_interrupt()?;
            if !self.has_work(&crew.alive()) {
                break;
            }
            if index == done {
                // The latencies of blocks that were on record are on record as well.
                crew.forget_latencies();
            }
            let turn = Turn {
                order: &order(plan.seed, name, session, index, subjects),
                seed: block_seed(plan.seed, name, session, index),
                work,
            };
            let outcome = crew.block(&turn);
            attempt.exits.extend(outcome.faults.into_iter().map(|(subject, fault)| Exit { subject, fault }));
            if index >= done && !self.is_unrecorded() {
                self.record(index, outcome.slices, watched, attempt)?;
            }
            self.tell(index, self.blocks(calibration));
        }
        Ok(())
    }

    fn record(
        &self,
        index: u32,
        slices: Vec<Slice>,
        watched: &mut Watched,
        attempt: &mut Attempt<'_, '_>,
    ) -> Result<(), Fault> {
        let (test, session) = (self.test().name.clone(), self.session.number);
        let block = Block { test, session, index, slices, discarded: None };
        let discard = watched.blocks.block(&block);
        attempt.sink.block(attempt.store, block)?;
        self.discard(discard, attempt)
    }

    /// Reports progress ten times per cell: often enough to follow it, and seldom enough to cost nothing.
    fn tell(&self, index: u32, total: u32) {
        if index.is_multiple_of((total / 10).max(1)) {
            let what = format!("session {} · {}", self.session.number + 1, self.test().name);
            let (done, total) = (u64::from(index), Some(u64::from(total)));
            self.run.reporter.update(Update::Part { what: &what, done, total, unit: "blocks" });
        }
    }
}
