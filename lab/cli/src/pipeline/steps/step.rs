//! One step of those subjects that take part: connect, look, run its chunks, look again, check what the tables hold.

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Progress, Server, StepSeat, StepWork, Update};
use humdrum_drive::{StepCrew, StepLane};
use humdrum_model::{Fault, Latency, Metric, Results, SessionInfo, Slice, StepFacts, TestInfo, TestStatus};
use humdrum_plan::{chunk, chunks, order};
use humdrum_record::Store;

use super::super::aftermath::{GLANCE, PATIENCE, Steward};
use super::super::cell::{Exit, probe};
use super::super::ends_the_run;
use super::Course;
use super::aftermath::{Settling, missed};
use super::taking::Done;

/// A step in a session.
pub struct Step<'a> {
    pub course: &'a Course<'a>,
    pub session: &'a SessionInfo,
    /// Which of the plan's tests.
    pub number: usize,
    pub clock: Arc<dyn Clock>,
    pub metrics: &'a [Metric],
    /// What the store held when the session began.
    pub before: &'a Results,
}

/// Takes the slices of a chunk.
pub type Sink<'s> = dyn FnMut(&mut Store, u32, Vec<Slice>) -> Result<(), Fault> + 's;

/// A server that takes part.
pub type Entrant<'s> = (usize, &'s mut dyn Server);

impl Step<'_> {
    fn test(&self) -> &TestInfo {
        &self.course.plan.tests[self.number]
    }

    fn seat(&self) -> StepSeat<'_> {
        let plan = self.course.plan;
        StepSeat { test: &self.test().name, scale: &plan.scale, seed: plan.seed, compat: plan.compat }
    }

    /// Runs it.
    ///
    /// # Errors
    /// Interrupted, usage, or the store.
    pub fn run(
        &self,
        servers: Vec<Entrant<'_>>,
        store: &mut Store,
        sink: &mut Sink<'_>,
    ) -> Result<Done, Fault> {
        self.course.dirs.interrupt.check()?;
        let plan = self.course.plan;
        let work = self.course.steps.work(&self.test().name, &plan.scale, plan.compat)?;
        let mut exits = Vec::new();
        let (lanes, mut stewards) = self.lanes(servers, &work, &mut exits)?;
        let settling = self.settling();
        let mut crew = StepCrew::new(Arc::clone(&self.clock), &self.course.dirs.interrupt, work, lanes);
        let ran = self.chunks(&mut crew, &work, store, sink, &mut exits);
        let (facts, aftermath) = crew.finish();
        ran?;
        for facts in facts {
            self.keep(facts, store)?;
        }
        let contents = settling.settle(aftermath, &mut stewards, store, &mut exits)?;
        Ok(Done { exits, contents })
    }

    fn settling(&self) -> Settling<'_> {
        let done: Vec<&str> =
            self.course.plan.tests[..=self.number].iter().map(|test| test.name.as_str()).collect();
        Settling {
            course: self.course,
            session: self.session.number,
            seat: self.seat(),
            done,
            clock: Arc::clone(&self.clock),
            before: self.before,
        }
    }

    /// Connects stewards and all clients; whoever cannot is out.
    fn lanes<'s>(
        &self,
        servers: Vec<Entrant<'s>>,
        work: &StepWork,
        exits: &mut Vec<Exit>,
    ) -> Result<(Vec<StepLane<'s>>, Vec<Steward>), Fault> {
        let (mut lanes, mut stewards) = (Vec::new(), Vec::new());
        for (subject, server) in servers {
            match self.lane(subject, server, work) {
                Ok((lane, connection)) => {
                    lanes.push(lane);
                    stewards.push(Steward { subject, connection });
                }
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => exits.push(Exit { subject, fault }),
            }
        }
        Ok((lanes, stewards))
    }

    fn lane<'s>(
        &self,
        subject: usize,
        server: &'s mut dyn Server,
        work: &StepWork,
    ) -> Result<(StepLane<'s>, humdrum_contract::Connection), Fault> {
        let explain = |fault| server.explain(fault);
        let steward = server.connect(GLANCE).map_err(explain)?;
        // What is not cut into chunks is one statement, which takes as long as it takes.
        let seconds = self.course.plan.design.timeout_seconds;
        let timeout = if work.chunked { Duration::from_secs_f64(seconds) } else { PATIENCE };
        let mut open = || server.connect(timeout);
        let clients =
            self.course.steps.streams(&self.seat(), &mut open, server.dialect()).map_err(explain)?;
        let serving =
            clients.iter().flat_map(|streams| streams.all().filter_map(|stream| stream.server_process()));
        let probes = self.course.lab.probes_for(self.course.workload, self.clock.is_virtual());
        let probe = probe(&*server, serving.collect(), &probes, self.metrics);
        Ok((StepLane { subject, server, clients, probe }, steward))
    }

    fn chunks(
        &self,
        crew: &mut StepCrew<'_>,
        work: &StepWork,
        store: &mut Store,
        sink: &mut Sink<'_>,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let plan = self.course.plan;
        let (subjects, name) = (plan.subjects.len(), &self.test().name);
        let count = chunks(work, plan.mode);
        for index in 0..count {
            self.tell(index, count);
            let mut slices = Vec::new();
            for subject in order(plan.seed, name, self.session.number, index as u32, subjects) {
                if !crew.alive().contains(&subject) {
                    continue;
                }
                match crew.chunk(subject, chunk(work, count, index)) {
                    Ok(slice) => slices.push(slice),
                    Err(fault) if ends_the_run(&fault) => return Err(fault),
                    Err(fault) => exits.push(Exit { subject, fault }),
                }
            }
            if !slices.is_empty() {
                sink(store, index as u32, slices)?;
            }
        }
        self.tell(count, count);
        Ok(())
    }

    fn tell(&self, done: u64, total: u64) {
        let what = format!("session {} · {}", self.session.number + 1, self.test().name);
        let total = Some(total);
        self.course.lab.console.update(Update::Part { what: &what, done, total, unit: "chunks" });
    }

    /// What an interrupted run left of this step is not written twice.
    fn is_on_record(&self, subject: usize) -> bool {
        let (test, session) = (&self.test().name, self.session.number);
        let own = |facts: &StepFacts| (&facts.test, facts.session, facts.subject) == (test, session, subject);
        self.before.steps.iter().any(own)
    }

    fn keep(&self, facts: StepFacts, store: &mut Store) -> Result<(), Fault> {
        if self.is_on_record(facts.subject) {
            return Ok(());
        }
        let (test, session, subject) = (self.test().name.clone(), self.session.number, facts.subject);
        let facts = StepFacts { test: test.clone(), session, ..facts };
        if let Some(what) = missed(&facts) {
            let status = TestStatus::SlaMissed;
            let (test, session, subject) = (Some(test.clone()), Some(session), Some(subject));
            store.append_event(&humdrum_model::Event {
                subject,
                test,
                session,
                status,
                what,
                log_tail: None,
            })?;
        }
        let main = facts.stream("query").or_else(|| facts.stream("insert"));
        let buckets = main.map(|stream| stream.response.clone()).unwrap_or_default();
        store.append_latency(&Latency { test, session, subject, buckets })?;
        store.append_step(&facts)
    }
}
