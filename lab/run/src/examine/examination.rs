//! The examination of one subject in one round: some operations between two readings of the counters, then some more while
//! its sessions are sampled. What the kernel counts is read with the counters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use humdrum_contract::{Client, Connection, Outcome, ProbeContext, Seat};
use humdrum_drive::{BlockOutcome, Crew, Lane, Turn};
use humdrum_model::{
    Block, Calibration, CounterDelta, Examination, Fault, Injection, Profile, ProfileKind, Results, Slice,
    TestInfo, Wait, WaitCount, WaitKind,
};
use humdrum_plan::block_seed;
use humdrum_sample::Sampler;
use rustix::thread::{sched_getaffinity, sched_setaffinity};

use super::ROUNDS;
use super::counters::{Counts, lag};
use super::kernel::Reading;
use crate::instance::Instance;
use crate::run::Run;
use crate::settle::STATE_TIMEOUT;

/// The length of the operations between two readings. A sample of the sessions takes some milliseconds.
const EXAMINED_MS: f64 = 200.0;
/// The pause between two samples; it leaves half of the host to the subject.
const SAMPLE_EVERY: Duration = Duration::from_millis(1);
/// In place of a session's number: seeds of examinations differ from those of sessions.
const EXAMINATION: u32 = u32::MAX - 1;

/// Seconds of one examination of this server, all readings and connecting included.
pub(super) fn seconds_each(instance: &Instance) -> f64 {
    let server = &*instance.server;
    let waits = server.dialect().is_some_and(|dialect| dialect.waited().is_some());
    let pieces = if waits && !server.clock().is_virtual() { 3.0 } else { 2.0 };
    pieces * EXAMINED_MS / 1e3 + 0.1 + lag(server).as_secs_f64()
}

/// Whether work of this length is one of the rounds, which follow each other on the same data; a profile is longer.
fn is_of_round(length_ms: f64) -> bool {
    length_ms <= EXAMINED_MS
}

/// All processes and threads of a server, as the kernel numbers them.
pub(super) fn threads_of(instance: &Instance) -> Vec<u32> {
    instance.server.processes().into_iter().map(|process| process.pid).collect()
}

/// The subject, test and round of an examination.
pub(crate) struct Examinee<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) test: &'a TestInfo,
    pub(crate) results: &'a Results,
    pub(crate) round: u32,
    pub(crate) subject: usize,
}

impl Examinee<'_> {
    /// Examines it. Beside what it found, returns why the server does not count what its threads wait for.
    ///
    /// # Errors
    /// Any fault of the server.
    pub fn examine(&self, instance: &mut Instance) -> Outcome<(Examination, Option<&'static str>)> {
        let clock = instance.server.clock();
        let mut control = instance.server.connect(STATE_TIMEOUT)?;
        // It may ask the server, which counts that.
        let server = threads_of(instance);
        let before = Counts::all(&mut control, &*instance.server);
        let no_waits = before.why_no_waits(&*instance.server);
        let data = instance.server.data_folder().filter(|_| !clock.is_virtual());
        let mut kernel = Vec::new();
        let (operations, _) = self.work(instance, EXAMINED_MS, |crew, turn, serving| {
            let read = || Reading::take(&self.run.catalogue.host, serving, &server, data.as_deref());
            let before = read();
            let outcome = crew.block(turn);
            kernel = before.until(&read(), serving);
            outcome
        })?;
        clock.sleep(lag(&*instance.server));
        let mut counters = before.until(Counts::all(&mut control, &*instance.server));
        counters.extend(kernel);
        if let Some(waited) = self.more_waits(instance, &mut control, operations)? {
            // What it counts anyway was counted above, where nothing slowed it; what it does not count then did not grow.
            counters.retain(|one| !WaitCount::is(&one.name) || one.delta > 0.0);
            let known: BTreeSet<String> = counters.iter().map(|one| one.name.clone()).collect();
            counters.extend(waited.into_iter().filter(|one| !known.contains(&one.name)));
        }
        drop(control);
        let asks = instance.server.dialect().and_then(|dialect| dialect.waits());
        let mut samples = Samples::default();
        let mut wall_ns = 0;
        if let Some(sql) = asks.filter(|_| !clock.is_virtual()) {
            let mut sampler = instance.server.connect(STATE_TIMEOUT)?;
            let asked = |_: &[u32], done: &AtomicBool| {
                samples.take(&sql, &mut sampler, done);
                Ok(())
            };
            ((_, wall_ns), ()) = self.beside(instance, EXAMINED_MS, asked)?;
        }
        let Samples { seen, waits } = samples;
        let waits = waits.into_iter().map(|((kind, event), samples)| Wait { kind, event, samples });
        let examination = Examination {
            test: self.test.name.clone(),
            round: self.round,
            subject: self.subject,
            operations,
            wall_ns,
            counters,
            samples: seen,
            waits: waits.collect(),
        };
        Ok((examination, no_waits))
    }

    /// What its threads waited for in other operations, while the server counts kinds of waits that it does not count while it
    /// is measured. That slows it, so that nothing else is counted meanwhile. The counters are scaled to `operations`. `None`
    /// where it counts no more kinds.
    fn more_waits(
        &self,
        instance: &mut Instance,
        control: &mut Connection,
        operations: u64,
    ) -> Outcome<Option<Vec<CounterDelta>>> {
        // A server that cannot be told to counts what it counts anyway.
        if !instance.server.count_waits(true).unwrap_or(false) {
            return Ok(None);
        }
        let before = Counts::waits(control, &*instance.server);
        let worked = self.work(instance, EXAMINED_MS, |crew, turn, _| crew.block(turn));
        let waited = before.until(Counts::waits(control, &*instance.server));
        let counts = instance.server.count_waits(false);
        let (calls, _) = worked?;
        counts?;
        let scale = operations as f64 / calls.max(1) as f64;
        Ok(Some(waited.into_iter().map(|one| CounterDelta { delta: one.delta * scale, ..one }).collect()))
    }

    /// The profile of this subject in this round.
    pub(super) fn profile(&self, kind: ProfileKind, sample_us: f64, stacks: Vec<(String, u64)>) -> Profile {
        let (round, subject) = (self.round, self.subject);
        Profile { test: self.test.name.clone(), round, subject, kind, sample_us, stacks }
    }

    /// µs of one operation as measured: the mean over all counted operations.
    pub(super) fn operation_us(&self) -> f64 {
        let (wall_ns, operations) =
            self.slices(|_| true).fold((0, 0), |sum, one| (sum.0 + one.wall_ns, sum.1 + one.operations));
        wall_ns as f64 / 1e3 / operations.max(1) as f64
    }

    /// µs of one operation in which its session was neither on a processor nor ready for one, by the kernel's
    /// clocks. Taken from every `rounds`th session of the run, or from all if it has fewer. `None` if the
    /// host does not show those clocks.
    pub(super) fn waited_us(&self, rounds: u32) -> Option<f64> {
        let place = |name: &str| self.results.metric_position(name);
        let (cpu, queue) = (place("server_cpu_ns")?, place("run_queue_wait_ns")?);
        let clients = f64::from(self.run.plan.clients_of(self.test).max(1));
        let mean = |counts: &dyn Fn(&Block) -> bool| {
            let mut sums = (0, 0, 0, 0);
            for slice in self.slices(counts) {
                let busy = slice.readings.get(cpu)? + slice.readings.get(queue)?;
                // The clocks ran during operations that are not counted, too.
                let calls = slice.operations + slice.guard_operations;
                sums = (sums.0 + slice.wall_ns, sums.1 + slice.operations, sums.2 + busy, sums.3 + calls);
            }
            let (wall_ns, operations, busy_ns, calls) = sums;
            let each = wall_ns as f64 * clients / operations as f64 - busy_ns as f64 / calls as f64;
            (operations > 0).then_some(each.max(0.0) / 1e3)
        };
        mean(&|block| block.session % rounds == self.round % rounds).or_else(|| mean(&|_| true))
    }

    /// This subject's slices of this test, of blocks that count.
    fn slices<'s>(&'s self, counts: impl Fn(&Block) -> bool + 's) -> impl Iterator<Item = &'s Slice> + 's {
        let blocks = self.results.counted_blocks(&self.test.name).filter(move |block| counts(block));
        let slices = blocks.flat_map(|block| &block.slices);
        slices.filter(|slice| slice.subject == self.subject)
    }

    /// Connects, works for about `length_ms`, and closes the connections. `block` does the work; it gets the
    /// processes and threads that serve the clients. Returns the calls of the client and the time of the
    /// counted ones.
    pub(super) fn work(
        &self,
        instance: &mut Instance,
        length_ms: f64,
        block: impl FnOnce(&mut Crew<'_>, &Turn<'_>, &[u32]) -> BlockOutcome,
    ) -> Outcome<(u64, u64)> {
        let clients = (0..self.run.plan.clients_of(self.test)).map(|number| self.client(instance, number));
        let clients = clients.collect::<Outcome<Vec<_>>>()?;
        let serving: Vec<u32> = clients.iter().filter_map(|client| client.server_process()).collect();
        let work = self.calibration(length_ms)?;
        let clock = instance.server.clock();
        let probe = Sampler::new(Vec::new(), &[], &ProbeContext::default(), Some(&[]));
        let lane = Lane {
            subject: self.subject,
            server: &mut *instance.server,
            clients,
            probe: Box::new(probe),
            injection: Injection::default(),
        };
        let seen = instance.examined.get(&self.test.name).filter(|_| is_of_round(length_ms));
        let before = *seen.unwrap_or(&0);
        let mut crew = Crew::awake(clock, vec![lane], self.test.writes).after(before);
        let seed = block_seed(self.run.plan.seed, &self.test.name, EXAMINATION, self.round);
        let mut outcome = block(&mut crew, &Turn { order: &[self.subject], seed, work: &work }, &serving);
        if let Some((_, fault)) = outcome.faults.pop() {
            return Err(fault);
        }
        let wall_ns = outcome.slices.iter().map(|slice| slice.wall_ns).sum();
        let done = crew.finish().1.operations;
        instance.examined.insert(self.test.name.clone(), done);
        Ok((done - before, wall_ns))
    }

    /// As `work`, with `sample` on a thread of its own meanwhile. `sample` gets the threads that serve the
    /// clients, and a signal of their end.
    pub(super) fn beside<T: Send>(
        &self,
        instance: &mut Instance,
        length_ms: f64,
        sample: impl FnOnce(&[u32], &AtomicBool) -> Outcome<T> + Send,
    ) -> Outcome<((u64, u64), T)> {
        // The clients' thread shares a processor with the server from here on. The sampling thread must not: it would run
        // only when the two have nothing to do.
        let anywhere = sched_getaffinity(None);
        let mut seen = Err(Fault::crash("nothing was sampled"));
        let worked = self.work(instance, length_ms, |crew, turn, serving| {
            let done = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let sampling = scope.spawn(|| {
                    if let Ok(anywhere) = &anywhere {
                        // If that is refused, it samples from the same processor, less often.
                        let _ = sched_setaffinity(None, anywhere);
                    }
                    sample(serving, &done)
                });
                let outcome = crew.block(turn);
                done.store(true, Ordering::Relaxed);
                seen = sampling.join().unwrap_or_else(|_| Err(Fault::crash("a sampling thread panicked")));
                outcome
            })
        })?;
        Ok((worked, seen?))
    }

    fn client(&self, instance: &Instance, number: u32) -> Outcome<Box<dyn Client>> {
        let timeout = Duration::from_secs_f64(self.run.plan.design.timeout_seconds);
        let (plan, test) = (self.run.plan, self.test);
        let seat = Seat { test: test.own_name(), scale: &plan.scale_of(test), number, compat: plan.compat };
        self.run.workload.client(&seat, instance.server.connect(timeout)?, instance.server.dialect())
    }

    /// The number of operations that the test's slices do in that time.
    fn calibration(&self, length_ms: f64) -> Outcome<Calibration> {
        let known = self.results.calibrations.iter().find(|one| one.test == self.test.name);
        let known = known.ok_or_else(|| Fault::usage("the test has no slices yet"))?;
        let slice_ms = self.run.plan.slice_ms_of(self.test);
        let clients = u64::from(self.run.plan.clients_of(self.test).max(1));
        let wanted = (known.operations as f64 * length_ms / slice_ms.max(0.1)) as u64;
        // A slice of a long test may be one operation, and longer than an examination.
        let wanted = if self.test.long { wanted.min(known.operations * 4) } else { wanted };
        let scale = self.run.plan.scale_of(self.test);
        let most = self.run.workload.most_operations(self.test.own_name(), &scale).unwrap_or(u64::MAX);
        // All rounds together use up less than the rows of one load.
        let parts = if is_of_round(length_ms) { u64::from(3 * ROUNDS + 1) } else { 2 };
        let operations = wanted.clamp(clients, (most / parts).max(clients)).div_ceil(clients) * clients;
        Ok(Calibration { operations, ..known.clone() })
    }
}

/// Samples of what sessions were doing.
#[derive(Default)]
struct Samples {
    seen: u64,
    waits: BTreeMap<(WaitKind, String), u64>,
}

impl Samples {
    /// Samples until the operations are done. A server that does not answer is not queried again.
    fn take(&mut self, sql: &str, connection: &mut Connection, done: &AtomicBool) {
        let Ok(session) = connection.sql() else { return };
        while !done.load(Ordering::Relaxed) {
            let Ok(rows) = session.query(sql) else { return };
            // Rows that came after the end are of sessions at rest.
            if done.load(Ordering::Relaxed) {
                return;
            }
            for row in rows {
                let [Some(kind), event, ..] = row.as_slice() else { continue };
                let place = (WaitKind::of_word(kind), event.clone().unwrap_or_default());
                *self.waits.entry(place).or_default() += 1;
                self.seen += 1;
            }
            std::thread::sleep(SAMPLE_EVERY);
        }
    }
}
