//! After a step: sizes and debts are looked at, what is owed is paid where the reference waits for it, and the tables
//! must hold what arithmetic says (and what the base's hold: `taking.rs`).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Server, StepSeat};
use humdrum_drive::Settling as Aftermath;
use humdrum_model::{
    Background, Contents, Debt, Fault, Moment, Quantity, Results, SLA_SHARE, StateFacts, StepFacts,
};
use humdrum_record::Store;

use super::super::aftermath::{PATIENCE, Steward, has_state, in_turn};
use super::super::cell::Exit;
use super::super::ends_the_run;
use super::Course;

/// Settles one step.
pub struct Settling<'a> {
    pub course: &'a Course<'a>,
    pub session: u32,
    pub seat: StepSeat<'a>,
    /// Steps done so far, this one last.
    pub done: Vec<&'a str>,
    pub clock: Arc<dyn Clock>,
    /// What an interrupted run recorded is not recorded again; facts may be there without the state after the step, where the
    /// wait was interrupted.
    pub before: &'a Results,
}

/// What one subject's look came to.
struct Seen {
    quantities: Vec<Quantity>,
    contents: Option<Contents>,
}

impl Settling<'_> {
    /// One subject after the other, the others standing still. Returns what the tables of each hold.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn settle(
        &self,
        mut aftermath: Aftermath<'_>,
        stewards: &mut [Steward],
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<Vec<(usize, Contents)>, Fault> {
        let alive = aftermath.alive();
        in_turn(stewards, self.session);
        let mut found = Vec::new();
        for steward in stewards.iter_mut().filter(|steward| alive.contains(&steward.subject)) {
            let subject = steward.subject;
            match self.one(&mut aftermath, steward, store) {
                Ok(contents) => found.extend(contents.map(|contents| (subject, contents))),
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => exits.push(Exit { subject, fault }),
            }
        }
        Ok(found)
    }

    fn one(
        &self,
        aftermath: &mut Aftermath<'_>,
        steward: &mut Steward,
        store: &mut Store,
    ) -> Result<Option<Contents>, Fault> {
        let (subject, course) = (steward.subject, self.course);
        let mut seen = Seen { quantities: Vec::new(), contents: None };
        let began_ns = self.clock.now_ns();
        let took = aftermath.alone(
            subject,
            &mut steward.connection,
            |server, connection| {
                seen.quantities = course.workload.state(connection, server.dialect(), self.seat.scale)?;
                seen.quantities.extend(folder_bytes(server));
                Ok(())
            },
            |server, connection| {
                if course.steps.wait_seconds(self.seat.test, self.seat.scale).is_none() {
                    return Ok(());
                }
                let (interrupt, scale) = (&course.dirs.interrupt, self.seat.scale);
                connection.set_timeout(PATIENCE)?;
                course.workload.post_write(connection, server.dialect(), scale, &*self.clock, interrupt)
            },
        )?;
        self.rest(began_ns)?;
        if self.verifies() {
            aftermath.alone(
                subject,
                &mut steward.connection,
                |server, connection| {
                    connection.set_timeout(PATIENCE)?;
                    let found = course.steps.verify(&self.done, &self.seat, connection, server.dialect())?;
                    seen.contents = Some(found);
                    Ok(())
                },
                |_, _| Ok(()),
            )?;
        }
        self.keep(subject, &seen, store)?;
        if self.records(subject) && course.steps.wait_seconds(self.seat.test, self.seat.scale).is_some() {
            let (test, session) = (self.seat.test.to_owned(), self.session);
            let operations = aftermath.operations.max(1);
            let (wall_ns, readings) = (took.wall_ns, took.readings);
            store.append_debt(&Debt { test, session, subject, operations, wall_ns, readings })?;
        }
        Ok(seen.contents)
    }

    /// Counting all rows reads the whole table, which leaves traces in some engines; as the reference does it, only
    /// the last step is followed by it.
    fn verifies(&self) -> bool {
        let last = self.course.plan.tests.last().is_some_and(|test| test.name == self.seat.test);
        !self.seat.compat || last
    }

    /// As the reference does it, the rest of the wait is slept out; else it is over when what was owed is paid.
    fn rest(&self, began_ns: u64) -> Result<(), Fault> {
        let wait = self.course.steps.wait_seconds(self.seat.test, self.seat.scale);
        let Some(seconds) = wait.filter(|_| self.seat.compat) else { return Ok(()) };
        let end_ns = began_ns + (seconds * 1e9) as u64;
        while self.clock.now_ns() < end_ns {
            self.course.dirs.interrupt.check()?;
            let left = Duration::from_nanos(end_ns - self.clock.now_ns());
            self.clock.sleep(left.min(Duration::from_millis(200)));
        }
        Ok(())
    }

    fn records(&self, subject: usize) -> bool {
        !has_state(self.before, self.seat.test, self.session, subject, Moment::After)
    }

    fn keep(&self, subject: usize, seen: &Seen, store: &mut Store) -> Result<(), Fault> {
        if !self.records(subject) {
            return Ok(());
        }
        store.append_state(&StateFacts {
            test: self.seat.test.to_owned(),
            session: self.session,
            subject,
            moment: Moment::After,
            contents: seen.contents.clone(),
            quantities: seen.quantities.clone(),
        })
    }
}

/// Bytes of everything that the server keeps, log included, where it can be seen.
fn folder_bytes(server: &dyn Server) -> Option<Quantity> {
    let folder = server.data_folder()?;
    Some(Quantity {
        name: "folder_bytes".into(),
        unit: "bytes".into(),
        description: "everything in the server's data folder, log included".into(),
        value: bytes_in(&folder) as f64,
    })
}

/// Blocks in use, so that files with holes count as what they take. What goes away meanwhile counts as nothing.
fn bytes_in(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(facts) if facts.is_dir() => bytes_in(&entry.path()),
        Ok(facts) => facts.blocks() * 512,
        Err(_) => 0,
    };
    entries.map(size).sum()
}

/// What to say of writers that did not keep their pace.
pub fn missed(facts: &StepFacts) -> Option<String> {
    let Background { target, rate, worst_10s } = humdrum_analyse::background(facts)?;
    (rate < SLA_SHARE * target).then(|| {
        format!(
            "{rate:.1} rows/s inserted of {target:.0} wanted ({:.0} %), {worst_10s:.1} in the worst ten seconds",
            100.0 * rate / target
        )
    })
}
