//! All subjects up at once: they take turns in chunks, and stand still in each other's.

use std::time::Instant;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Block, Fault, Results, SessionInfo};
use humdrum_record::Store;

use super::super::bench::{Bench, comparable};
use super::super::cell::blocks_done;
use super::Course;
use super::step::{Entrant, Step};
use super::taking::Taking;

/// The servers.
pub struct Together<'a> {
    bench: Bench<'a>,
}

impl<'a> Together<'a> {
    /// Gets all builds, makes and starts all servers.
    ///
    /// # Errors
    /// As `Bench::set_up`.
    pub fn set_up(course: &Course<'a>, store: &mut Store) -> Result<Self, Fault> {
        Ok(Self { bench: Bench::set_up(course.lab, course.dirs, course.plan, store)? })
    }

    /// Seconds so far, by the subjects' own clock.
    pub fn run_seconds(&self, began: Instant) -> f64 {
        self.bench.run_seconds(began)
    }

    /// All steps.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn session(
        &mut self,
        course: &Course<'_>,
        session: &SessionInfo,
        store: &mut Store,
        before: &Results,
    ) -> Result<(), Fault> {
        self.bench.begin(session, store)?;
        let mut taking = Taking::new(course, session, course.plan.subjects.len());
        for number in 0..course.plan.tests.len() {
            if !comparable(&self.bench.stands) || !taking.compares() {
                return Ok(());
            }
            let (clock, metrics) = (self.bench.clock(), self.bench.metrics.clone());
            let step = Step { course, session, number, clock, metrics: &metrics, before };
            let mut servers: Vec<Entrant<'_>> = Vec::new();
            for (subject, stand) in self.bench.stands.iter_mut().enumerate() {
                if let Some(stand) = stand.as_mut().filter(|_| taking.part(subject)) {
                    servers.push((subject, &mut *stand.server));
                }
            }
            let test = &course.plan.tests[number].name;
            let done = blocks_done(session, test, before);
            let ran = step.run(servers, store, &mut |store, index, slices| {
                if index < done {
                    return Ok(());
                }
                let (test, session) = (test.clone(), session.number);
                store.append_block(&Block { test, session, index, slices, discarded: None })
            })?;
            let gone = taking.take_in(ran, number, store)?;
            self.end_servers(&gone);
        }
        Ok(())
    }

    /// What is left of a subject must not work on beside the others; the next session starts it again.
    fn end_servers(&mut self, gone: &[usize]) {
        for subject in gone {
            if let Some(stand) = &mut self.bench.stands[*subject] {
                let _ = stand.server.kill();
            }
        }
    }

    /// Keeps the logs and stops all servers.
    pub fn end(self, course: &Course<'_>) {
        self.bench.keep_logs(&course.out.logs());
        if let Err(fault) = self.bench.stop() {
            // It was killed instead; what was measured before is no worse for it.
            course.lab.console.update(Update::Note(&format!("at the end: {fault}")));
        }
    }
}
