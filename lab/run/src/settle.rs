//! Settles the subjects after a unit that writes, for both kinds of unit: reads the state of the data, makes
//! each server pay its *debt* at once (alone and timed), checks the conditions of the workload, and takes fingerprints of
//! the tables.
//!
//! ```text
//!   subject by subject, the others stopped in place:   state ─► debt, timed ─► conditions ─► rows and sums
//!   or, where the sums are no part of it:              all subjects at once: rows and sums
//! ```

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, Outcome, Server};
use humdrum_drive::{Settling, Took};
use humdrum_model::{Contents, Debt, Fault, Moment, Quantity, Scale, StateFacts};
use humdrum_record::Store;

use crate::data_size::folder_bytes;
use crate::events::ends_the_run;
use crate::journal::Journal;
use crate::roster::Entrant;
use crate::run::Run;
use crate::unit::Exit;

/// The time limit for reading a server's state, for any amount of data. A server that exceeds it hangs.
pub(crate) const STATE_TIMEOUT: Duration = Duration::from_secs(60);

/// The time limit for paying a debt and for summing up large tables.
pub(crate) const DEBT_TIMEOUT: Duration = Duration::from_secs(3600);

/// The length of one sleep during a wait, so that an interrupt is noticed within this time.
const NAP: Duration = Duration::from_millis(200);

/// The control connection to one subject, for queries outside of blocks.
pub(crate) struct Control {
    pub(crate) subject: usize,
    pub(crate) connection: Connection,
}

/// Reads rows and sums over a connection, and checks them.
pub(crate) type Verify<'a> = &'a dyn Fn(&mut Connection, Option<&dyn Dialect>) -> Outcome<Contents>;

/// Looks at one subject after its last operation, before its state is read; what it finds is no part of the settling.
pub(crate) type Look<'a> = &'a dyn Fn(usize, &dyn Server, &mut Connection);

/// The settling of one unit.
pub(crate) struct Settle<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) session: u32,
    pub(crate) test: &'a str,
    /// Of the session's data.
    pub(crate) data: Scale,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) journal: &'a Journal,
    /// Whether results are recorded. False if the test runs only for later tests.
    pub(crate) records: bool,
    /// Whether the debt is paid now.
    pub(crate) pays: bool,
    /// Whether the payment is recorded. False if the debts of several tests are paid together.
    pub(crate) records_debt: bool,
    /// Whether the size of the server's folder is read with the state.
    pub(crate) reads_folder: bool,
    /// The least seconds that settling lasts; the lab sleeps for the rest.
    pub(crate) lasts_seconds: Option<f64>,
    /// Called first for each subject.
    pub(crate) look: Option<Look<'a>>,
    /// Checks each subject's tables alone.
    pub(crate) verify: Option<Verify<'a>>,
    /// Whether all subjects' tables are summed up at the same time, after all debts are paid.
    pub(crate) sums_up: bool,
}

impl Settle<'_> {
    /// Records the state before the first operation.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(crate) fn before(
        &self,
        controls: &mut Vec<Control>,
        entrants: &[Entrant<'_>],
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let mut failed = Vec::new();
        for control in &mut *controls {
            let subject = control.subject;
            let Some(server) = server_of(entrants, subject) else { continue };
            match self.run.workload.state(&mut control.connection, server.dialect(), &self.data) {
                Ok(quantities) => self.keep(store, subject, Moment::Before, None, quantities)?,
                Err(fault) => {
                    exits.push(Exit { subject, fault: server.explain(fault) });
                    failed.push(subject);
                }
            }
        }
        controls.retain(|control| !failed.contains(&control.subject));
        Ok(())
    }

    /// Settles one subject after the other, while the others are frozen. The first one changes from session
    /// to session, because the host writes out the others' dirty pages while one pays. Returns the contents
    /// of each subject's tables, if each is verified.
    ///
    /// # Errors
    /// Interrupted, the record cannot be written, or the base refuses a user's own condition.
    pub(crate) fn each(
        &self,
        mut settling: Settling<'_>,
        controls: &mut Vec<Control>,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<Vec<(usize, Contents)>, Fault> {
        let alive = settling.alive();
        controls.retain(|control| alive.contains(&control.subject));
        rotate(controls, self.session);
        let mut found = Vec::new();
        let mut failed = Vec::new();
        for control in &mut *controls {
            let subject = control.subject;
            match self.one(&mut settling, control, store) {
                Ok(contents) => found.extend(contents.map(|contents| (subject, contents))),
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => {
                    self.run.mistake(subject, &fault).map_or(Ok(()), Err)?;
                    failed.push(subject);
                    exits.push(Exit { subject, fault });
                }
            }
        }
        controls.retain(|control| !failed.contains(&control.subject));
        controls.sort_by_key(|control| control.subject);
        Ok(found)
    }

    fn one(
        &self,
        settling: &mut Settling<'_>,
        control: &mut Control,
        store: &mut Store,
    ) -> Result<Option<Contents>, Fault> {
        let (subject, began_ns) = (control.subject, self.clock.now_ns());
        let (quantities, took) = self.pay(settling, control)?;
        self.sleep_out(began_ns)?;
        let (workload, scale) = (self.run.workload, &self.data);
        let mut contents = None;
        if self.verify.is_some() || workload.conditions() > 0 {
            let read = |server: &dyn Server, connection: &mut Connection| {
                let dialect = server.dialect();
                connection.set_timeout(DEBT_TIMEOUT)?;
                workload.check_conditions(connection, dialect, scale)?;
                contents = self.verify.map(|verify| verify(connection, dialect)).transpose()?;
                Ok(())
            };
            settling.alone(subject, &mut control.connection, read, |_, _| Ok(()))?;
        }
        self.keep_debt(store, subject, settling.operations, took)?;
        self.keep(store, subject, Moment::After, contents.clone(), quantities)?;
        Ok(contents)
    }

    /// Reads the state, then makes the server pay.
    fn pay(
        &self,
        settling: &mut Settling<'_>,
        control: &mut Control,
    ) -> Result<(Vec<Quantity>, Took), Fault> {
        let (workload, scale) = (self.run.workload, &self.data);
        let (subject, mut quantities) = (control.subject, Vec::new());
        let took = settling.alone(
            subject,
            &mut control.connection,
            |server, connection| {
                self.look.iter().for_each(|look| look(subject, server, &mut *connection));
                quantities = workload.state(connection, server.dialect(), scale)?;
                if self.reads_folder {
                    quantities.extend(folder_bytes(server));
                }
                Ok(())
            },
            |server, connection| {
                if !self.pays {
                    return Ok(());
                }
                let interrupt = &self.run.places.dirs.interrupt;
                connection.set_timeout(DEBT_TIMEOUT)?;
                workload.post_write(connection, server.dialect(), scale, &*self.clock, interrupt)
            },
        )?;
        Ok((quantities, took))
    }

    fn sleep_out(&self, began_ns: u64) -> Result<(), Fault> {
        let Some(seconds) = self.lasts_seconds else { return Ok(()) };
        let end_ns = began_ns + (seconds * 1e9) as u64;
        while self.clock.now_ns() < end_ns {
            self.run.check_interrupt()?;
            self.clock.sleep(Duration::from_nanos(end_ns - self.clock.now_ns()).min(NAP));
        }
        Ok(())
    }

    /// Sums up the tables, if that is part of it. All subjects did the same work, so that their tables must equal the base's.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(crate) fn sum_up(
        &self,
        controls: Vec<Control>,
        entrants: &[Entrant<'_>],
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<Vec<(usize, Option<Contents>)>, Fault> {
        let mut sums = Vec::new();
        if !self.sums_up {
            return Ok(sums);
        }
        for (subject, found) in self.contents(controls, entrants) {
            match found {
                Ok((contents, quantities)) => {
                    sums.push((subject, contents.clone()));
                    self.keep(store, subject, Moment::Paid, contents, quantities)?;
                }
                Err(fault) => exits.push(Exit { subject, fault }),
            }
        }
        Ok(sums)
    }

    /// The contents of all subjects, in the plan's order. They are read at the same time, because large
    /// tables take long and this is not measured.
    fn contents(
        &self,
        controls: Vec<Control>,
        entrants: &[Entrant<'_>],
    ) -> Vec<(usize, Result<Found, Fault>)> {
        let (workload, scale) = (self.run.workload, &self.data);
        std::thread::scope(|scope| {
            let ask = |mut control: Control| {
                let dialect = server_of(entrants, control.subject).and_then(|server| server.dialect());
                let thread = scope.spawn(move || {
                    control.connection.set_timeout(DEBT_TIMEOUT)?;
                    let contents = workload.contents(&mut control.connection, dialect, scale)?;
                    let quantities = workload.state(&mut control.connection, dialect, scale)?;
                    Ok((contents, quantities))
                });
                (control.subject, thread)
            };
            let asked: Vec<_> = controls.into_iter().map(ask).collect();
            let panicked = |_| Err(Fault::crash("summing up the tables panicked"));
            let found = asked.into_iter().map(|(subject, thread)| {
                let found: Result<Found, Fault> = thread.join().unwrap_or_else(panicked);
                let explain = |fault| match server_of(entrants, subject) {
                    Some(server) => server.explain(fault),
                    None => fault,
                };
                (subject, found.map_err(explain))
            });
            found.collect()
        })
    }

    fn keep(
        &self,
        store: &mut Store,
        subject: usize,
        moment: Moment,
        contents: Option<Contents>,
        quantities: Vec<Quantity>,
    ) -> Result<(), Fault> {
        if !self.records || self.journal.has_state(self.test, self.session, subject, moment) {
            return Ok(());
        }
        let (test, session) = (self.test.to_owned(), self.session);
        store.append_state(&StateFacts { test, session, subject, moment, contents, quantities })
    }

    fn keep_debt(&self, store: &mut Store, subject: usize, operations: u64, took: Took) -> Result<(), Fault> {
        if !self.records || !self.records_debt || self.journal.has_debt(self.test, self.session, subject) {
            return Ok(());
        }
        let (test, session, Took { wall_ns, readings }) = (self.test.to_owned(), self.session, took);
        let operations = operations.max(1);
        store.append_debt(&Debt { test, session, subject, operations, wall_ns, readings })
    }
}

/// Contents of the tables, and quantities of their state.
type Found = (Option<Contents>, Vec<Quantity>);

fn server_of<'s>(entrants: &'s [Entrant<'_>], subject: usize) -> Option<&'s dyn Server> {
    entrants.iter().find(|entrant| entrant.subject == subject).map(|entrant| &*entrant.instance.server)
}

fn rotate(controls: &mut [Control], session: u32) {
    if !controls.is_empty() {
        controls.rotate_left(session as usize % controls.len());
    }
}
