//! What a test that writes leaves behind: looks at the state before and after, has every subject pay what it owes,
//! alone and timed, and compares what the tables hold.

use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Workload};
use humdrum_drive::{Settling as Aftermath, Took};
use humdrum_model::{Contents, Debt, Fault, FaultKind, Moment, Plan, Quantity, Results, StateFacts};
use humdrum_record::Store;

use super::bench::Bench;
use super::cell::Exit;
use super::ends_the_run;
use crate::lab::Lab;

/// Within this time a server says what state it is in, however much there is in it: one that does not hangs.
pub const GLANCE: Duration = Duration::from_secs(60);

/// Paying, and summing up large tables, take as long as they take.
pub const PATIENCE: Duration = Duration::from_secs(3600);

/// A connection to one subject beside those of its clients.
pub struct Steward {
    pub subject: usize,
    pub connection: Connection,
}

/// Settles one cell.
pub struct Settling<'a> {
    pub lab: &'a Lab,
    pub plan: &'a Plan,
    pub session: u32,
    pub test: &'a str,
    pub workload: &'a dyn Workload,
    pub clock: Arc<dyn Clock>,
    /// What is seen goes on record; not where the test only ages the tables.
    pub records: bool,
    /// What an interrupted run recorded is not recorded again.
    pub before: &'a Results,
    /// What is owed is paid now.
    pub pays: bool,
    /// Contents are summed now.
    pub sums: bool,
}

impl Settling<'_> {
    /// The state before the first operation.
    ///
    /// # Errors
    /// The store.
    pub fn look_before(
        &self,
        stewards: &mut Vec<Steward>,
        bench: &Bench<'_>,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let mut failed = Vec::new();
        for steward in &mut *stewards {
            let subject = steward.subject;
            let Some(stand) = &bench.stands[subject] else { continue };
            let dialect = stand.server.dialect();
            match self.workload.state(&mut steward.connection, dialect, &self.plan.scale) {
                Ok(quantities) => self.keep(store, subject, Moment::Before, None, quantities)?,
                Err(fault) => {
                    exits.push(Exit { subject, fault: stand.server.explain(fault) });
                    failed.push(subject);
                }
            }
        }
        stewards.retain(|steward| !failed.contains(&steward.subject));
        Ok(())
    }

    /// One subject after the other: what it owes is looked at and paid, while the others stand still.
    ///
    /// # Errors
    /// Interrupted, or the store.
    pub fn settle(
        &self,
        mut aftermath: Aftermath<'_>,
        stewards: &mut Vec<Steward>,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        let alive = aftermath.alive();
        stewards.retain(|steward| alive.contains(&steward.subject));
        in_turn(stewards, self.session);
        let mut failed = Vec::new();
        for steward in &mut *stewards {
            let subject = steward.subject;
            match self.pay(&mut aftermath, steward) {
                Ok((quantities, took)) => {
                    self.keep(store, subject, Moment::After, None, quantities)?;
                    self.keep_debt(store, subject, aftermath.operations, took)?;
                }
                Err(fault) if ends_the_run(&fault) => return Err(fault),
                Err(fault) => {
                    failed.push(subject);
                    exits.push(Exit { subject, fault });
                }
            }
        }
        stewards.retain(|steward| !failed.contains(&steward.subject));
        stewards.sort_by_key(|steward| steward.subject);
        Ok(())
    }

    fn pay(
        &self,
        aftermath: &mut Aftermath<'_>,
        steward: &mut Steward,
    ) -> Result<(Vec<Quantity>, Took), Fault> {
        let (workload, scale) = (self.workload, &self.plan.scale);
        let mut quantities = Vec::new();
        let took = aftermath.alone(
            steward.subject,
            &mut steward.connection,
            |server, connection| {
                quantities = workload.state(connection, server.dialect(), scale)?;
                Ok(())
            },
            |server, connection| match self.pays {
                true => {
                    let interrupt = &self.lab.dirs.interrupt;
                    connection.set_timeout(PATIENCE)?;
                    workload.post_write(connection, server.dialect(), scale, &*self.clock, interrupt)
                }
                false => Ok(()),
            },
        )?;
        Ok((quantities, took))
    }

    /// All subjects did the same, so that their tables must hold the same as the base's.
    ///
    /// # Errors
    /// The store.
    pub fn compare(
        &self,
        stewards: Vec<Steward>,
        bench: &Bench<'_>,
        store: &mut Store,
        exits: &mut Vec<Exit>,
    ) -> Result<(), Fault> {
        if !self.sums {
            return Ok(());
        }
        let mut base = None;
        for (subject, found) in self.contents(stewards, bench) {
            let (contents, quantities) = match found {
                Ok(found) => found,
                Err(fault) => {
                    exits.push(Exit { subject, fault });
                    continue;
                }
            };
            if subject == 0 {
                base = Some(contents.clone());
            } else if contents != base.clone().unwrap_or(None) && base.is_some() {
                let expected = base.clone().unwrap_or(None);
                exits.push(Exit { subject, fault: other_contents(contents.as_ref(), expected.as_ref()) });
            }
            self.keep(store, subject, Moment::Paid, contents, quantities)?;
        }
        Ok(())
    }

    /// Of all subjects at once, in the plan's order: it is no measurement, and large tables take their time.
    fn contents(&self, stewards: Vec<Steward>, bench: &Bench<'_>) -> Vec<(usize, Result<Found, Fault>)> {
        let (workload, scale) = (self.workload, &self.plan.scale);
        std::thread::scope(|scope| {
            let ask = |mut steward: Steward| {
                let dialect = bench.stands[steward.subject].as_ref().and_then(|stand| stand.server.dialect());
                let thread = scope.spawn(move || {
                    steward.connection.set_timeout(PATIENCE)?;
                    let contents = workload.contents(&mut steward.connection, dialect, scale)?;
                    let quantities = workload.state(&mut steward.connection, dialect, scale)?;
                    Ok((contents, quantities))
                });
                (steward.subject, thread)
            };
            let asked: Vec<_> = stewards.into_iter().map(ask).collect();
            let panicked = |_| Err(Fault::crash("summing up the tables panicked"));
            let found = asked.into_iter().map(|(subject, thread)| {
                let found = thread.join().unwrap_or_else(panicked);
                let explain = |fault| match &bench.stands[subject] {
                    Some(stand) => stand.server.explain(fault),
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
        if !self.records || has_state(self.before, self.test, self.session, subject, moment) {
            return Ok(());
        }
        let (test, session) = (self.test.to_owned(), self.session);
        store.append_state(&StateFacts { test, session, subject, moment, contents, quantities })
    }

    fn keep_debt(&self, store: &mut Store, subject: usize, operations: u64, took: Took) -> Result<(), Fault> {
        // What several tests left owing and pay at once is nobody's in particular.
        let own = |debt: &Debt| {
            (debt.test.as_str(), debt.session, debt.subject) == (self.test, self.session, subject)
        };
        if !self.records || self.plan.compat || self.before.debts.iter().any(own) {
            return Ok(());
        }
        let (test, session, Took { wall_ns, readings }) = (self.test.to_owned(), self.session, took);
        store.append_debt(&Debt { test, session, subject, operations, wall_ns, readings })
    }
}

/// Whether a state is on record.
pub fn has_state(before: &Results, test: &str, session: u32, subject: usize, moment: Moment) -> bool {
    let own = |one: &StateFacts| {
        (one.test.as_str(), one.session, one.subject, one.moment) == (test, session, subject, moment)
    };
    before.states.iter().any(own)
}

/// What the tables hold, and the state they are in.
type Found = (Option<Contents>, Vec<Quantity>);

fn other_contents(found: Option<&Contents>, expected: Option<&Contents>) -> Fault {
    let told = |contents: Option<&Contents>| match contents {
        Some(Contents { rows, checksum }) => format!("{rows} rows with checksum {checksum}"),
        None => "nothing".to_owned(),
    };
    let what = format!(
        "after the same writes the tables hold {} where the base's hold {}",
        told(found),
        told(expected)
    );
    Fault::new(FaultKind::WrongAnswer, what)
}

/// Another subject is first in every session: while one pays, the host writes out what the others have left.
pub fn in_turn(stewards: &mut [Steward], session: u32) {
    if !stewards.is_empty() {
        stewards.rotate_left(session as usize % stewards.len());
    }
}
