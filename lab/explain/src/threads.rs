//! Which of a server's threads work more or less, as examinations counted them: evidence for causes that are work.

use humdrum_model::{Change, CounterChange, ThreadCount};

/// Most kinds of threads in one sentence.
const TOLD_MAX: usize = 3;
/// Least change that is told: µs of CPU per operation, and as a part of the largest one.
const CHANGE_MIN_US: f64 = 0.05;
const PART_MIN: f64 = 0.01;

/// `by thread, µs of CPU (wake-ups) per operation: walwriter 9.6 → 0.9 (1.02 → 0.08)`. The kinds whose CPU changed most come
/// first; a change that is not significant is left out.
pub(crate) fn told(counters: &[CounterChange]) -> Option<String> {
    let mut moved: Vec<(&str, &Change)> = counters
        .iter()
        .filter_map(|counter| Some((ThreadCount::Cpu.kind_in(&counter.name)?, &counter.per_operation)))
        .collect();
    moved.sort_by(|(_, a), (_, b)| b.change.abs().total_cmp(&a.change.abs()));
    let largest = moved.first().map_or(0.0, |(_, cpu)| cpu.change.abs());
    moved.retain(|(_, cpu)| cpu.change.abs() >= CHANGE_MIN_US.max(PART_MIN * largest));
    let told: Vec<String> =
        moved.into_iter().take(TOLD_MAX).map(|(kind, cpu)| one(kind, cpu, counters)).collect();
    (!told.is_empty()).then(|| format!("by thread, µs of CPU (wake-ups) per operation: {}", told.join(", ")))
}

fn one(kind: &str, cpu: &Change, counters: &[CounterChange]) -> String {
    let wakeups = counters.iter().find(|counter| ThreadCount::Wakeups.kind_in(&counter.name) == Some(kind));
    let wakeups = wakeups.map_or_else(String::new, |counter| {
        let Change { base, subject, .. } = counter.per_operation;
        format!(" ({base:.2} → {subject:.2})")
    });
    format!("{kind} {:.1} → {:.1}{wakeups}", cpu.base, cpu.subject)
}
