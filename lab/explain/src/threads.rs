//! Which of a server's threads work more or less, as examinations counted them: evidence for causes that are work, and a cause of its own
//! where threads beside the sessions moved.

use humdrum_model::{Cause, CauseKind, Change, CounterChange, SESSIONS, ThreadCount};

/// Most kinds of threads in one sentence.
const TOLD_MAX: usize = 3;
/// Least change that is told: µs of CPU per operation, and as a part of the largest one.
const CHANGE_MIN_US: f64 = 0.05;
const PART_MIN: f64 = 0.01;
/// Least change of a thread's CPU, as a part of the change of an operation's time, that makes it a cause.
const TIME_MIN: f64 = 0.05;

/// `by thread, µs of CPU (wake-ups) per operation: walwriter 9.6 → 0.9 (1.02 → 0.08)`. The kinds whose CPU changed most come
/// first; a change that is not significant is left out.
pub(crate) fn told(counters: &[CounterChange]) -> Option<String> {
    let mut moved = moved(counters);
    let largest = moved.first().map_or(0.0, |(_, cpu)| cpu.change.abs());
    moved.retain(|(_, cpu)| cpu.change.abs() >= CHANGE_MIN_US.max(PART_MIN * largest));
    let one = |(kind, cpu): (&str, &Change)| {
        let wakeups = wakeups(kind, counters).map_or_else(String::new, |told| format!(" ({told})"));
        format!("{kind} {:.1} → {:.1}{wakeups}", cpu.base, cpu.subject)
    };
    let told: Vec<String> = moved.into_iter().take(TOLD_MAX).map(one).collect();
    (!told.is_empty()).then(|| format!("by thread, µs of CPU (wake-ups) per operation: {}", told.join(", ")))
}

/// Threads beside the sessions, if all together work more where operations became slower, or less where they became faster, and how their
/// CPU moved in all, µs per operation. Threads have other names in other releases, so that what one kind gained another may have lost. Their
/// work is no part of an operation's time, so that it has no share of the change: it takes a processor and caches from the sessions, which also
/// wake them.
pub(crate) fn background(counters: &[CounterChange], time: &Change) -> Option<(Cause, f64)> {
    let least = CHANGE_MIN_US.max(TIME_MIN * time.change.abs());
    let mut moved = moved(counters);
    moved.retain(|(kind, _)| *kind != SESSIONS);
    let net: f64 = moved.iter().map(|(_, cpu)| cpu.change).sum();
    if net * time.change <= 0.0 || net.abs() < least {
        return None;
    }
    moved.retain(|(_, cpu)| cpu.change.abs() >= least);
    let more = if net > 0.0 { "more" } else { "less" };
    let one = |(kind, cpu): &(&str, &Change)| {
        let woken = wakeups(kind, counters).map_or_else(String::new, |told| format!(", woken {told} times"));
        format!("{kind} {:.1} → {:.1} µs{woken}", cpu.base, cpu.subject)
    };
    let told: Vec<String> = moved.iter().take(TOLD_MAX).map(one).collect();
    let what = format!("the server works {more} in the background per operation: {}", told.join("; "));
    let cause = Cause {
        kind: CauseKind::Background,
        what,
        change_us: None,
        ci95: None,
        share: None,
        evidence: Vec::new(),
    };
    Some((cause, net))
}

/// The kinds of threads whose CPU changed, by how much.
fn moved(counters: &[CounterChange]) -> Vec<(&str, &Change)> {
    let mut moved: Vec<(&str, &Change)> = counters
        .iter()
        .filter_map(|counter| Some((ThreadCount::Cpu.kind_in(&counter.name)?, &counter.per_operation)))
        .collect();
    moved.sort_by(|(_, a), (_, b)| b.change.abs().total_cmp(&a.change.abs()));
    moved
}

/// `1.02 → 0.08` per operation; `None` where the change is not significant.
fn wakeups(kind: &str, counters: &[CounterChange]) -> Option<String> {
    let found = counters.iter().find(|counter| ThreadCount::Wakeups.kind_in(&counter.name) == Some(kind))?;
    let Change { base, subject, .. } = found.per_operation;
    Some(format!("{base:.2} → {subject:.2}"))
}
