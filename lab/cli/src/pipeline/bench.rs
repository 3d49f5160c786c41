//! The bench: all subjects' servers, standing beside each other, and what is known of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use humdrum_contract::{Clock, Dirs, Installation, ProbeFactory, Progress, Server, Sizing, Update, Workload};
use humdrum_model::{Event, Fault, Metric, Mode, Plan, SessionInfo, SubjectFacts};
use humdrum_provision::hosts;
use humdrum_provision::run_folder::RunFolder;
use humdrum_record::Store;
use humdrum_sample::offered;

use super::events;
use crate::lab::Lab;

/// A subject that failed this many tests in a row is not tried again: it is dead, not unlucky.
const FAILURES_IN_A_ROW: u32 = 3;

/// Share of the host's memory for all servers together; the rest is for the page cache and the client.
const MEMORY_SHARE: f64 = 0.6;

/// All subjects of a run.
pub struct Bench<'a> {
    pub(super) lab: &'a Lab,
    pub(super) plan: &'a Plan,
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
    /// It holds the data, or a copy of them is kept.
    pub loaded: bool,
    /// The session whose later tests it takes no part in, because its data is not the others' any more.
    pub sits_out: Option<u32>,
}

impl<'a> Bench<'a> {
    /// Gets all builds, makes and starts all servers, and records what they are.
    ///
    /// # Errors
    /// When a build cannot be had or a server does not start: before anything was measured, that is the
    /// user's to mend, not a row.
    pub fn set_up(lab: &'a Lab, dirs: &Dirs, plan: &'a Plan, store: &mut Store) -> Result<Self, Fault> {
        let folder = RunFolder::new(dirs)?;
        let mut stands = Vec::new();
        let mut builds = Vec::new();
        for subject in &plan.subjects {
            dirs.interrupt.check()?;
            lab.console.update(Update::Step(&format!("{}: getting the build", subject.label)));
            let build = lab.engine(subject)?.install(subject, dirs, &lab.console);
            builds.push(build.map_err(|fault| fault.at(subject.label.clone()))?);
        }
        lab.console.update(Update::Step("making and starting servers"));
        let homes = (0..builds.len()).map(|number| folder.home(&format!("s{number}")));
        let homes = homes.collect::<Result<Vec<_>, Fault>>()?;
        let sizing = sizing(plan, lab.workload(&plan.suite)?);
        for (number, started) in start_all(&builds, &homes, &sizing).into_iter().enumerate() {
            let (server, facts) = started.map_err(|fault| fault.at(plan.subjects[number].label.clone()))?;
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

    /// Takes a subject out of the rest of the run, and says why in the record.
    pub(super) fn bury(
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

/// A server, and what it says of itself.
type Started = (Box<dyn Server>, SubjectFacts);

/// Servers for the first time, made and started all at once; in the plan's order.
fn start_all(
    builds: &[Box<dyn Installation>],
    homes: &[PathBuf],
    sizing: &Sizing,
) -> Vec<Result<Started, Fault>> {
    let start = |build: &dyn Installation, home: &Path| {
        let mut server = build.create(home, sizing)?;
        server.start()?;
        let facts = server.facts()?;
        Ok((server, facts))
    };
    let start = &start;
    std::thread::scope(|scope| {
        let pairs = builds.iter().zip(homes);
        let begun: Vec<_> = pairs.map(|(build, home)| scope.spawn(move || start(&**build, home))).collect();
        let ended = begun.into_iter().map(|thread| thread.join());
        ended.map(|ended| ended.unwrap_or_else(|_| Err(Fault::crash("starting a server panicked")))).collect()
    })
}

/// The base with no verdict at stake: whether a test can still be compared.
pub fn comparable(stands: &[Option<Stand>]) -> bool {
    stands.iter().flatten().count() > 1 && stands.first().is_some_and(Option::is_some)
}

/// Every quantity that any subject offers, each once: engines differ in their counters.
fn metrics(probes: &[ProbeFactory], stands: &[Option<Stand>]) -> Vec<Metric> {
    let mut all: Vec<Metric> = Vec::new();
    for stand in stands.iter().flatten() {
        for metric in offered(stand.server.probes(), probes, stand.server.data_folder()) {
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
