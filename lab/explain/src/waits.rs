//! What sessions were waiting for, as shares of all samples.

use std::collections::BTreeSet;

use humdrum_analyse::mean_of;
use humdrum_model::{Change, Examination, WaitChange, WaitKind};

use crate::Rounds;

/// Least change of a share that is listed.
const CHANGE_MIN: f64 = 0.005;

/// All waits, those that changed most first. Working sessions are not waits.
pub(crate) fn waits(rounds: &Rounds<'_>) -> Vec<WaitChange> {
    let examinations = rounds.sampled().flat_map(|(base, subject)| [base, subject]);
    let seen: BTreeSet<(WaitKind, &str)> =
        examinations.flat_map(|one| one.waits.iter().map(|wait| (wait.kind, wait.event.as_str()))).collect();
    let seen = seen.into_iter().filter(|(kind, _)| *kind != WaitKind::Cpu);
    let mut changes: Vec<WaitChange> = seen.filter_map(|(kind, event)| change(rounds, kind, event)).collect();
    changes.retain(|wait| wait.share.change.abs() >= CHANGE_MIN);
    changes.sort_by(|a, b| b.share.change.abs().total_cmp(&a.share.change.abs()));
    changes
}

fn change(rounds: &Rounds<'_>, kind: WaitKind, event: &str) -> Option<WaitChange> {
    let share = |one: &Examination| {
        let ours = one.waits.iter().filter(|wait| wait.kind == kind && wait.event == event);
        ours.map(|wait| wait.samples).sum::<u64>() as f64 / one.samples as f64
    };
    let pairs: Vec<(f64, f64)> =
        rounds.sampled().map(|(base, subject)| (share(base), share(subject))).collect();
    let of = |value: fn(&(f64, f64)) -> f64| mean_of(&pairs.iter().map(value).collect::<Vec<_>>());
    let change = of(|pair| pair.1 - pair.0)?;
    let (base, subject) = (of(|pair| pair.0)?.mean, of(|pair| pair.1)?.mean);
    let share = Change { base, subject, change: change.mean, ci95: change.ci95 };
    Some(WaitChange { kind, event: event.into(), share })
}
