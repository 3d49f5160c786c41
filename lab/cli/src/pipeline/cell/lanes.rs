//! Who takes part in a cell: connections, clients and probes of each subject.

use std::time::Duration;

use humdrum_contract::{Client, Probe, ProbeContext, ProbeFactory, Process, Role, Seat, Server, Workload};
use humdrum_drive::Lane;
use humdrum_model::{Fault, Metric};
use humdrum_sample::Sampler;

use super::super::aftermath::{GLANCE, Steward};
use super::super::bench::{Bench, Stand};
use super::{Cell, Exit};

impl Cell<'_> {
    /// A connection to each subject that takes part in a test that writes, for what is asked outside slices. They
    /// are opened first, so that probes know their processes.
    pub(super) fn stewards(&self, bench: &mut Bench<'_>, exits: &mut Vec<Exit>) -> Vec<Steward> {
        let mut stewards = Vec::new();
        for (subject, stand) in bench.stands.iter().enumerate() {
            let Some(stand) = stand else { continue };
            if !self.takes_part(subject, stand) {
                continue;
            }
            match stand.server.connect(GLANCE) {
                Ok(connection) => stewards.push(Steward { subject, connection }),
                Err(fault) => exits.push(Exit { subject, fault: stand.server.explain(fault) }),
            }
        }
        stewards
    }

    fn takes_part(&self, subject: usize, stand: &Stand) -> bool {
        !self.out_of_it.contains(&subject) && stand.sits_out != Some(self.session.number)
    }

    /// Connects all clients of all subjects that still take part.
    pub(super) fn lanes<'b>(
        &self,
        bench: &'b mut Bench<'_>,
        stewards: &[Steward],
        exits: &mut Vec<Exit>,
    ) -> Vec<Lane<'b>> {
        let workload = bench.workload;
        let mut lanes = Vec::new();
        for (subject, stand) in bench.stands.iter_mut().enumerate() {
            let Some(stand) = stand else { continue };
            let has_steward = stewards.iter().any(|steward| steward.subject == subject);
            if !self.takes_part(subject, stand) || self.test.writes && !has_steward {
                continue;
            }
            let clients = (0..self.plan.scale.clients).map(|number| self.client(workload, stand, number));
            match clients.collect::<Result<Vec<_>, Fault>>() {
                Ok(clients) => lanes.push(self.lane(subject, stand, clients, &bench.metrics)),
                Err(fault) => exits.push(Exit { subject, fault: stand.server.explain(fault) }),
            }
        }
        lanes
    }

    fn client(&self, workload: &dyn Workload, stand: &Stand, number: u32) -> Result<Box<dyn Client>, Fault> {
        let timeout = Duration::from_secs_f64(self.plan.design.timeout_seconds);
        let connection = stand.server.connect(timeout)?;
        let seat = Seat { test: &self.test.name, scale: &self.plan.scale, number, compat: self.plan.compat };
        workload.client(&seat, connection, stand.server.dialect())
    }

    fn lane<'b>(
        &self,
        subject: usize,
        stand: &'b mut Stand,
        clients: Vec<Box<dyn Client>>,
        metrics: &[Metric],
    ) -> Lane<'b> {
        let serving: Vec<u32> = clients.iter().filter_map(|client| client.server_process()).collect();
        let probe = probe(&*stand.server, serving, &self.lab.probes, metrics);
        Lane { subject, server: &mut *stand.server, clients, probe }
    }
}

/// The probe of one subject, whose processes `serving` serve the clients.
pub fn probe(
    server: &dyn Server,
    serving: Vec<u32>,
    host: &[ProbeFactory],
    metrics: &[Metric],
) -> Box<dyn Probe> {
    let all = server.processes();
    let others = all.iter().filter(|process| !serving.contains(&process.pid));
    let own = serving.iter().map(|pid| Process { pid: *pid, role: Role::Session });
    let processes = own.chain(others.map(|process| Process { role: Role::Background, ..*process }));
    let context = ProbeContext { processes: processes.collect(), data_folder: server.data_folder() };
    Box::new(Sampler::new(server.probes(), host, &context, Some(metrics)))
}
