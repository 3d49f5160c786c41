//! The roster: the subjects of a run, their servers, and what each subject can still do (`state.rs`). Only
//! this file decides which subjects run in a session, a test or a block.

mod state;

use std::collections::BTreeMap;
use std::sync::Arc;

use humdrum_contract::Clock;
use humdrum_model::{Event, Fault, LoadFacts, Metric, SessionInfo};
use humdrum_record::Store;

use crate::events;
use crate::instance::{Instance, end_sessions};
use crate::provision::Provisioned;
use crate::run::Run;
use state::{FAILURES_IN_A_ROW, Standing};

struct Seat {
    standing: Standing,
    /// Whether it is one of the subjects of the latest session.
    called: bool,
    /// `None` after a failure and, in sequential mode, before its first session and between those that load anew.
    instance: Option<Instance>,
}

/// All subjects of a run, by position in the plan.
pub(crate) struct Roster<'a> {
    run: &'a Run<'a>,
    seats: Vec<Seat>,
    /// Rows and checksum of the base after its first load of each data set, by the rows of a table.
    base_loaded: BTreeMap<u64, (u64, String)>,
    /// Dropped last, so that folders are removed after their servers have ended.
    provisioned: Provisioned,
}

/// A subject that takes part in a unit, and its server.
pub(crate) struct Entrant<'s> {
    pub(crate) subject: usize,
    pub(crate) instance: &'s mut Instance,
}

impl<'a> Roster<'a> {
    /// Gets all builds, makes and starts all servers, and records their facts. In an incomplete block design,
    /// all servers are stopped afterwards.
    ///
    /// # Errors
    /// If a build is not available or a server does not start. Before the first measurement, the user must
    /// fix this; later, a failure is a row.
    pub(crate) fn provision(run: &'a Run<'a>, store: &mut Store) -> Result<Self, Fault> {
        let (provisioned, instances) = Provisioned::new(run, store)?;
        let seat = |instance| Seat { standing: Standing::default(), called: true, instance };
        Ok(Self {
            run,
            seats: instances.into_iter().map(seat).collect(),
            base_loaded: BTreeMap::new(),
            provisioned,
        })
    }

    /// The clock of all clients.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.provisioned.clock)
    }

    /// The metrics of every slice's readings.
    pub(crate) fn metrics(&self) -> &[Metric] {
        &self.provisioned.metrics
    }

    /// The server of a subject that has the host to itself. Makes one if there is none.
    ///
    /// # Errors
    /// As starting a server.
    pub(crate) fn make(&mut self, subject: usize) -> Result<&mut Instance, Fault> {
        let seat = &mut self.seats[subject];
        match seat.instance.take() {
            Some(instance) => Ok(seat.instance.insert(instance)),
            None => Ok(seat.instance.insert(self.provisioned.make(self.run, subject)?)),
        }
    }

    /// Ends the server of a subject that had the host to itself. It is removed, if its next session begins with a load.
    pub(crate) fn rest(&mut self, subject: usize) {
        let Some(instance) = self.seats[subject].instance.as_mut() else { return };
        if self.run.loads_anew() {
            self.seats[subject].instance = None;
        } else if self.run.plan.design.copy {
            // The data are replaced, so that it does not matter how the server ends.
            let _ = instance.server.kill();
        } else {
            // An error is ignored: a server that did not stop in time was killed, and is started anew all the same.
            let _ = instance.server.stop();
        }
    }

    /// Chooses the subjects that take part from now on, and stops the servers of all others. If they get fresh data before
    /// their next session, the data of this one are removed.
    pub(crate) fn call(&mut self, called: impl Fn(usize) -> bool) {
        let seats = self.seats.iter_mut().enumerate();
        seats.for_each(|(subject, seat)| seat.called = called(subject));
        let absent = self.seats.iter_mut().filter(|seat| !seat.called);
        let instances = absent.filter_map(|seat| seat.instance.as_mut());
        end_sessions(instances.filter(|instance| instance.server.is_running()), self.run.loads_anew());
    }

    /// Lets every subject take part again, without stopping or starting a server.
    pub(crate) fn call_all(&mut self) {
        self.seats.iter_mut().for_each(|seat| seat.called = true);
    }

    /// The first unit of a session that does not count for a subject; `None` while all count.
    pub(crate) fn ends_at(&self, subject: usize, session: u32) -> Option<usize> {
        let seat = &self.seats[subject];
        if seat.called { seat.standing.ends_at(session) } else { Some(0) }
    }

    fn takes_part(&self, subject: usize, session: u32) -> bool {
        self.ends_at(subject, session).is_none()
    }

    /// Whether there is still a base in this session, and a subject to compare with it.
    pub(crate) fn compares(&self, session: u32) -> bool {
        self.takes_part(0, session) && (1..self.seats.len()).any(|subject| self.takes_part(subject, session))
    }

    /// The subjects that take part in a unit of this session and have a server now; `excluded` are left out.
    pub(crate) fn entrants(&mut self, session: u32, excluded: &[usize]) -> Vec<Entrant<'_>> {
        let part: Vec<bool> = (0..self.seats.len())
            .map(|subject| self.takes_part(subject, session) && !excluded.contains(&subject))
            .collect();
        self.instances().filter(|entrant| part[entrant.subject]).collect()
    }

    /// The servers of the subjects of the latest session.
    pub(crate) fn instances(&mut self) -> impl Iterator<Item = Entrant<'_>> {
        let seats = self.seats.iter_mut().enumerate().filter(|(_, seat)| seat.called);
        seats.filter_map(|(subject, seat)| Some(Entrant { subject, instance: seat.instance.as_mut()? }))
    }

    /// Rows and checksum that these loads of a data set must come to: the base's, from these or else from its first load. A
    /// subject may load in a session in which the base does not.
    pub(crate) fn base_loaded(&mut self, data_rows: u64, loads: &[LoadFacts]) -> Option<(u64, String)> {
        let base = loads.iter().find(|facts| facts.subject == 0);
        let Some(base) = base.map(|base| (base.rows, base.checksum.clone())) else {
            return self.base_loaded.get(&data_rows).cloned();
        };
        self.base_loaded.entry(data_rows).or_insert_with(|| base.clone());
        Some(base)
    }

    /// The server of one subject.
    pub(crate) fn instance(&mut self, subject: usize) -> Option<&mut Instance> {
        self.seats.get_mut(subject)?.instance.as_mut()
    }

    /// Whether a subject has a server.
    pub(crate) fn has_instance(&self, subject: usize) -> bool {
        self.seats.get(subject).is_some_and(|seat| seat.instance.is_some())
    }

    /// Takes a subject out of the rest of the session, from a unit on.
    pub(crate) fn mark_behind(&mut self, subject: usize, session: u32, unit: usize) {
        self.seats[subject].standing.mark_behind(session, unit);
    }

    /// Takes a subject out of the rest of the run, ends its server, and records why.
    ///
    /// # Errors
    /// The record cannot be written; interrupted.
    pub(crate) fn mark_failed(
        &mut self,
        subject: usize,
        session: u32,
        fault: Fault,
        store: &mut Store,
    ) -> Result<(), Fault> {
        self.run.check_ending()?;
        let killed = self.instance(subject).filter(|instance| instance.server.killed().is_some());
        let fault = match killed {
            Some(instance) => instance.server.explain(fault),
            None => fault,
        };
        self.run.note(&format!("{}: {fault}", self.run.label(subject)));
        self.give_up(subject);
        store.append_event(&Event {
            subject: Some(subject),
            test: None,
            session: Some(session),
            status: events::status(&fault),
            what: fault.to_string(),
            log_tail: fault.log_tail,
        })
    }

    /// Removes a subject after the last session without recording a failure of a measurement.
    pub(crate) fn give_up(&mut self, subject: usize) {
        self.seats[subject].standing.mark_failed();
        self.seats[subject].instance = None;
    }

    /// Resets the count of failures in a row of these subjects, after a test in which they did not fail.
    pub(crate) fn succeeded(&mut self, subjects: impl Iterator<Item = usize>) {
        subjects.for_each(|subject| self.seats[subject].standing.succeeded());
    }

    /// Starts the server again after a failed test of a session, or marks the subject failed.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(crate) fn recover(
        &mut self,
        subject: usize,
        info: &SessionInfo,
        store: &mut Store,
    ) -> Result<(), Fault> {
        let (session, data) = (info.number, self.run.plan.scale_of_session(info));
        let seat = &mut self.seats[subject];
        let Some(instance) = seat.instance.as_mut() else { return Ok(()) };
        if seat.standing.failed_again() {
            let what = format!("given up after {FAILURES_IN_A_ROW} failed tests in a row");
            return self.mark_failed(subject, session, Fault::crash(what), store);
        }
        // An error of `kill` is ignored: a server that cannot be ended does not start either, and says why.
        let _ = instance.server.kill();
        let again = instance.server.start();
        let again = again.and_then(|()| self.run.workload.prewarm(&mut *instance.server, &data));
        match again {
            Ok(()) => Ok(()),
            Err(fault) => self.mark_failed(subject, session, fault, store),
        }
    }

    /// Ends a server at once, so that its background work does not disturb the others. The next session
    /// starts it again.
    pub(crate) fn kill(&mut self, subject: usize) {
        if let Some(instance) = self.instance(subject) {
            // An error is ignored: the guardian ends the server with the run.
            let _ = instance.server.kill();
        }
    }

    /// Copies the servers' logs to the run's folder for logs.
    pub(crate) fn keep_logs(&self) {
        for (seat, subject) in self.seats.iter().zip(&self.run.plan.subjects) {
            let log = seat.instance.as_ref().and_then(|instance| instance.server.log_file());
            if let Some(log) = log {
                let safe = |c: char| !c.is_ascii_alphanumeric() && !".-_=+@".contains(c);
                let name = subject.label.replace(safe, "_");
                // A missing log is no reason to lose the results.
                let _ = std::fs::copy(log, self.run.places.logs.join(format!("{name}.log")));
            }
        }
    }

    /// Stops all servers cleanly. If one had to be killed, a note says so; earlier measurements are not
    /// affected.
    pub(crate) fn stop(mut self) {
        let run = self.run;
        let mut outcome = Ok(());
        for instance in self.seats.iter_mut().filter_map(|seat| seat.instance.as_mut()) {
            outcome = outcome.and(instance.server.stop());
        }
        if let Err(fault) = outcome {
            run.note(&format!("at the end: {fault}"));
        }
    }
}
