//! The connections of a cell: clients and probes of each subject, and the control connections beside them.

use std::time::Duration;

use humdrum_contract::{Client, Seat};
use humdrum_drive::Lane;
use humdrum_model::{Fault, Metric};
use humdrum_plan::{block_seed, injected};

use super::super::{Exit, Unit};
use super::Cell;
use crate::instance::Instance;
use crate::probe::probe;
use crate::roster::Entrant;
use crate::settle::{Control, STATE_TIMEOUT};

impl Cell<'_> {
    /// A control connection to each subject of a test that writes. They are opened first, so that probes can
    /// find their processes.
    pub(super) fn controls(&self, entrants: &[Entrant<'_>], exits: &mut Vec<Exit>) -> Vec<Control> {
        let mut controls = Vec::new();
        for Entrant { subject, instance } in entrants {
            let (subject, server) = (*subject, &instance.server);
            match server.connect(STATE_TIMEOUT) {
                Ok(connection) => controls.push(Control { subject, connection }),
                Err(fault) => exits.push(Exit { subject, fault: server.explain(fault) }),
            }
        }
        controls
    }

    /// Ends the run at a mistake in a user's own workload.
    pub(super) fn refuse_mistakes(&self, exits: &[Exit]) -> Result<(), Fault> {
        exits.iter().find_map(|exit| self.run.mistake(exit.subject, &exit.fault)).map_or(Ok(()), Err)
    }

    /// Connects all clients of all subjects that have not failed, for the `number`th time in this cell. A subject
    /// without a connection does not run.
    pub(super) fn lanes<'s>(
        &self,
        number: usize,
        entrants: &'s mut [Entrant<'_>],
        controls: &[Control],
        metrics: &[Metric],
        exits: &mut Vec<Exit>,
    ) -> Vec<Lane<'s>> {
        let mut lanes = Vec::new();
        for Entrant { subject, instance } in entrants {
            let (subject, instance) = (*subject, &mut **instance);
            let has_control = controls.iter().any(|control| control.subject == subject);
            let failed = exits.iter().any(|exit| exit.subject == subject);
            if failed || self.test().writes && !has_control {
                continue;
            }
            let clients =
                (0..self.run.plan.clients_of(self.test())).map(|client| self.client(instance, client));
            match clients.collect::<Result<Vec<_>, Fault>>() {
                Ok(clients) => lanes.push(self.lane(number, subject, instance, clients, metrics)),
                Err(fault) => exits.push(Exit { subject, fault: instance.server.explain(fault) }),
            }
        }
        lanes
    }

    fn client(&self, instance: &Instance, number: u32) -> Result<Box<dyn Client>, Fault> {
        let plan = self.run.plan;
        let timeout = Duration::from_secs_f64(plan.design.timeout_seconds);
        let connection = instance.server.connect(timeout)?;
        let (test, scale) = (self.test().own_name(), &plan.scale_of(self.test()));
        let seat = Seat { test, scale, number, compat: plan.compat };
        self.run.workload.client(&seat, connection, instance.server.dialect())
    }

    fn lane<'s>(
        &self,
        number: usize,
        subject: usize,
        instance: &'s mut Instance,
        clients: Vec<Box<dyn Client>>,
        metrics: &[Metric],
    ) -> Lane<'s> {
        let serving: Vec<u32> = clients.iter().filter_map(|client| client.server_process()).collect();
        let probe = probe(self.run, &*instance.server, serving, metrics);
        let plan = self.run.plan;
        // Other operations on each connection, so that their luck is drawn anew.
        let seed = block_seed(plan.seed, &self.test().name, self.session.number, u32::MAX);
        let seed = seed.wrapping_add(number as u64);
        let injection = injected(&plan.subjects[subject], seed);
        Lane { subject, server: &mut *instance.server, clients, probe, injection }
    }
}
