//! One subject at a time: its server made, loaded, taken through all steps and removed before the next one's, for data
//! of which the host's memory or disk holds only one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use humdrum_contract::{Clock, Installation, Progress, Server, Update};
use humdrum_model::{Block, Fault, LoadFacts, Metric, Results, SessionInfo, Slice};
use humdrum_plan::order;
use humdrum_provision::run_folder::RunFolder;
use humdrum_record::Store;
use humdrum_sample::offered;

use super::super::bench::sizing;
use super::super::cell::Exit;
use super::super::ends_the_run;
use super::Course;
use super::step::Step;
use super::taking::Taking;

/// The builds, and where their servers live in turn.
pub struct Apart {
    builds: Vec<Box<dyn Installation>>,
    metrics: Vec<Metric>,
    clock: Arc<dyn Clock>,
    clock_began_ns: u64,
    made: u32,
    folder: RunFolder,
}

/// Slices of all subjects, by step and chunk.
type Slices = BTreeMap<(usize, u32), Vec<Slice>>;

/// A server and its home; both go when this is dropped.
struct Lodger {
    server: Box<dyn Server>,
    home: PathBuf,
}

impl Drop for Lodger {
    fn drop(&mut self) {
        // One that does not stop was killed, and what cannot be removed goes with the run's folder.
        let _ = self.server.stop();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

impl Apart {
    /// Gets all builds, and starts each server once to learn what it is.
    ///
    /// # Errors
    /// When a build cannot be had or a server does not start.
    pub fn set_up(course: &Course<'_>, store: &mut Store) -> Result<Self, Fault> {
        let folder = RunFolder::new(course.dirs)?;
        let (mut builds, mut metrics, mut clock) = (Vec::new(), Vec::<Metric>::new(), None);
        for (number, subject) in course.plan.subjects.iter().enumerate() {
            course.dirs.interrupt.check()?;
            let place = |fault: Fault| fault.at(subject.label.clone());
            course.lab.console.update(Update::Step(&format!("{}: getting the build", subject.label)));
            let build = course.lab.engine(subject)?.install(subject, course.dirs, &course.lab.console);
            let build = build.map_err(place)?;
            let mut lodger = lodge(course, &*build, &folder, &format!("t{number}")).map_err(place)?;
            store.append_subject(number, &lodger.server.facts().map_err(place)?)?;
            let own = lodger.server.clock();
            let probes = course.lab.probes_for(course.workload, own.is_virtual());
            let server = &*lodger.server;
            metrics.extend(offered(server.probes(), &probes, server.data_folder()));
            clock.get_or_insert(own);
            builds.push(build);
        }
        let mut known = std::collections::BTreeSet::new();
        metrics.retain(|metric| known.insert(metric.name.clone()));
        store.keep_metrics(&metrics)?;
        let clock = clock.ok_or_else(|| Fault::usage("a plan has at least one subject"))?;
        let clock_began_ns = clock.now_ns();
        Ok(Self { builds, metrics, clock, clock_began_ns, made: 0, folder })
    }

    /// Seconds so far, by the subjects' own clock.
    pub fn run_seconds(&self, began: Instant) -> f64 {
        ((self.clock.now_ns() - self.clock_began_ns) as f64 / 1e9).max(began.elapsed().as_secs_f64())
    }

    /// All steps of one subject, then of the next; who is first changes from session to session. What an interrupted run
    /// left of the session is forgotten: its blocks are whole only at the end, and facts of one attempt are not those of
    /// another's blocks.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn session(
        &mut self,
        course: &Course<'_>,
        session: &SessionInfo,
        store: &mut Store,
    ) -> Result<(), Fault> {
        store.forget_session(session.number)?;
        let before = &store.read()?;
        let subjects = self.builds.len();
        let mut slices = Slices::new();
        let mut taking = Taking::new(course, session, subjects);
        for subject in order(course.plan.seed, "subjects", 0, session.number, subjects) {
            course.dirs.interrupt.check()?;
            match self.subject(course, session, subject, store, before, &mut slices, &mut taking) {
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => {
                    // Before its first step: no step of it can be done.
                    taking.leave(vec![Exit { subject, fault }], 0, store)?;
                }
                Ok(()) => {}
            }
        }
        for ((number, index), mut slices) in slices {
            slices.sort_by_key(|slice| slice.start_ns);
            let test = course.plan.tests[number].name.clone();
            let session = session.number;
            store.append_block(&Block { test, session, index, slices, discarded: None })?;
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "what a session holds, handed down once")]
    fn subject(
        &mut self,
        course: &Course<'_>,
        session: &SessionInfo,
        subject: usize,
        store: &mut Store,
        before: &Results,
        slices: &mut Slices,
        taking: &mut Taking<'_>,
    ) -> Result<(), Fault> {
        let label = &course.plan.subjects[subject].label;
        course.lab.console.update(Update::Step(&format!("session {}: {label}", session.number + 1)));
        self.made += 1;
        let mut lodger = lodge(course, &*self.builds[subject], &self.folder, &format!("s{}", self.made))?;
        let (scale, seed) = (&course.plan.scale, course.plan.seed);
        let (console, interrupt) = (&course.lab.console, &course.dirs.interrupt);
        let facts = course.workload.load(&mut *lodger.server, scale, seed, console, interrupt)?;
        store.append_load(&LoadFacts { subject, ..facts })?;
        for number in 0..course.plan.tests.len() {
            if !taking.part(subject) {
                break;
            }
            let (clock, metrics) = (Arc::clone(&self.clock), &self.metrics);
            let step = Step { course, session, number, clock, metrics, before };
            let ran = step.run(vec![(subject, &mut *lodger.server)], store, &mut |_, index, mut own| {
                slices.entry((number, index)).or_default().append(&mut own);
                Ok(())
            })?;
            taking.take_in(ran, number, store)?;
        }
        Ok(())
    }
}

fn lodge(
    course: &Course<'_>,
    build: &dyn Installation,
    folder: &RunFolder,
    name: &str,
) -> Result<Lodger, Fault> {
    let home = folder.home(name)?;
    let mut server = build.create(&home, &sizing(course.plan, course.workload))?;
    server.start()?;
    Ok(Lodger { server, home })
}
