//! The probe of one subject, read at the edges of its slices: the engine's own quantities and the host's.

use humdrum_contract::{Probe, ProbeContext, Process, Role, Server};
use humdrum_model::Metric;
use humdrum_sample::Sampler;

use crate::run::Run;

/// The probe of one subject. `serving` are the processes that serve its clients; its other processes count as background.
pub(crate) fn probe(
    run: &Run<'_>,
    server: &dyn Server,
    serving: Vec<u32>,
    metrics: &[Metric],
) -> Box<dyn Probe> {
    let all = server.processes();
    let others = all.iter().filter(|process| !serving.contains(&process.pid));
    let own = serving.iter().map(|pid| Process { pid: *pid, role: Role::Session });
    let processes = own.chain(others.map(|process| Process { role: Role::Background, ..*process }));
    let context = ProbeContext { processes: processes.collect(), data_folder: server.data_folder() };
    let host = run.catalogue.probes(run.workload, server.clock().is_virtual());
    Box::new(Sampler::new(server.probes(), &host, &context, Some(metrics)))
}
