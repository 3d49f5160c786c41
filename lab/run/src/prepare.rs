//! Prepares every subject for a session: fresh processes and, if the plan wants it, fresh data, loaded anew
//! or restored from a copy.
//!
//! All servers are stopped before any starts, all have started before any loads, and all load at the same
//! time. On a virtual machine, some memory is several percent slower than other memory. When one server
//! started before the other, it got other memory, and of two servers of one build one was 2 to 6 % faster for
//! a whole session (`docs/host-effects.md`). When they fill their memory at the same time, they get pages in
//! turns, and differ by less.
//!
//! ```text
//!   by loading     stop ─► start, load                                 every session
//!                  ─► stop ─► start, read in                           with a memory limit, after a load
//!   from a copy    start, load ─► stop ─► copy away                    once, before a subject's first session
//!                  end  ─► copy back ─► start, read in, check          every session, the first included
//! ```
//!
//! In a run at several numbers of rows each session has the data of one of them. Copies are made of all of them, the smallest
//! first, before a subject's first session.

use std::time::Instant;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, FaultKind, LoadFacts, Scale, SessionInfo};
use humdrum_record::Store;

use crate::events::ends_the_run;
use crate::filling::{inspect, load, starts_again};
use crate::instance::{Instance, end_sessions};
use crate::roster::{Entrant, Roster};
use crate::run::Run;

/// Prepares the subjects of a session for its first test; one that cannot be prepared is marked failed. The servers of
/// other subjects are stopped.
///
/// # Errors
/// Interrupted, or the record cannot be written.
pub(crate) fn prepare(
    run: &Run<'_>,
    session: &SessionInfo,
    roster: &mut Roster<'_>,
    store: &mut Store,
) -> Result<(), Fault> {
    let began = Instant::now();
    roster.call(|subject| session.has(subject));
    let data = run.plan.scale_of_session(session);
    let mut preparation = Preparation { run, session, data, roster, store };
    let loads = if run.plan.design.copy && session.reloaded {
        preparation.put_back()?
    } else {
        preparation.load()?
    };
    run.detail(&format!("all ready after {:.2} s", began.elapsed().as_secs_f64()));
    preparation.compare_loads(preparation.data.rows, loads)
}

struct Preparation<'p, 'r> {
    run: &'p Run<'p>,
    session: &'p SessionInfo,
    /// The scale of the session's data.
    data: Scale,
    roster: &'p mut Roster<'r>,
    store: &'p mut Store,
}

impl Preparation<'_, '_> {
    /// Loads fresh data if the plan wants them, else keeps the present ones.
    fn load(&mut self) -> Result<Vec<LoadFacts>, Fault> {
        let (run, session, data) = (self.run, self.session, &self.data.clone());
        if session.restarted && session.number > 0 {
            self.stop_all();
        }
        self.announce_load(data);
        self.start()?;
        let loads = self.each(
            "load",
            |_| true,
            |instance| {
                run.check_interrupt()?;
                // A resumed run has new servers, which hold nothing yet.
                if session.reloaded || !instance.loaded {
                    return load(run, instance, data).map(Some);
                }
                run.workload.prewarm(&mut *instance.server, data)?;
                Ok(None)
            },
        )?;
        let loads: Vec<LoadFacts> = loads.into_iter().flatten().collect();
        if loads.iter().any(|facts| starts_again(run, facts)) {
            self.start_again(data)?;
        }
        Ok(loads)
    }

    /// Starts the servers anew on the data that they have just loaded.
    fn start_again(&mut self, data: &Scale) -> Result<(), Fault> {
        let run = self.run;
        self.each("stop", |_| true, |instance| instance.server.stop().map(|()| None))?;
        self.start()?;
        self.each(
            "read in",
            |_| true,
            |instance| {
                run.check_interrupt()?;
                run.workload.prewarm(&mut *instance.server, data).map(|()| None)
            },
        )?;
        Ok(())
    }

    /// Restores fresh data from the copy of their first load. Makes the copies first if there are none.
    fn put_back(&mut self) -> Result<Vec<LoadFacts>, Fault> {
        let (run, data) = (self.run, &self.data.clone());
        let entrants = self.roster.instances();
        let (kept, new): (Vec<_>, Vec<_>) = entrants.partition(|entrant| entrant.instance.loaded);
        let [kept, new] = [kept, new].map(|of| of.iter().map(|entrant| entrant.subject).collect::<Vec<_>>());
        let (kept, is_new) = (|subject| kept.contains(&subject), |subject| new.contains(&subject));
        // The data are replaced, so that it does not matter how the server ends.
        self.each("end", kept, |instance| {
            let _ = instance.server.kill();
            Ok(None)
        })?;
        self.each("copy", kept, |instance| instance.bring_back(data.rows).map(|()| None))?;
        if !new.is_empty() {
            self.make_copies(is_new)?;
        }
        self.start()?;
        let loads = self.each(
            "read in",
            |_| true,
            |instance| {
                run.check_interrupt()?;
                let began = Instant::now();
                run.workload.prewarm(&mut *instance.server, data)?;
                inspect(run.workload, instance, data, began)
            },
        )?;
        Ok(loads.into_iter().flatten().collect())
    }

    /// Loads every data set into the servers of these subjects, and keeps a copy of each. They are left stopped, with the data
    /// of the session.
    fn make_copies(&mut self, new: impl Fn(usize) -> bool + Copy) -> Result<(), Fault> {
        let (run, session_rows) = (self.run, self.data.rows);
        let sets = run.plan.data_sets();
        for data in &sets {
            self.announce_load(data);
            self.each("start", new, |instance| instance.start().map(|()| None))?;
            let loads = self.each("load", new, |instance| load(run, instance, data).map(Some))?;
            self.compare_loads(data.rows, loads.into_iter().flatten().collect())?;
            // What is copied must be whole: a server that did not stop cleanly has no copy, and takes no part.
            self.each("stop", new, |instance| instance.server.stop().map(|()| None))?;
            self.each("keep", new, |instance| instance.keep().map(|()| None))?;
        }
        if sets.last().is_some_and(|last| last.rows != session_rows) {
            self.each("copy", new, |instance| instance.bring_back(session_rows).map(|()| None))?;
        }
        Ok(())
    }

    /// Starts all servers; all run before any continues.
    fn start(&mut self) -> Result<(), Fault> {
        let run = self.run;
        self.each(
            "start",
            |_| true,
            |instance| {
                run.check_interrupt()?;
                instance.start().map(|()| None)
            },
        )?;
        Ok(())
    }

    fn announce_load(&self, data: &Scale) {
        // Each data set once: they take turns, so that the first sessions are one on each.
        if (self.session.number as usize) < self.run.plan.data_sets().len() {
            let what = match data.rows * u64::from(data.tables) {
                0 => "the data".to_owned(),
                rows => format!("{rows} rows"),
            };
            self.run.say(&format!("loading {what} into each"));
        }
    }

    fn stop_all(&mut self) {
        end_sessions(self.roster.instances().map(|entrant| entrant.instance), self.run.loads_anew());
    }

    /// Does one step on these subjects at the same time, each on a thread of its own. The threads start within
    /// a few microseconds; the first one changes from session to session. A subject whose step fails is
    /// marked failed. Facts come in the plan's order.
    fn each(
        &mut self,
        name: &str,
        whose: impl Fn(usize) -> bool,
        step: impl Fn(&mut Instance) -> Outcome<Option<LoadFacts>> + Sync,
    ) -> Result<Vec<Option<LoadFacts>>, Fault> {
        let began = Instant::now();
        let mut entrants: Vec<Entrant<'_>> =
            self.roster.instances().filter(|entrant| whose(entrant.subject)).collect();
        let count = entrants.len().max(1);
        entrants.rotate_left(self.session.number as usize % count);
        let step = &step;
        let mut outcomes: Vec<_> = std::thread::scope(|scope| {
            let begun: Vec<_> = entrants
                .into_iter()
                .map(|Entrant { subject, instance }| (subject, scope.spawn(move || step(instance))))
                .collect();
            let panicked = |_| Err(Fault::crash("beginning a session panicked"));
            begun
                .into_iter()
                .map(|(subject, thread)| (subject, thread.join().unwrap_or_else(panicked)))
                .collect()
        });
        outcomes.sort_by_key(|(subject, _)| *subject);
        let mut done = Vec::new();
        for (subject, outcome) in outcomes {
            let mistake = outcome.as_ref().err().and_then(|fault| self.run.mistake(subject, fault));
            match mistake.map_or(outcome, Err) {
                Ok(facts) => done.push(facts.map(|facts| LoadFacts { subject, ..facts })),
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => self.roster.mark_failed(subject, self.session.number, fault, self.store)?,
            }
        }
        self.run.detail(&format!("{name} {:.2} s", began.elapsed().as_secs_f64()));
        Ok(done)
    }

    /// All subjects must hold the same rows of a data set; one that does not is marked failed.
    fn compare_loads(&mut self, data_rows: u64, loads: Vec<LoadFacts>) -> Result<(), Fault> {
        let base = self.roster.base_loaded(data_rows, &loads);
        let first = base.or_else(|| loads.first().map(|facts| (facts.rows, facts.checksum.clone())));
        for facts in loads {
            self.store.append_load(&facts)?;
            if Some((facts.rows, facts.checksum.clone())) != first {
                let what =
                    format!("{} rows with checksum {} after the same load", facts.rows, facts.checksum);
                let fault = Fault::new(FaultKind::WrongAnswer, what);
                self.roster.mark_failed(facts.subject, self.session.number, fault, self.store)?;
            }
        }
        Ok(())
    }
}
