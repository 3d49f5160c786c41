//! Brings every subject to the state in which a session begins: fresh processes and, where the plan wants it, fresh
//! data, loaded anew or put back from a copy.
//!
//! All are down before any starts, and all start and fill their memory at the same time. On a virtual machine some
//! memory is slower than other, by several percent; a server that starts first takes the one kind and the next one the
//! other, and one of two servers of the same build was 2 to 6 % faster for a whole session. Filling their memory
//! together, they take it page by page in turns, and differ by less. So all have started before any loads.
//!
//! ```text
//!   by loading     stop ─► start, load                                 every session
//!   from a copy    start, load ─► stop ─► copy away                    once, before the first session
//!                  end  ─► copy back ─► start, read in, check          every session, the first included
//! ```

use std::time::Instant;

use humdrum_contract::{Outcome, Progress, Update, Workload};
use humdrum_model::{Fault, FaultKind, LoadFacts, SessionInfo};
use humdrum_record::Store;

use super::bench::{Bench, Stand};
use super::ends_the_run;

impl Bench<'_> {
    /// Every subject is ready for the session's first test, or is buried.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn begin(&mut self, session: &SessionInfo, store: &mut Store) -> Result<(), Fault> {
        let began = Instant::now();
        let loads = if self.plan.design.copy && session.reloaded {
            self.put_back(session, store)?
        } else {
            self.load(session, store)?
        };
        self.tell(&format!("all ready after {:.2} s", began.elapsed().as_secs_f64()));
        self.compare_loads(session, loads, store)
    }

    /// Fresh data by loading, where they are to be fresh, else what is there.
    fn load(&mut self, session: &SessionInfo, store: &mut Store) -> Result<Vec<LoadFacts>, Fault> {
        if session.restarted && session.number > 0 {
            self.stop_all();
        }
        self.announce_load(session);
        let (lab, plan, workload) = (self.lab, self.plan, self.workload);
        self.start(session, store)?;
        let loads = self.each("load", session, store, |stand| {
            lab.dirs.interrupt.check()?;
            // A run that goes on has new servers, which hold nothing yet.
            if session.reloaded || !stand.loaded {
                let (interrupt, console) = (&lab.dirs.interrupt, &lab.console);
                let facts = workload.load(&mut *stand.server, &plan.scale, plan.seed, console, interrupt)?;
                stand.loaded = true;
                return Ok(Some(facts));
            }
            workload.prewarm(&mut *stand.server, &plan.scale)?;
            Ok(None)
        })?;
        Ok(loads.into_iter().flatten().collect())
    }

    /// Fresh data from the copy of what was loaded, which is made first where there is none.
    fn put_back(&mut self, session: &SessionInfo, store: &mut Store) -> Result<Vec<LoadFacts>, Fault> {
        let first = self.stands.iter().flatten().any(|stand| !stand.loaded);
        if first {
            let loads = self.load(session, store)?;
            self.compare_loads(session, loads, store)?;
            // What is copied must be whole: a server that did not stop cleanly has no copy, and so no part.
            self.each("stop", session, store, |stand| stand.server.stop().map(|()| None))?;
            self.each("keep", session, store, |stand| stand.server.keep().map(|()| None))?;
        } else {
            // Whatever becomes of its data, it gets others.
            self.each("end", session, store, |stand| {
                let _ = stand.server.kill();
                Ok(None)
            })?;
            self.each("copy", session, store, |stand| stand.server.bring_back().map(|()| None))?;
        }
        let (lab, plan, workload) = (self.lab, self.plan, self.workload);
        self.start(session, store)?;
        let loads = self.each("read in", session, store, |stand| {
            lab.dirs.interrupt.check()?;
            let began = Instant::now();
            workload.prewarm(&mut *stand.server, &plan.scale)?;
            inspect(workload, stand, plan, began)
        })?;
        Ok(loads.into_iter().flatten().collect())
    }

    /// Has all running before any goes on.
    fn start(&mut self, session: &SessionInfo, store: &mut Store) -> Result<(), Fault> {
        let lab = self.lab;
        self.each("start", session, store, |stand| {
            lab.dirs.interrupt.check()?;
            started(stand).map(|()| None)
        })?;
        Ok(())
    }

    fn announce_load(&self, session: &SessionInfo) {
        if session.number == 0 {
            let rows = self.plan.scale.rows * u64::from(self.plan.scale.tables);
            self.lab.console.update(Update::Step(&format!("loading {rows} rows into each")));
        }
    }

    fn stop_all(&mut self) {
        std::thread::scope(|scope| {
            for stand in self.stands.iter_mut().flatten() {
                // A server that does not stop in time was killed; it is started anew all the same.
                scope.spawn(|| stand.server.stop());
            }
        });
    }

    /// Has every subject do a step at the same time, another one a few microseconds before the others in every session;
    /// who cannot is buried. Facts come in the plan's order.
    fn each(
        &mut self,
        name: &str,
        session: &SessionInfo,
        store: &mut Store,
        step: impl Fn(&mut Stand) -> Outcome<Option<LoadFacts>> + Sync,
    ) -> Result<Vec<Option<LoadFacts>>, Fault> {
        let began = Instant::now();
        let stands = self.stands.iter_mut().enumerate();
        let mut alive: Vec<_> =
            stands.filter_map(|(number, stand)| Some((number, stand.as_mut()?))).collect();
        let alive_count = alive.len().max(1);
        alive.rotate_left(session.number as usize % alive_count);
        let step = &step;
        let mut outcomes: Vec<_> = std::thread::scope(|scope| {
            let begun: Vec<_> =
                alive.into_iter().map(|(number, stand)| (number, scope.spawn(move || step(stand)))).collect();
            let panicked = |_| Err(Fault::crash("beginning a session panicked"));
            begun
                .into_iter()
                .map(|(number, thread)| (number, thread.join().unwrap_or_else(panicked)))
                .collect::<Vec<_>>()
        });
        outcomes.sort_by_key(|(number, _)| *number);
        let mut done = Vec::new();
        for (subject, outcome) in outcomes {
            match outcome {
                Ok(facts) => done.push(facts.map(|facts| LoadFacts { subject, ..facts })),
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => self.bury(subject, session, fault, store)?,
            }
        }
        self.tell(&format!("{name} {:.2} s", began.elapsed().as_secs_f64()));
        Ok(done)
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
                let fault = Fault::new(FaultKind::WrongAnswer, what);
                self.bury(facts.subject, session, fault, store)?;
            }
        }
        Ok(())
    }

    /// With `-v`: what a session costs beside its tests.
    pub(super) fn tell(&self, what: &str) {
        if self.lab.verbose {
            self.lab.console.update(Update::Note(what));
        }
    }
}

fn started(stand: &mut Stand) -> Outcome<()> {
    if stand.server.is_running() { Ok(()) } else { stand.server.start() }
}

/// What the tables hold, as after a load.
fn inspect(
    workload: &dyn Workload,
    stand: &mut Stand,
    plan: &humdrum_model::Plan,
    began: Instant,
) -> Outcome<Option<LoadFacts>> {
    let facts = workload.inspect(&mut *stand.server, &plan.scale)?;
    Ok(facts.map(|facts| LoadFacts { seconds: began.elapsed().as_secs_f64(), ..facts }))
}
