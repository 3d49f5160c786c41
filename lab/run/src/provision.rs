//! Gets builds and makes servers before the first session. In interleaved mode, servers are made once; those of
//! a session run side by side. In sequential mode, each subject gets a new server for each session that begins with a load.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use humdrum_contract::{Clock, Installation, Outcome, Server, Sizing, Workload};
use humdrum_model::{Fault, Metric, Mode, Plan, SubjectFacts};
use humdrum_provision::hosts;
use humdrum_provision::run_folder::RunFolder;
use humdrum_record::Store;
use humdrum_sample::offered;

use crate::instance::Instance;
use crate::run::Run;

/// Share of the host's memory for all servers together; the rest is for the page cache and the client.
const MEMORY_SHARE: f64 = 0.6;
/// Builds that are there are had at once; others were written.
const WRITTEN_AFTER: Duration = Duration::from_secs(1);

/// The builds of all subjects, and the common data of their servers.
pub(crate) struct Provisioned {
    builds: Vec<Box<dyn Installation>>,
    /// The metrics of every slice's readings: every quantity of any subject, once.
    pub(crate) metrics: Vec<Metric>,
    /// The clock of all clients.
    pub(crate) clock: Arc<dyn Clock>,
    /// Servers made for single sessions, so far.
    made: u32,
    folder: RunFolder,
}

/// A server, and its facts.
type Started = (Box<dyn Server>, SubjectFacts);

impl Provisioned {
    /// Gets all builds, starts every server, and records its facts. In interleaved mode the servers keep
    /// running if every session has all of them.
    ///
    /// # Errors
    /// If a build is not available or a server does not start.
    pub(crate) fn new(run: &Run<'_>, store: &mut Store) -> Result<(Self, Vec<Option<Instance>>), Fault> {
        let folder = RunFolder::new(&run.places.dirs)?;
        let builds = builds(run)?;
        let sizing = sizing(run.plan, run.workload);
        let mut first = First { run, store, metrics: Vec::new(), clock: None };
        let instances = match run.plan.mode {
            Mode::Interleaved => first.side_by_side(&builds, &folder, &sizing)?,
            Mode::Sequential => first.one_by_one(&builds, &folder, &sizing)?,
        };
        let First { mut metrics, clock, .. } = first;
        let mut known = BTreeSet::new();
        metrics.retain(|metric| known.insert(metric.name.clone()));
        store.keep_metrics(&metrics)?;
        let clock = clock.ok_or_else(|| Fault::usage("a plan has at least one subject"))?;
        Ok((Self { builds, metrics, clock, made: 0, folder }, instances))
    }

    /// Makes and starts a server of a subject that has the host to itself.
    ///
    /// # Errors
    /// As starting a server.
    pub(crate) fn make(&mut self, run: &Run<'_>, subject: usize) -> Result<Instance, Fault> {
        self.made += 1;
        let home = self.folder.home(&format!("s{}", self.made))?;
        let sizing = sizing(run.plan, run.workload);
        let instance = temporary(&*self.builds[subject], home, &sizing, run.plan)?;
        Ok(instance.after_load(run.plan.after_load_of(subject)))
    }
}

fn builds(run: &Run<'_>) -> Result<Vec<Box<dyn Installation>>, Fault> {
    let (mut builds, begun) = (Vec::new(), Instant::now());
    for (number, subject) in run.plan.subjects.iter().enumerate() {
        run.check_interrupt()?;
        run.say(&format!("{}: getting the build", subject.label));
        let build = run.catalogue.engine(subject)?.install(
            &run.plan.for_engine(number),
            &run.places.dirs,
            run.reporter,
        );
        builds.push(build.map_err(|fault| fault.at(subject.label.clone()))?);
    }
    // What was compiled or unpacked for this run goes to the device now, and not while something is measured.
    if begun.elapsed() > WRITTEN_AFTER {
        // An error is ignored: where there is no cache, as for servers of others, nothing was written to it.
        drop(hosts::write_back(&run.places.dirs.cache));
    }
    Ok(builds)
}

fn temporary(
    build: &dyn Installation,
    home: PathBuf,
    sizing: &Sizing,
    plan: &Plan,
) -> Result<Instance, Fault> {
    let mut instance = Instance::temporary(build.create(&home, sizing)?, home);
    confine(&mut *instance.server, plan)?;
    instance.server.start()?;
    Ok(instance)
}

/// Gives a server the plan's memory and the plan's device.
fn confine(server: &mut dyn Server, plan: &Plan) -> Outcome<()> {
    plan.memory_bytes.map_or(Ok(()), |bytes| server.limit_memory(bytes))?;
    plan.fsync_delay_us.map_or(Ok(()), |delay| server.delay_fsync(Duration::from_micros(delay)))
}

/// The first start of every server, and its results.
struct First<'f> {
    run: &'f Run<'f>,
    store: &'f mut Store,
    metrics: Vec<Metric>,
    clock: Option<Arc<dyn Clock>>,
}

impl First<'_> {
    fn side_by_side(
        &mut self,
        builds: &[Box<dyn Installation>],
        folder: &RunFolder,
        sizing: &Sizing,
    ) -> Result<Vec<Option<Instance>>, Fault> {
        self.run.say("making and starting servers");
        let homes = (0..builds.len()).map(|number| folder.home(&format!("s{number}")));
        let homes = homes.collect::<Outcome<Vec<_>>>()?;
        let mut instances = Vec::new();
        // No more at once than a session has.
        let at_once = servers_at_once(self.run.plan).max(1);
        for (builds, homes) in builds.chunks(at_once).zip(homes.chunks(at_once)) {
            for started in start_all(builds, homes, sizing, self.run.plan) {
                let subject = instances.len();
                let (server, facts) =
                    started.map_err(|fault| fault.at(self.run.label(subject).to_owned()))?;
                self.learn(subject, &*server, &facts)?;
                let instance = Instance::new(server).after_load(self.run.plan.after_load_of(subject));
                instances.push(Some(instance));
            }
            if self.run.plan.design.incomplete.is_some() {
                // Errors are ignored: a server that did not stop in time was killed, and is started anew all the same.
                instances
                    .iter_mut()
                    .flatten()
                    .filter(|one| one.server.is_running())
                    .for_each(|one| drop(one.server.stop()));
            }
        }
        Ok(instances)
    }

    fn one_by_one(
        &mut self,
        builds: &[Box<dyn Installation>],
        folder: &RunFolder,
        sizing: &Sizing,
    ) -> Result<Vec<Option<Instance>>, Fault> {
        for (subject, build) in builds.iter().enumerate() {
            self.run.check_interrupt()?;
            let place = |fault: Fault| fault.at(self.run.label(subject).to_owned());
            let home = folder.home(&format!("t{subject}"))?;
            let mut instance = temporary(&**build, home, sizing, self.run.plan).map_err(place)?;
            let facts = instance.server.facts().map_err(place)?;
            self.learn(subject, &*instance.server, &facts)?;
        }
        Ok(builds.iter().map(|_| None).collect())
    }

    /// Records the facts of a subject's server. A record that has them already, because the run goes on, keeps to that build.
    fn learn(&mut self, subject: usize, server: &dyn Server, facts: &SubjectFacts) -> Result<(), Fault> {
        let known = self.store.read_head()?.subjects.into_iter().nth(subject);
        if let Some(known) = known.filter(|known| !known.fingerprint.is_empty())
            && !known.is_same_build(facts)
        {
            let what = format!("{} is another build than was measured", self.run.label(subject));
            let hint = format!(
                "it was {} ({}) and is {} ({}): put that one back, or compare anew",
                known.version, known.origin, facts.version, facts.origin
            );
            return Err(Fault::usage(what).hint(hint));
        }
        self.store.append_subject(subject, facts)?;
        let clock = server.clock();
        let probes = self.run.catalogue.probes(self.run.workload, clock.is_virtual());
        self.metrics.extend(offered(server.probes(), &probes, server.data_folder()));
        self.clock.get_or_insert(clock);
        Ok(())
    }
}

/// Makes and starts all servers for the first time, at the same time; returns them in the plan's order.
fn start_all(
    builds: &[Box<dyn Installation>],
    homes: &[PathBuf],
    sizing: &Sizing,
    plan: &Plan,
) -> Vec<Result<Started, Fault>> {
    let start = |build: &dyn Installation, home: &Path| {
        let mut server = build.create(home, sizing)?;
        confine(&mut *server, plan)?;
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

/// How many servers are up at the same time.
pub(crate) fn servers_at_once(plan: &Plan) -> usize {
    match (plan.mode, &plan.design.incomplete) {
        (Mode::Sequential, _) => 1,
        (Mode::Interleaved, Some(incomplete)) => incomplete.subjects as usize,
        (Mode::Interleaved, None) => plan.subjects.len(),
    }
}

/// The resources of each server. With a limit, caches are as large a part of it as they would be of the host's memory, or what
/// the server leaves of it.
pub(crate) fn sizing(plan: &Plan, workload: &dyn Workload) -> Sizing {
    Sizing {
        memory_bytes: share_bytes(plan, hosts::memory_bytes()),
        limit_bytes: plan.memory_bytes,
        cpus: hosts::cpus(),
        connections: workload.connections(&plan.scale) + Sizing::OWN_CONNECTIONS,
    }
}

/// Bytes of memory of each server on a host with so many.
pub(crate) fn share_bytes(plan: &Plan, host_bytes: u64) -> u64 {
    let each = host_bytes as f64 / servers_at_once(plan) as f64;
    (plan.memory_bytes.map_or(each, |bytes| each.min(bytes as f64)) * MEMORY_SHARE) as u64
}
