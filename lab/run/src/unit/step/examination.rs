//! What is found out about a step for explanations, outside its chunks: what each server counted from its first chunk to its
//! last, and its plans for the step's queries. A whole step cannot run again for a moment, as a test does that is examined, so
//! that each session of the step is a round of its examination.

use std::cell::RefCell;

use humdrum_contract::{Connection, Server};
use humdrum_model::{
    CounterDelta, Event, Examination, Fault, Metric, PlanRows, PlanRun, QueryPlan, Slice, TestStatus,
};
use humdrum_record::Store;

use super::Step;
use crate::catalogue::HostProbes;
use crate::examine::counters::{Counts, lag};
use crate::examine::kernel::Reading;
use crate::examine::{NO_WAITS, plans};
use crate::sampler::{Sampled, Turn};
use crate::unit::Unit;

/// All subjects of a step.
#[derive(Default)]
pub(super) struct StepExamination {
    all: Vec<ExaminedSubject>,
    found: RefCell<Vec<Found>>,
}

/// One subject, from its first chunk to its last.
pub(super) struct ExaminedSubject {
    subject: usize,
    /// Processes and threads that serve its clients.
    serving: Vec<u32>,
    /// All that the server had before the first chunk.
    server: Vec<u32>,
    /// Positions of the readings of CPU and of waiting for a processor.
    busy: Option<[usize; 2]>,
    counts: Counts,
    no_waits: Option<&'static str>,
    before: Reading,
    /// What the kernel counted.
    kernel: Vec<CounterDelta>,
    operations: u64,
    wall_ns: u64,
}

/// What was found out about one subject after its last chunk.
struct Found {
    subject: usize,
    counters: Vec<CounterDelta>,
    plans: Vec<QueryPlan>,
    runs: Vec<PlanRun>,
    refused: Option<Fault>,
}

impl ExaminedSubject {
    /// Reads the counters before the first chunk. `serving` are the processes and threads of the clients' connections.
    pub(super) fn begin(
        step: &Step<'_>,
        subject: usize,
        server: &dyn Server,
        connection: &mut Connection,
        (serving, metrics): (Vec<u32>, &[Metric]),
    ) -> Self {
        let threads: Vec<u32> = server.processes().into_iter().map(|process| process.pid).collect();
        let [cpu, queue] = ["server_cpu_ns", "run_queue_wait_ns"].map(|name| Metric::position(metrics, name));
        let counts = Counts::all(connection, server);
        Self {
            subject,
            busy: cpu.zip(queue).map(|(cpu, queue)| [cpu, queue]),
            no_waits: counts.why_no_waits(server),
            before: Reading::take(&step.run.catalogue.host, &serving, &threads, None),
            serving,
            server: threads,
            counts,
            kernel: Vec::new(),
            operations: 0,
            wall_ns: 0,
        }
    }
}

impl StepExamination {
    pub(super) fn begin(&mut self, examined: ExaminedSubject) {
        self.all.push(examined);
    }

    fn of(&self, subject: usize) -> Option<&ExaminedSubject> {
        self.all.iter().find(|one| one.subject == subject)
    }

    /// One subject's turn, with samples of its server if this step is to be profiled.
    ///
    /// # Errors
    /// No tool may sample. The outcome of the turn is inside.
    pub(super) fn turn(
        &self,
        step: &Step<'_>,
        subject: usize,
        place: (u64, u64),
        turn: &mut dyn FnMut() -> Turn,
    ) -> Result<Turn, Fault> {
        let sampler = step.run.sampler.filter(|sampler| sampler.is_for(&step.test().name));
        let Some((sampler, examined)) = sampler.zip(self.of(subject)) else { return Ok(turn()) };
        let ExaminedSubject { serving, server, busy, .. } = examined;
        sampler.chunk(place, &Sampled { subject, serving, server, busy: *busy }, turn)
    }

    /// Adds the work of a chunk.
    pub(super) fn add(&mut self, slice: &Slice) {
        if let Some(one) = self.all.iter_mut().find(|one| one.subject == slice.subject) {
            one.operations += slice.operations;
            one.wall_ns += slice.wall_ns;
        }
    }

    /// Reads what the kernel counted, after the last chunk and before the connections are closed: their threads end with them.
    pub(super) fn end(&mut self, host: &HostProbes) {
        for one in &mut self.all {
            let after = Reading::take(host, &one.serving, &one.server, None);
            one.kernel = one.before.until(&after, &one.serving);
        }
    }

    /// Looks at one subject after its last chunk, while it has the host to itself.
    pub(super) fn look(
        &self,
        step: &Step<'_>,
        subject: usize,
        server: &dyn Server,
        connection: &mut Connection,
    ) {
        let Some(examined) = self.of(subject) else { return };
        // Where the debt is measured, a server gets no time to pay before. Counters of old releases may be half a second old there.
        if !step.pays() {
            server.clock().sleep(lag(server));
        }
        let mut counters = examined.counts.until(Counts::all(connection, server));
        counters.extend(examined.kernel.iter().cloned());
        let mut found = Found { subject, counters, plans: Vec::new(), runs: Vec::new(), refused: None };
        found.ask(step, server);
        self.found.borrow_mut().push(found);
    }

    /// Keeps everything that is not on record.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(super) fn keep(self, step: &Step<'_>, store: &mut Store) -> Result<(), Fault> {
        let Self { all, found } = self;
        let (test, round) = (&step.test().name, step.session.number);
        for Found { subject, counters, plans, runs, refused } in found.into_inner() {
            let Some(examined) = all.iter().find(|one| one.subject == subject) else { continue };
            let same = |one: &Examination| one.test == *test && (one.round, one.subject) == (round, subject);
            let is_known = step.journal.results().examinations.iter().any(same);
            if !is_known && examined.operations > 0 {
                store.append_examination(&Examination {
                    test: test.clone(),
                    round,
                    subject,
                    operations: examined.operations,
                    wall_ns: examined.wall_ns,
                    counters,
                    samples: 0,
                    waits: Vec::new(),
                })?;
            }
            plans.iter().try_for_each(|plan| store.append_query_plan(plan))?;
            runs.iter().try_for_each(|run| store.append_plan_run(run))?;
            if let Some(fault) = refused {
                let what = format!("{test} {}: {fault}", plans::NOT_EXPLAINED);
                tell(step, (subject, Some(test)), what, store)?;
            }
            if let Some(why) = examined.no_waits.filter(|_| step.position == 0) {
                tell(step, (subject, None), format!("{NO_WAITS}: {why}"), store)?;
            }
        }
        Ok(())
    }
}

impl Found {
    /// Asks for the plans of the step's queries that are not on record. Each query also runs once for the rows of its plan's steps:
    /// whether another subject runs it in another way is not known where one subject has the host at a time.
    fn ask(&mut self, step: &Step<'_>, server: &dyn Server) {
        let (test, subject) = (&step.test().name, self.subject);
        let statements = unasked(step, subject, server);
        let Some(dialect) = server.dialect().filter(|_| !statements.is_empty()) else { return };
        let Ok(mut connection) = server.connect(plans::timeout(step.run)) else { return };
        let Ok(session) = connection.sql() else { return };
        (self.plans, self.refused) = plans::asked(session, dialect, (test.as_str(), subject), statements);
        for plan in &self.plans {
            let statement = plan.statement.clone();
            let rows = plans::told(step.run, server, dialect, &statement);
            let rows = rows.unwrap_or_else(|fault| PlanRows::NotTold(fault.to_string()));
            self.runs.push(PlanRun { test: test.clone(), subject, statement, rows });
        }
    }
}

/// Queries of a step for which this subject has given no plan yet.
fn unasked(step: &Step<'_>, subject: usize, server: &dyn Server) -> Vec<String> {
    let test = &step.test().name;
    let statements = step.steps.queries(test, &step.run.plan.scale, server.dialect());
    plans::without_plan(statements, &step.journal.results().query_plans, (test, subject))
}

/// Notes something about a subject, once, in the record, for explanations.
fn tell(
    step: &Step<'_>,
    (subject, test): (usize, Option<&String>),
    what: String,
    store: &mut Store,
) -> Result<(), Fault> {
    let known = &step.journal.results().events;
    if known.iter().any(|event| event.subject == Some(subject) && event.what == what) {
        return Ok(());
    }
    step.run.note(&format!("{}: {what}", step.run.label(subject)));
    store.append_event(&Event {
        subject: Some(subject),
        test: test.cloned(),
        session: None,
        status: TestStatus::Ok,
        what,
        log_tail: None,
    })
}
