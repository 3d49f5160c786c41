//! A step: one whole piece of work of a suite, in chunks of seconds. Connects, runs its chunks, settles, and
//! checks the tables' contents. `step/examination.rs` finds out what explanations need.

mod examination;

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, Server, StepSeat, StepWork, Steps, Update};
use humdrum_drive::{StepCrew, StepLane};
use humdrum_model::{
    Background, Block, Event, Fault, Latency, Metric, Moment, SLA_SHARE, SessionInfo, StepFacts, TestInfo,
    TestStatus,
};
use humdrum_plan::{block_seed, chunk, chunks, injected, order};
use humdrum_record::Store;

use super::{Consequence, Done, Exit, Ran, Sink, Unit};
use crate::events::ends_the_run;
use crate::journal::{Expected, Journal};
use crate::probe::probe;
use crate::roster::Entrant;
use crate::run::Run;
use crate::settle::{Control, DEBT_TIMEOUT, Look, STATE_TIMEOUT, Settle, Verify};
use examination::{ExaminedSubject, StepExamination};

/// A step in a session.
pub(crate) struct Step<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) steps: &'a dyn Steps,
    pub(crate) session: &'a SessionInfo,
    /// The record when the session began.
    pub(crate) journal: &'a Journal,
    /// All steps of the session, in order.
    pub(crate) tests: &'a [&'a TestInfo],
    /// The index of this step.
    pub(crate) position: usize,
}

impl Unit for Step<'_> {
    fn test(&self) -> &TestInfo {
        self.tests[self.position]
    }

    fn position(&self) -> usize {
        self.position
    }

    /// True, because every step builds upon the tables that the step before left.
    fn changes_data(&self) -> bool {
        true
    }

    /// None: data are fresh in every session, so a subject that failed in an earlier one runs again.
    fn excluded(&self) -> Vec<usize> {
        Vec::new()
    }

    fn expected(&self) -> Expected<'_> {
        let name = &self.test().name;
        let blocks = self.work().map(|work| chunks(&work, self.run.plan.mode) as u32);
        Expected {
            session: self.session,
            test: name,
            blocks: blocks.ok(),
            settled_by: Some(Moment::After),
            excluded: self.journal.failed_in(name, Some(self.session.number)),
            unrecorded: false,
        }
    }

    fn consequence(&self) -> Consequence {
        Consequence::RestOfSession
    }

    fn run(
        &self,
        clock: Arc<dyn Clock>,
        metrics: &[Metric],
        entrants: Vec<Entrant<'_>>,
        store: &mut Store,
        sink: &mut dyn Sink,
    ) -> (Done, Result<(), Fault>) {
        match self.measure(clock, metrics, entrants, store, sink) {
            Ok(done) => (done, Ok(())),
            Err(fault) => (Done::default(), Err(fault)),
        }
    }
}

impl Step<'_> {
    fn seat(&self) -> StepSeat<'_> {
        let plan = self.run.plan;
        StepSeat { test: &self.test().name, scale: &plan.scale, seed: plan.seed, compat: plan.compat }
    }

    fn work(&self) -> Result<StepWork, Fault> {
        let plan = self.run.plan;
        self.steps.work(&self.test().name, &plan.scale, plan.compat)
    }

    fn measure(
        &self,
        clock: Arc<dyn Clock>,
        metrics: &[Metric],
        entrants: Vec<Entrant<'_>>,
        store: &mut Store,
        sink: &mut dyn Sink,
    ) -> Result<Done, Fault> {
        let work = self.work()?;
        let (mut exits, mut examination) = (Vec::new(), StepExamination::default());
        let (lanes, mut controls) = self.lanes(entrants, &work, metrics, &mut examination, &mut exits)?;
        let interrupt = &self.run.places.dirs.interrupt;
        let mut crew = StepCrew::new(Arc::clone(&clock), interrupt, work, lanes);
        let ran = self.chunks(&mut crew, &work, store, sink, &mut examination, &mut exits);
        examination.end(&self.run.catalogue.host);
        let (facts, settling) = crew.finish();
        ran?;
        for facts in facts {
            self.keep(facts, store)?;
        }
        let verify = |connection: &mut Connection, dialect: Option<&dyn Dialect>| {
            let done: Vec<&str> =
                self.tests[..=self.position].iter().map(|test| test.name.as_str()).collect();
            self.steps.verify(&done, &self.seat(), connection, dialect)
        };
        let look = |subject: usize, server: &dyn Server, connection: &mut Connection| {
            examination.look(self, subject, server, connection);
        };
        let verify = self.verifies().then_some(&verify as Verify<'_>);
        let settle = self.settle(clock, &look, verify);
        let contents = settle.each(settling, &mut controls, store, &mut exits)?;
        drop(settle);
        examination.keep(self, store)?;
        let contents = contents.into_iter().map(|(subject, found)| (subject, Some(found))).collect();
        Ok(Done { exits, contents, ran: Ran::Whole })
    }

    /// Whether the server's debt is paid and measured after this step.
    fn pays(&self) -> bool {
        self.wait_seconds().is_some()
    }

    fn wait_seconds(&self) -> Option<f64> {
        self.steps.wait_seconds(&self.test().name, &self.run.plan.scale)
    }

    fn settle<'s>(&'s self, clock: Arc<dyn Clock>, look: Look<'s>, verify: Option<Verify<'s>>) -> Settle<'s> {
        Settle {
            run: self.run,
            session: self.session.number,
            test: &self.test().name,
            data: self.run.plan.scale.clone(),
            clock,
            journal: self.journal,
            records: true,
            pays: self.pays(),
            records_debt: self.pays(),
            reads_folder: true,
            // As the reference does it, the rest of the wait is slept out; else it is over when the debt is paid.
            lasts_seconds: self.wait_seconds().filter(|_| self.run.plan.compat),
            look: Some(look),
            verify,
            sums_up: false,
        }
    }

    /// Whether contents are checked after this step. Counting rows reads the whole table, which changes it in
    /// some engines (hint bits), so with `--compat` only the last step is checked.
    fn verifies(&self) -> bool {
        !self.run.plan.compat || self.position + 1 == self.tests.len()
    }

    /// Opens control connections and connects all clients. A subject without a connection does not run.
    fn lanes<'s>(
        &self,
        entrants: Vec<Entrant<'s>>,
        work: &StepWork,
        metrics: &[Metric],
        examination: &mut StepExamination,
        exits: &mut Vec<Exit>,
    ) -> Result<(Vec<StepLane<'s>>, Vec<Control>), Fault> {
        let (mut lanes, mut controls) = (Vec::new(), Vec::new());
        for entrant in entrants {
            let subject = entrant.subject;
            match self.lane(entrant, work, metrics) {
                Ok((lane, connection, examined)) => {
                    lanes.push(lane);
                    examination.begin(examined);
                    controls.push(Control { subject, connection });
                }
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => exits.push(Exit { subject, fault }),
            }
        }
        Ok((lanes, controls))
    }

    fn lane<'s>(
        &self,
        entrant: Entrant<'s>,
        work: &StepWork,
        metrics: &[Metric],
    ) -> Result<(StepLane<'s>, Connection, ExaminedSubject), Fault> {
        let Entrant { subject, instance } = entrant;
        let server = &mut instance.server;
        let explain = |fault| server.explain(fault);
        let mut control = server.connect(STATE_TIMEOUT).map_err(explain)?;
        // What is not cut into chunks is one statement, which takes as long as it takes.
        let seconds = self.run.plan.design.timeout_seconds;
        let timeout = if work.chunked { Duration::from_secs_f64(seconds) } else { DEBT_TIMEOUT };
        let mut open = || server.connect(timeout);
        let clients = self.steps.streams(&self.seat(), &mut open, server.dialect()).map_err(explain)?;
        let streams = clients.iter().flat_map(|client| client.all());
        let serving: Vec<u32> = streams.filter_map(|stream| stream.server_process()).collect();
        let probe = probe(self.run, &**server, serving.clone(), metrics);
        let examined = ExaminedSubject::begin(self, subject, &**server, &mut control, (serving, metrics));
        let plan = self.run.plan;
        let seed = block_seed(plan.seed, &self.test().name, self.session.number, u32::MAX);
        let injection = injected(&plan.subjects[subject], seed);
        Ok((StepLane { subject, server: &mut **server, clients, probe, injection }, control, examined))
    }

    fn chunks(
        &self,
        crew: &mut StepCrew<'_>,
        work: &StepWork,
        store: &mut Store,
        sink: &mut dyn Sink,
        examination: &mut StepExamination,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let (plan, session, name) = (self.run.plan, self.session.number, &self.test().name);
        let (count, on_record) = (chunks(work, plan.mode), self.journal.blocks(session, name));
        for index in 0..count {
            self.tell(index, count);
            let (number, mut slices) = (index as u32, Vec::new());
            for subject in order(plan.seed, name, session, number, plan.subjects.len()) {
                if !crew.alive().contains(&subject) {
                    continue;
                }
                let mut turn = || crew.chunk(subject, chunk(work, count, index));
                let done = examination.turn(self, subject, (index, count), &mut turn)?;
                if self.run.sampler.is_some() {
                    crew.freeze(subject)?;
                }
                match done {
                    Ok(slice) => {
                        examination.add(&slice);
                        slices.push(slice);
                    }
                    Err(fault) if ends_the_run(&fault) => return Err(fault),
                    Err(fault) => exits.push(Exit { subject, fault }),
                }
            }
            if !slices.is_empty() && number >= on_record {
                sink.block(
                    store,
                    Block { test: name.clone(), session, index: number, slices, discarded: None },
                )?;
            }
        }
        self.tell(count, count);
        Ok(())
    }

    fn tell(&self, done: u64, total: u64) {
        let what = format!("session {} · {}", self.session.number + 1, self.test().name);
        self.run.reporter.update(Update::Part { what: &what, done, total: Some(total), unit: "chunks" });
    }

    fn keep(&self, facts: StepFacts, store: &mut Store) -> Result<(), Fault> {
        let (test, session, subject) = (self.test().name.clone(), self.session.number, facts.subject);
        if self.journal.has_step(&test, session, subject) {
            return Ok(());
        }
        let facts = StepFacts { test: test.clone(), session, ..facts };
        let event = missed(&facts).map(|what| Event {
            subject: Some(subject),
            test: Some(test.clone()),
            session: Some(session),
            status: TestStatus::SlaMissed,
            what,
            log_tail: None,
        });
        let buckets = facts.main_stream().map(|stream| stream.response.clone()).unwrap_or_default();
        store.append_whole_step(&facts, &Latency { test, session, subject, buckets }, event.as_ref())
    }
}

/// The message for writers that did not keep their pace.
fn missed(facts: &StepFacts) -> Option<String> {
    let Background { target, rate, worst_10s } = humdrum_analyse::background(facts)?;
    (rate < SLA_SHARE * target).then(|| {
        format!(
            "{rate:.1} rows/s inserted of {target:.0} wanted ({:.0} %), {worst_10s:.1} in the worst ten seconds",
            100.0 * rate / target
        )
    })
}
