//! What servers counted of their own waits, per operation: evidence for causes that are waiting.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_analyse::mean_of;
use humdrum_model::{Change, Examination, Part, PartName, WaitCount, WaitKind, WaitedChange};

use crate::Rounds;

/// Least change of a wait that is listed, µs of an operation: less is what counting takes.
const CHANGE_MIN_US: f64 = 0.05;
/// Most waits in a list.
const SHOWN_MAX: usize = 20;
/// Most waits beside one cause.
const TOLD_MAX: usize = 3;

/// An event.
type Event<'a> = (WaitKind, &'a str);
/// µs and times per operation, by event.
type Side<'a> = BTreeMap<Event<'a>, [f64; 2]>;

/// Waits that changed significantly, given the spread between rounds, by change. An event that one server does not know took no
/// time there. Rounds in which a server counted no waits at all are left out.
pub(crate) fn waited(rounds: &Rounds<'_>, statements: f64) -> Vec<WaitedChange> {
    let sides =
        rounds.pairs.iter().map(|(base, subject)| [side(base, statements), side(subject, statements)]);
    let sides: Vec<[Side<'_>; 2]> = sides.filter(|pair| pair.iter().all(|side| !side.is_empty())).collect();
    let events: BTreeSet<Event<'_>> = sides.iter().flatten().flat_map(|side| side.keys().copied()).collect();
    let mut changes: Vec<WaitedChange> =
        events.into_iter().filter_map(|event| change(event, &sides)).filter(is_told).collect();
    changes.sort_by(|a, b| b.time.change.abs().total_cmp(&a.time.change.abs()));
    changes.truncate(SHOWN_MAX);
    changes
}

/// `log file: 12.3 → 20.1 µs of waiting per operation, as the server counts`: the waits that moved with a part of the time.
pub(crate) fn told(waited: &[WaitedChange], part: &Part) -> Vec<String> {
    let kind = match part.name {
        PartName::Disk => Some(WaitKind::Disk),
        PartName::Locks => Some(WaitKind::Lock),
        PartName::Other => None,
        _ => return Vec::new(),
    };
    let ours = |one: &&WaitedChange| {
        kind.is_none_or(|kind| one.kind == kind) && one.time.change * part.time.change > 0.0
    };
    let line = |one: &WaitedChange| {
        let Change { base, subject, .. } = one.time;
        format!("{}: {base:.1} → {subject:.1} µs of waiting per operation, as the server counts", one.event)
    };
    waited.iter().filter(ours).take(TOLD_MAX).map(line).collect()
}

fn side(one: &Examination, statements: f64) -> Side<'_> {
    let operations = one.operations as f64 * statements;
    let mut side = Side::new();
    for counter in &one.counters {
        for (place, count) in [WaitCount::Time, WaitCount::Times].into_iter().enumerate() {
            if let Some(event) = count.event_in(&counter.name) {
                side.entry(event).or_default()[place] += counter.delta / operations;
            }
        }
    }
    side
}

fn change((kind, event): Event<'_>, sides: &[[Side<'_>; 2]]) -> Option<WaitedChange> {
    let of = |place: usize| {
        let value = |side: &Side<'_>| side.get(&(kind, event)).map_or(0.0, |found| found[place]);
        let pairs: Vec<[f64; 2]> = sides.iter().map(|pair| [value(&pair[0]), value(&pair[1])]).collect();
        let mean = |of: fn(&[f64; 2]) -> f64| mean_of(&pairs.iter().map(of).collect::<Vec<_>>());
        let change = mean(|[base, subject]| subject - base)?;
        let (base, subject) = (mean(|pair| pair[0])?.mean, mean(|pair| pair[1])?.mean);
        Some(Change { base, subject, change: change.mean, ci95: change.ci95 })
    };
    Some(WaitedChange { kind, event: event.to_owned(), time: of(0)?, times: of(1)? })
}

/// Whether the interval excludes zero, and the change is more than what counting takes.
fn is_told(one: &WaitedChange) -> bool {
    let apart = one.time.ci95.is_some_and(|[low, high]| low > 0.0 || high < 0.0);
    apart && one.time.change.abs() >= CHANGE_MIN_US
}
