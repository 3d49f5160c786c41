//! The columns of a store that flushes and compacts, one definition each. They are costs of a test and not
//! judged. A test has them if its record has the readings that they are computed from, for any engine.
//!
//! Compaction debt at the end of a test is charged to the operations that caused it, and uncounted operations
//! caused a part of it. In a column "with debt", the readings of the payment count by the share of counted
//! operations in all operations since the last payment.

mod definitions;

use std::collections::BTreeMap;

use humdrum_model::{Cost, Moment, Results, TestInfo};

use definitions::{COLUMNS, Column, Per};

use crate::interval::ratio_ci95;
use crate::robust::mean;
use crate::run::KeptSession;

/// A run without this reading has none of these columns.
const MARK: &str = "put_bytes";

/// All columns that both sides have.
pub(crate) fn columns(
    results: &Results,
    test: &TestInfo,
    sessions: &[KeptSession<'_>],
    used: &[u32],
    subject: usize,
) -> BTreeMap<String, Cost> {
    let mut found = BTreeMap::new();
    if place(results, MARK).is_none() {
        return found;
    }
    let pairs: Vec<[Tally; 2]> = sessions
        .iter()
        .filter(|session| used.contains(&session.number))
        .map(|session| [0, subject].map(|whose| Tally::of(results, test, session, whose)))
        .collect();
    for column in COLUMNS {
        found.extend(column.cost(results, &pairs).map(|cost| (column.name.to_owned(), cost)));
    }
    found.extend(usec_op(results, test, &pairs).map(|cost| ("usec_op".to_owned(), cost)));
    found.extend(lsm(results, test, subject).map(|cost| ("lsm_mb".to_owned(), cost)));
    found
}

fn place(results: &Results, name: &str) -> Option<usize> {
    results.metrics.iter().position(|metric| metric.name == name)
}

/// The work of one subject in one session of a test.
#[derive(Default)]
struct Tally {
    operations: f64,
    /// Seconds of slices, guards included.
    seconds: f64,
    /// Seconds of slices without guards, and their operations.
    counted: [f64; 2],
    /// By metric.
    readings: Vec<f64>,
    /// The part of the payment's readings that counts for these operations.
    debt: Vec<f64>,
}

impl Tally {
    fn of(results: &Results, test: &TestInfo, session: &KeptSession<'_>, subject: usize) -> Self {
        let mut tally = Self::default();
        let zero = vec![0.0; results.metrics.len()];
        (tally.readings, tally.debt) = (zero.clone(), zero);
        let mut calls = 0.0;
        for slice in session.blocks.iter().filter_map(|block| block.slice(subject)) {
            let (own, all) = (slice.operations as f64, (slice.operations + slice.guard_operations) as f64);
            let seconds = slice.wall_ns as f64 / 1e9;
            calls += all;
            tally.seconds += if own > 0.0 { seconds * all / own } else { 0.0 };
            tally.counted[0] += seconds;
            tally.counted[1] += own;
            add(&mut tally.readings, &slice.readings, 1.0);
        }
        let own = |debt: &&humdrum_model::Debt| {
            debt.test == test.name && debt.session == session.number && debt.subject == subject
        };
        if let Some(debt) = results.debts.iter().find(own).filter(|debt| debt.operations > 0) {
            add(&mut tally.debt, &debt.readings, (calls / debt.operations as f64).min(1.0));
        }
        tally.operations = calls * f64::from(test.statements.max(1));
        tally.counted[1] *= f64::from(test.statements.max(1));
        tally
    }

    fn sum(&self, places: &[usize], debt: bool) -> f64 {
        let of = |place: &usize| self.readings[*place] + if debt { self.debt[*place] } else { 0.0 };
        places.iter().map(of).sum()
    }
}

fn add(sums: &mut [f64], readings: &[i64], share: f64) {
    sums.iter_mut().zip(readings).for_each(|(sum, reading)| *sum += *reading as f64 * share);
}

impl Column {
    fn cost(&self, results: &Results, pairs: &[[Tally; 2]]) -> Option<Cost> {
        let places =
            |names: &[&str]| names.iter().map(|name| place(results, name)).collect::<Option<Vec<_>>>();
        let above = places(self.readings)?;
        let below = if let Per::Readings(names) = self.per { places(names)? } else { Vec::new() };
        let parts = |tally: &Tally| {
            let divisor = match self.per {
                Per::Readings(_) => tally.sum(&below, self.debt),
                Per::Million => tally.operations / 1e6,
                Per::Operation => tally.operations,
                Per::Second => tally.seconds,
            };
            // A payment puts nothing, so that its share is in what is above alone.
            [tally.sum(&above, self.debt) * self.scale, divisor]
        };
        cost(self.unit, self.description, pairs, parts)
    }
}

/// The cost from the sums over all sessions; the interval of the ratio comes from the sums of each session.
fn cost(
    unit: &str,
    description: &str,
    pairs: &[[Tally; 2]],
    parts: impl Fn(&Tally) -> [f64; 2],
) -> Option<Cost> {
    let total = |side: usize| {
        let sums = pairs.iter().map(|pair| parts(&pair[side]));
        let [above, below] = sums.fold([0.0; 2], |[a, b], [above, below]| [a + above, b + below]);
        (below > 0.0).then(|| above / below)
    };
    let (base, subject) = (total(0)?, total(1)?);
    let log = |[base, subject]: &[Tally; 2]| {
        let rate = |tally| {
            let [above, below] = parts(tally);
            (above / below).ln()
        };
        Some(rate(subject) - rate(base)).filter(|log| log.is_finite())
    };
    let logs: Option<Vec<f64>> = pairs.iter().map(log).collect();
    let interval = logs.and_then(|logs| ratio_ci95(&logs));
    Some(Cost {
        unit: unit.to_owned(),
        description: description.to_owned(),
        base,
        subject,
        ratio: interval.map(|(ratio, _)| ratio).or_else(|| (base > 0.0).then(|| subject / base)),
        ci95: interval.map(|(_, ci95)| ci95),
    })
}

/// The time of an operation as one client sees it; each of several clients does its share of the operations.
fn usec_op(results: &Results, test: &TestInfo, pairs: &[[Tally; 2]]) -> Option<Cost> {
    let clients = f64::from(results.plan.clients_of(test).max(1));
    let text = "time of one operation as its client sees it, mean over counted operations";
    cost("µs", text, pairs, |tally| [tally.counted[0] * 1e6 * clients, tally.counted[1]])
}

/// A level: the size of the tables at the end of the test, as the mean over sessions.
fn lsm(results: &Results, test: &TestInfo, subject: usize) -> Option<Cost> {
    let of = |whose: usize| {
        let own = results.states.iter().filter(|state| {
            let shared = results.share(&[0, subject], state.session);
            shared && state.test == test.name && state.subject == whose && state.moment == Moment::After
        });
        let sizes: Vec<f64> = own
            .filter_map(|state| state.quantities.iter().find(|quantity| quantity.name == "table_bytes"))
            .map(|quantity| quantity.value / 1e6)
            .collect();
        (!sizes.is_empty()).then(|| mean(&sizes))
    };
    let (base, subject) = (of(0)?, of(subject)?);
    let ratio = (base > 0.0).then(|| subject / base);
    let (unit, description) =
        ("MB".to_owned(), "size of the store's files after the test, before debts were paid".to_owned());
    Some(Cost { unit, description, base, subject, ratio, ci95: None })
}

#[cfg(test)]
mod tests;
