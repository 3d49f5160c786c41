//! The state of the data after tests that write, and their debts per operation. Like costs, they are not
//! judged and have plain 95 % intervals.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_model::{Cost, Debt, Moment, Quantity, Results, StateFacts, StatePair, TestInfo};

use crate::interval::ratio_ci95;
use crate::robust::mean;

/// Where a debt's amount comes from.
enum Source {
    /// How long paying took.
    Wall,
    /// Readings over the payment, summed.
    Readings(&'static [&'static str]),
}

/// (name, unit, description, source, factor from the source's unit to this one), alphabetical.
const KINDS: &[(&str, &str, &str, Source, f64)] = &[
    (
        "debt_cpu_us",
        "µs/op",
        "CPU time of the server for paying the debt of an operation",
        Source::Readings(&["server_cpu_ns", "background_cpu_ns"]),
        1e-3,
    ),
    (
        "debt_us",
        "µs/op",
        "time for paying the debt of an operation: vacuum or purge, flush, checkpoint",
        Source::Wall,
        1e-3,
    ),
    (
        "debt_wkb_o",
        "KiB/op",
        "KiB written to the device for paying the debt of an operation",
        Source::Readings(&["device_write_kib"]),
        1.0,
    ),
];

/// Debts of one operation by name; empty where none were measured on both sides.
pub(crate) fn debts(results: &Results, test: &TestInfo, subject: usize) -> BTreeMap<String, Cost> {
    let of = |whose: usize| -> BTreeMap<u32, &Debt> {
        let own = results.debts.iter().filter(|debt| debt.test == test.name && debt.subject == whose);
        own.filter(|debt| debt.operations > 0).map(|debt| (debt.session, debt)).collect()
    };
    let (base, other) = (of(0), of(subject));
    let pairs: Vec<(&Debt, &Debt)> =
        base.iter().filter_map(|(session, debt)| Some((*debt, *other.get(session)?))).collect();
    let row = |(name, unit, description, source, scale): &(&str, &str, &str, Source, f64)| {
        let places = places(source, results)?;
        let amount = |debt: &Debt| amount(debt, places.as_deref()) * scale;
        let per_operation = |debts: &mut dyn Iterator<Item = &Debt>| {
            let (amounts, operations) = debts.fold((0.0, 0.0), |(sum, operations), debt| {
                (sum + amount(debt), operations + debt.operations as f64)
            });
            amounts / (operations * f64::from(test.statements.max(1)))
        };
        let ours = per_operation(&mut pairs.iter().map(|pair| pair.0));
        let theirs = per_operation(&mut pairs.iter().map(|pair| pair.1));
        let logs = pairs.iter().map(|(base, other)| {
            let rate = |debt: &Debt| amount(debt) / debt.operations as f64;
            (rate(other) / rate(base)).ln()
        });
        let logs: Vec<f64> = logs.filter(|log| log.is_finite()).collect();
        let interval = ratio_ci95(&logs).filter(|_| logs.len() == pairs.len());
        Some((
            (*name).to_owned(),
            Cost {
                unit: (*unit).to_owned(),
                description: (*description).to_owned(),
                base: ours,
                subject: theirs,
                ratio: interval.map(|(ratio, _)| ratio).or_else(|| (ours > 0.0).then(|| theirs / ours)),
                ci95: interval.map(|(_, ci95)| ci95),
            },
        ))
    };
    if pairs.is_empty() { BTreeMap::new() } else { KINDS.iter().filter_map(row).collect() }
}

/// Positions of the readings; `Some(None)` for the clock, `None` where the run does not have a reading.
fn places(source: &Source, results: &Results) -> Option<Option<Vec<usize>>> {
    let Source::Readings(names) = source else { return Some(None) };
    let place = |name: &&str| results.metrics.iter().position(|metric| metric.name == *name);
    names.iter().map(place).collect::<Option<Vec<_>>>().map(Some)
}

fn amount(debt: &Debt, places: Option<&[usize]>) -> f64 {
    match places {
        None => debt.wall_ns as f64,
        Some(places) => places.iter().filter_map(|place| debt.readings.get(*place)).sum::<i64>() as f64,
    }
}

/// The state that the test left, before debts were paid: the mean over the subject's sessions of each quantity, and how
/// many rows there were.
pub(crate) fn state(results: &Results, test: &TestInfo, subject: usize) -> BTreeMap<String, StatePair> {
    let of = |whose: usize| -> Vec<&StateFacts> {
        let own = |state: &&StateFacts| state.test == test.name && state.subject == whose;
        let shared = |state: &&StateFacts| results.share(&[0, subject], state.session);
        results.states.iter().filter(own).filter(shared).collect()
    };
    let (base, other) = (of(0), of(subject));
    let quantities: Vec<&Quantity> = base
        .iter()
        .chain(&other)
        .filter(|state| state.moment == Moment::After)
        .flat_map(|s| &s.quantities)
        .collect();
    let names: BTreeSet<&str> = quantities.iter().map(|quantity| quantity.name.as_str()).collect();
    let mut pairs: BTreeMap<String, StatePair> = names
        .into_iter()
        .filter_map(|name| {
            let known = quantities.iter().find(|quantity| quantity.name == name)?;
            let (unit, description) = (known.unit.clone(), known.description.clone());
            let (base, subject) = (average(&base, name), average(&other, name));
            Some((name.to_owned(), StatePair { unit, description, base, subject }))
        })
        .collect();
    if let (Some(base), Some(subject)) = (rows(&base), rows(&other)) {
        let (unit, description) = ("rows".to_owned(), "rows in all tables".to_owned());
        let (base, subject) = (Some(base), Some(subject));
        pairs.insert("rows".to_owned(), StatePair { unit, description, base, subject });
    }
    pairs
}

fn average(states: &[&StateFacts], name: &str) -> Option<f64> {
    let after = states.iter().filter(|state| state.moment == Moment::After);
    let own = after.flat_map(|state| &state.quantities).filter(|quantity| quantity.name == name);
    let values: Vec<f64> = own.map(|quantity| quantity.value).collect();
    (!values.is_empty()).then(|| mean(&values))
}

fn rows(states: &[&StateFacts]) -> Option<f64> {
    let counted = states.iter().filter_map(|state| state.contents.as_ref());
    let counts: Vec<f64> = counted.map(|contents| contents.rows as f64).collect();
    (!counts.is_empty()).then(|| mean(&counts))
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Better, Contents, Metric, MetricKind};

    use super::*;
    use crate::testkit::Bench;

    fn bench() -> (Results, TestInfo) {
        let mut results = Bench::new(&["update-one"], 2, 0, 4).results;
        results.metrics = vec![Metric {
            name: "device_write_kib".into(),
            unit: "KiB".into(),
            better: Better::Less,
            kind: MetricKind::Counter,
            description: String::new(),
        }];
        let test = TestInfo { statements: 2, ..results.plan.tests[0].clone() };
        (results, test)
    }

    fn debt(session: u32, subject: usize, wall_ns: u64) -> Debt {
        let readings = vec![if subject == 0 { 0 } else { 4000 }];
        Debt { test: "update-one".into(), session, subject, operations: 1000, wall_ns, readings }
    }

    #[test]
    fn debts_are_per_operation_and_compared_within_sessions() {
        let (mut results, test) = bench();
        results.debts = (0..4).flat_map(|n| [debt(n, 0, 1_000_000), debt(n, 1, 3_000_000)]).collect();
        // A session in which only one side paid tells nothing.
        results.debts.push(debt(4, 1, 900_000_000));
        let found = debts(&results, &test, 1);
        let wall = &found["debt_us"];
        assert!((wall.base - 0.5).abs() < 1e-12 && (wall.subject - 1.5).abs() < 1e-12, "{wall:?}");
        assert!((wall.ratio.unwrap() - 3.0).abs() < 1e-9 && wall.ci95.is_some());
        let written = &found["debt_wkb_o"];
        assert_eq!((written.base, written.subject, written.ratio, written.ci95), (0.0, 2.0, None, None));
        assert!(!found.contains_key("debt_cpu_us"), "its readings are not among the run's");
    }

    #[test]
    fn the_state_is_the_one_before_paying_and_the_rows_those_after() {
        let (mut results, test) = bench();
        let state = |subject, moment, dead: f64| StateFacts {
            test: "update-one".into(),
            session: 0,
            subject,
            moment,
            contents: (moment == Moment::Paid).then(|| Contents { rows: 70, checksum: "1".into() }),
            quantities: vec![Quantity {
                name: if subject == 0 { "dead_rows" } else { "history_length" }.into(),
                unit: "rows".into(),
                description: "d".into(),
                value: dead,
            }],
        };
        for subject in [0, 1] {
            results.states.push(state(subject, Moment::After, 100.0));
            results.states.push(state(subject, Moment::After, 300.0));
            results.states.push(state(subject, Moment::Paid, 0.0));
        }
        let found = super::state(&results, &test, 1);
        assert_eq!((found["dead_rows"].base, found["dead_rows"].subject), (Some(200.0), None));
        assert_eq!((found["history_length"].base, found["history_length"].subject), (None, Some(200.0)));
        assert_eq!(found["rows"].subject, Some(70.0));
        assert!(debts(&results, &test, 1).is_empty());
    }
}
