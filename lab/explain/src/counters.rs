//! The engine's own counters per operation; those that changed most come first.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_analyse::mean_of;
use humdrum_model::{BACKGROUND, Change, CounterChange, Examination, SWITCHES, ThreadCount, WaitCount};

use crate::Rounds;

/// Least count whose ratio matters: one in a thousand operations.
const SMALLEST: f64 = 1e-3;
/// Least change that is listed, as ln of the ratio.
const CHANGE_MIN: f64 = 0.02;
/// Most counters in a list. Switches are always in it.
const SHOWN_MAX: usize = 40;
/// Most counters of threads in a list: those that changed by most.
const THREADS_MAX: usize = 10;

/// Counters that changed significantly, given the spread between rounds, and by name those that did not.
pub(crate) fn counters(rounds: &Rounds<'_>, statements: f64) -> [Vec<CounterChange>; 2] {
    let sides: Vec<_> = rounds
        .pairs
        .iter()
        .map(|(base, subject)| (per_operation(base, statements), per_operation(subject, statements)))
        .collect();
    let names: BTreeSet<&str> =
        sides.iter().flat_map(|(base, subject)| base.keys().chain(subject.keys()).copied()).collect();
    let counted = names.into_iter().filter_map(|name| change(name, &sides)).filter(is_counted);
    let (mut changes, unchanged): (Vec<CounterChange>, _) = counted.partition(is_significant);
    by_weight(&mut changes);
    let (mut threads, changes): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|counter| ThreadCount::is(&counter.name));
    let (switches, mut changes): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|counter| SWITCHES.contains(&counter.name.as_str()));
    let size = |counter: &CounterChange| counter.per_operation.change.abs();
    threads.sort_by(|a, b| size(b).total_cmp(&size(a)));
    threads.truncate(THREADS_MAX);
    changes.truncate(SHOWN_MAX - THREADS_MAX - switches.len());
    changes.extend(switches.into_iter().chain(threads));
    by_weight(&mut changes);
    [changes, unchanged]
}

type Side<'a> = BTreeMap<&'a str, f64>;

fn per_operation(one: &Examination, statements: f64) -> Side<'_> {
    let operations = one.operations as f64 * statements;
    // Waits have a list of their own.
    let counters = one.counters.iter().filter(|counter| !WaitCount::is(&counter.name));
    counters.map(|counter| (counter.name.as_str(), counter.delta / operations)).collect()
}

/// The change of a counter. `None` unless both engines have it.
fn change(name: &str, sides: &[(Side<'_>, Side<'_>)]) -> Option<CounterChange> {
    let pairs: Vec<(f64, f64)> = sides
        .iter()
        .filter_map(|(base, subject)| Some((count(name, base)?, count(name, subject)?)))
        .collect();
    let of = |value: fn(&(f64, f64)) -> f64| mean_of(&pairs.iter().map(value).collect::<Vec<_>>());
    let (base, subject) = (of(|pair| pair.0)?.mean, of(|pair| pair.1)?.mean);
    let change = of(|pair| pair.1 - pair.0)?;
    let per_operation = Change { base, subject, change: change.mean, ci95: change.ci95 };
    Some(CounterChange { name: name.into(), per_operation, ratio: (base > 0.0).then(|| subject / base) })
}

/// The count of one side. Threads of a kind that this server does not have did nothing, unless its threads have no names.
fn count(name: &str, side: &Side<'_>) -> Option<f64> {
    let kinds = || side.keys().filter_map(|other| ThreadCount::Cpu.kind_in(other));
    let nothing =
        || ThreadCount::is(name) && kinds().next().is_some() && kinds().all(|kind| kind != BACKGROUND);
    side.get(name).copied().or_else(|| nothing().then_some(0.0))
}

fn by_weight(changes: &mut [CounterChange]) {
    changes.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.name.cmp(&b.name)));
}

/// Whether the interval excludes zero. With one round there is no interval.
fn is_significant(counter: &CounterChange) -> bool {
    let apart = counter.per_operation.ci95.is_some_and(|[low, high]| low > 0.0 || high < 0.0);
    apart && weight(counter) >= CHANGE_MIN
}

fn is_counted(counter: &CounterChange) -> bool {
    let Change { base, subject, .. } = counter.per_operation;
    base.max(subject) >= SMALLEST
}

/// |ln ratio| after the least count that matters is added to both, so that zero is no divisor.
fn weight(counter: &CounterChange) -> f64 {
    let Change { base, subject, .. } = counter.per_operation;
    ((subject.max(0.0) + SMALLEST) / (base.max(0.0) + SMALLEST)).ln().abs()
}
