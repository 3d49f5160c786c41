//! The bench: all subjects' servers, standing beside each other, and what is known of them.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use humdrum_contract::{
    Clock, House, Probe, ProbeContext, ProbeFactory, Progress, Server, Sizing, Update, Workload,
};
use humdrum_model::{Event, Fault, LoadFacts, Metric, Mode, Plan, SessionInfo};
use humdrum_provision::hosts;
use humdrum_provision::run_folder::RunFolder;
use humdrum_record::Store;
use humdrum_sample::Sampler;

use super::{ends_the_run, events};
use crate::lab::Lab;

/// A subject that failed this many tests in a row is not tried again: it is dead, not unlucky.
const FAILURES_IN_A_ROW: u32 = 3;

/// Share of the host's memory for all servers together; the rest is for the page cache and the client.
const MEMORY_SHARE: f64 = 0.6;

/// All subjects of a run.
pub struct Bench<'a> {
    lab: &'a Lab,
    plan: &'a Plan,
    /// What the readings of every slice are.
    pub metrics: Vec<Metric>,
    /// The workload.
    pub workload: &'a dyn Workload,
    /// By position in the plan; `None` for a subject that could not be provisioned or is dead.
    pub stands: Vec<Option<Stand>>,
    clock: Arc<dyn Clock>,
    clock_began_ns: u64,
    // Dropped last: the servers' folders go after the servers.
    _folder: RunFolder,
}

/// One subject's server.
pub struct Stand {
    /// The server.
    pub server: Box<dyn Server>,
    /// Tests failed in a row.
    pub failures: u32,
    /// It holds the data.
    loaded: bool,
    /// The session whose later tests it takes no part in, because its data is not the others' any more.
    pub sits_out: Option<u32>,
}

impl<'a> Bench<'a> {
    /// Gets all builds, makes and starts all servers, and records what they are.
    ///
    /// # Errors
    /// When a build cannot be had or a server does not start: before anything was measured, that is the
    /// user's to mend, not a row.
    pub fn set_up(lab: &'a Lab, house: &House, plan: &'a Plan, store: &mut Store) -> Result<Self, Fault> {
        let folder = RunFolder::new(house)?;
        let mut stands = Vec::new();
        for (number, subject) in plan.subjects.iter().enumerate() {
            house.interrupt.check()?;
            let place = |fault: Fault| fault.at(subject.label.clone());
            lab.console.update(Update::Step(&format!("{}: getting the build", subject.label)));
            let build = lab.engine(subject)?.install(subject, house, &lab.console).map_err(place)?;
            let home = folder.home(&format!("s{number}"))?;
            let mut server = build.create(&home, &sizing(plan, lab.workload(&plan.suite)?)).map_err(place)?;
            lab.console.update(Update::Step(&format!("{}: starting a server", subject.label)));
            server.start().map_err(place)?;
            let facts = server.facts().map_err(place)?;
            store.append_subject(number, &facts)?;
            stands.push(Some(Stand { server, failures: 0, loaded: false, sits_out: None }));
        }
        let clock = stands[0].as_ref().map(|stand| stand.server.clock());
        let clock = clock.ok_or_else(|| Fault::usage("a plan has at least one subject"))?;
        let workload = lab.workload(&plan.suite)?;
        let clock_began_ns = clock.now_ns();
        let metrics = metrics(&lab.probes_for(workload, clock.is_virtual()), &stands);
        store.keep_metrics(&metrics)?;
        Ok(Self { lab, plan, metrics, workload, stands, clock, clock_began_ns, _folder: folder })
    }

    /// Seconds of this run by the subjects' own clock (virtual for `fake`).
    pub fn run_seconds(&self, began: Instant) -> f64 {
        let clock_seconds = (self.clock.now_ns() - self.clock_began_ns) as f64 / 1e9;
        clock_seconds.max(began.elapsed().as_secs_f64())
    }

    /// The clock of all clients.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// Brings every subject to the state in which a session begins.
    ///
    /// All stop before any starts, and all start and load at the same time. On a virtual machine some memory is
    /// slower than other, by several percent; a server that starts first takes the one kind and the next one the
    /// other, and one of two servers of the same build was 2 to 6 % faster for a whole session. Loading together,
    /// they take memory page by page in turns, and differ by less.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn begin(&mut self, session: &SessionInfo, store: &mut Store) -> Result<(), Fault> {
        if session.restarted && session.number > 0 {
            for stand in self.stands.iter_mut().flatten() {
                // A server that does not stop in time was killed; it is started anew all the same.
                let _ = stand.server.stop();
            }
        }
        let mut loads: Vec<LoadFacts> = Vec::new();
        for (number, outcome) in self.begin_all(session) {
            match outcome {
                Ok(Some(facts)) => loads.push(LoadFacts { subject: number, ..facts }),
                Ok(None) => {}
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => self.bury(number, session, fault, store)?,
            }
        }
        self.compare_loads(session, loads, store)
    }

    /// Starts and loads all subjects at once; in the plan's order.
    fn begin_all(&mut self, session: &SessionInfo) -> Vec<(usize, Result<Option<LoadFacts>, Fault>)> {
        if session.number == 0 {
            let rows = self.plan.scale.rows * u64::from(self.plan.scale.tables);
            self.lab.console.update(Update::Step(&format!("loading {rows} rows into each")));
        }
        let (lab, plan, workload) = (self.lab, self.plan, self.workload);
        let stands = self.stands.iter_mut().enumerate();
        let alive = stands.filter_map(|(number, stand)| Some((number, stand.as_mut()?)));
        std::thread::scope(|scope| {
            let begin =
                |(number, stand)| (number, scope.spawn(|| begin_one(lab, plan, workload, stand, session)));
            let begun: Vec<_> = alive.map(begin).collect();
            let outcome = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|_| Err(Fault::crash("loading panicked")))
            };
            begun.into_iter().map(|(number, thread)| (number, outcome(thread))).collect()
        })
    }

    /// All subjects must hold the same rows; one that does not is void.
    fn compare_loads(
        &mut self,
        session: &SessionInfo,
        loads: Vec<LoadFacts>,
        store: &mut Store,
    ) -> Result<(), Fault> {
        let first = loads.first().map(|facts| (facts.rows, facts.checksum.clone()));
        for facts in loads {
            store.append_load(&facts)?;
            if Some((facts.rows, facts.checksum.clone())) != first {
                let what =
                    format!("{} rows with checksum {} after the same load", facts.rows, facts.checksum);
                let fault = Fault::new(humdrum_model::FaultKind::WrongAnswer, what);
                self.bury(facts.subject, session, fault, store)?;
            }
        }
        Ok(())
    }

    /// Takes a subject out of the rest of the run, and says why in the record.
    fn bury(
        &mut self,
        number: usize,
        session: &SessionInfo,
        fault: Fault,
        store: &mut Store,
    ) -> Result<(), Fault> {
        self.lab.console.update(Update::Note(&format!("{}: {fault}", self.plan.subjects[number].label)));
        self.stands[number] = None;
        store.append_event(&Event {
            subject: Some(number),
            test: None,
            session: Some(session.number),
            status: events::status(&fault),
            what: fault.to_string(),
            log_tail: fault.log_tail,
        })
    }

    /// After a test that these subjects did not fail in: their failures are not in a row any more.
    pub fn did_well(&mut self, subjects: impl Iterator<Item = usize>) {
        subjects.for_each(|subject| {
            if let Some(stand) = &mut self.stands[subject] {
                stand.failures = 0;
            }
        });
    }

    /// After a failed test: starts the server again for the next one, or gives it up.
    ///
    /// # Errors
    /// The store.
    pub fn recover(&mut self, number: usize, session: &SessionInfo, store: &mut Store) -> Result<(), Fault> {
        let Some(stand) = self.stands[number].as_mut() else { return Ok(()) };
        stand.failures += 1;
        if stand.failures >= FAILURES_IN_A_ROW {
            let what = format!("given up after {FAILURES_IN_A_ROW} failed tests in a row");
            return self.bury(number, session, Fault::crash(what), store);
        }
        // What cannot be ended does not start either, which is a fault with words of its own.
        let _ = stand.server.kill();
        let again = stand.server.start();
        let again = again.and_then(|()| self.workload.prewarm(&mut *stand.server, &self.plan.scale));
        match again {
            Ok(()) => Ok(()),
            Err(fault) => self.bury(number, session, fault, store),
        }
    }

    /// Copies servers' logs into the results.
    pub fn keep_logs(&self, folder: &Path) {
        for (stand, subject) in self.stands.iter().zip(&self.plan.subjects) {
            let log = stand.as_ref().and_then(|stand| stand.server.log_file());
            if let Some(log) = log {
                let name =
                    subject.label.replace(|c: char| !c.is_ascii_alphanumeric() && !".-_=+@".contains(c), "_");
                // A missing log is no reason to lose the results.
                let _ = std::fs::copy(log, folder.join(format!("{name}.log")));
            }
        }
    }

    /// Stops all servers.
    ///
    /// # Errors
    /// When one had to be killed.
    pub fn stop(mut self) -> Result<(), Fault> {
        let mut outcome = Ok(());
        for stand in self.stands.iter_mut().flatten() {
            // All are stopped, whatever becomes of one.
            outcome = outcome.and(stand.server.stop());
        }
        outcome
    }
}

/// One subject's part of beginning a session: running, and holding the data.
fn begin_one(
    lab: &Lab,
    plan: &Plan,
    workload: &dyn Workload,
    stand: &mut Stand,
    session: &SessionInfo,
) -> Result<Option<LoadFacts>, Fault> {
    lab.house.interrupt.check()?;
    if !stand.server.is_running() {
        stand.server.start()?;
    }
    // A run that goes on has new servers, which hold nothing yet.
    if session.reloaded || !stand.loaded {
        let (interrupt, console) = (&lab.house.interrupt, &lab.console);
        let facts = workload.load(&mut *stand.server, &plan.scale, plan.seed, console, interrupt)?;
        stand.loaded = true;
        return Ok(Some(facts));
    }
    workload.prewarm(&mut *stand.server, &plan.scale)?;
    Ok(None)
}

/// The base with no verdict at stake: whether a test can still be compared.
pub fn comparable(stands: &[Option<Stand>]) -> bool {
    stands.iter().flatten().count() > 1 && stands.first().is_some_and(Option::is_some)
}

/// Every quantity that any subject offers, each once: engines differ in their counters.
fn metrics(probes: &[ProbeFactory], stands: &[Option<Stand>]) -> Vec<Metric> {
    let mut all: Vec<Metric> = Vec::new();
    for stand in stands.iter().flatten() {
        let sampler = Sampler::new(stand.server.probes(), probes, &ProbeContext::default(), None);
        for metric in sampler.metrics() {
            if !all.iter().any(|known| known.name == metric.name) {
                all.push(metric);
            }
        }
    }
    all
}

/// What each server may use.
pub fn sizing(plan: &Plan, workload: &dyn Workload) -> Sizing {
    let at_once = if plan.mode == Mode::Sequential { 1 } else { plan.subjects.len() };
    let share = hosts::memory_bytes() as f64 * MEMORY_SHARE / at_once as f64;
    Sizing {
        memory_bytes: share as u64,
        cpus: hosts::cpus(),
        connections: workload.connections(&plan.scale) + 8,
    }
}
