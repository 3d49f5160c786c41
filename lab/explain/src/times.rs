//! What the time of one operation goes to.
//!
//! ```text
//!   client CPU │ server CPU │ run queue │ disk │ locks │ other
//!   └──────────┴── the kernel's clocks ─┘└─ engine ────┘└ the rest: wake-ups, the kernel, waits nobody names
//! ```
//!
//! A client and the processes that serve it take turns, so that what both do adds up to the time of the operation. CPU
//! and run queue are read at the edges of every slice. Disk and locks are read there too where the engine counts them
//! itself; else they are the share of samples that found a session waiting, in looks apart from the blocks, times the
//! operation's time.

use humdrum_analyse::{Judged, mean_of};
use humdrum_model::{Block, Change, Look, Part, PartName, Results, Slice, WaitKind};

use crate::Rounds;

/// Changes smaller than this, µs, have no shares: there is nothing to divide.
const CHANGE_MIN_US: f64 = 1e-3;

/// Readings that are parts of an operation's time.
const READINGS: [(PartName, &str); 3] =
    [(PartName::ServerCpu, SERVER), (PartName::Disk, DISK), (PartName::Locks, LOCKS)];

const SERVER: &str = "server_cpu_ns";
const RUN_QUEUE: &str = "run_queue_wait_ns";

/// What an engine calls these that counts them itself.
const DISK: &str = "disk_wait_ns";
const LOCKS: &str = "lock_wait_ns";

pub(crate) struct Times {
    /// µs of one operation.
    pub(crate) total: Change,
    /// Largest first by the size of their change.
    pub(crate) parts: Vec<Part>,
}

/// Whether the engine itself counts what its sessions wait for.
pub(crate) fn counts_waits(results: &Results) -> bool {
    results.metrics.iter().any(|metric| metric.name == LOCKS)
}

/// `None` without blocks. A call counts as many operations as the test has `statements`.
pub(crate) fn times(
    results: &Results,
    judged: &Judged<'_>,
    statements: f64,
    rounds: &Rounds<'_>,
) -> Option<Times> {
    let clients = f64::from(results.plan.scale.clients.max(1));
    let total = judged.change(|_, slice| {
        let calls = slice.operations as f64;
        (calls > 0.0).then(|| slice.wall_ns as f64 * clients / calls / statements / 1e3)
    })?;
    let per_op = |ns: i64, slice: &Slice| per_operation(ns, slice, statements);
    let mut parts = Vec::new();
    let client = judged.change(|_, slice| per_op(slice.client_cpu_ns.cast_signed(), slice));
    parts.extend(client.map(|time| part(PartName::ClientCpu, time)));
    for (name, reading) in READINGS {
        let place = results.metrics.iter().position(|metric| metric.name == reading);
        let read = |_: &Block, slice: &Slice| per_op(*slice.readings.get(place?)?, slice);
        parts.extend(judged.change(read).map(|time| part(name, time)));
    }
    let queued = judged.change(|_, slice| queued(results, slice, statements));
    parts.extend(queued.map(|time| part(PartName::Processor, time)));
    if !counts_waits(results) {
        parts.extend(sampled(PartName::Disk, WaitKind::Disk, &total, rounds));
        parts.extend(sampled(PartName::Locks, WaitKind::Lock, &total, rounds));
    }
    parts.push(rest(&total, &parts));
    for part in &mut parts {
        part.share = (total.change.abs() > CHANGE_MIN_US).then(|| part.time.change / total.change);
    }
    parts.sort_by(|a, b| b.time.change.abs().total_cmp(&a.time.change.abs()));
    Some(Times { total, parts })
}

/// Over guard and counted calls, as readings are.
fn per_operation(ns: i64, slice: &Slice, statements: f64) -> Option<f64> {
    let calls = (slice.operations + slice.guard_operations) as f64;
    (calls > 0.0).then(|| ns as f64 / calls / statements / 1e3)
}

/// Ready to run without a processor. A server that its client has woken on their common processor is ready while the
/// client still runs, so that only what neither of them ran is counted.
fn queued(results: &Results, slice: &Slice, statements: f64) -> Option<f64> {
    let read = |name: &str| {
        let place = results.metrics.iter().position(|metric| metric.name == name)?;
        per_operation(*slice.readings.get(place)?, slice, statements)
    };
    let clients = f64::from(results.plan.scale.clients.max(1));
    let wall = slice.wall_ns as f64 * clients / (slice.operations.max(1) as f64) / statements / 1e3;
    let worked = read(SERVER)? + per_operation(slice.client_cpu_ns.cast_signed(), slice, statements)?;
    Some(read(RUN_QUEUE)?.min((wall - worked).max(0.0)))
}

fn part(name: PartName, time: Change) -> Part {
    Part { name, time, share: None, note: String::new() }
}

/// Samples that found a session waiting, as a part of the operation's time.
fn sampled(name: PartName, kind: WaitKind, total: &Change, rounds: &Rounds<'_>) -> Option<Part> {
    let share = |look: &Look| {
        let seen: u64 = look.waits.iter().filter(|wait| wait.kind == kind).map(|wait| wait.samples).sum();
        seen as f64 / look.samples as f64
    };
    let base: Vec<f64> = rounds.sampled().map(|(base, _)| share(base) * total.base).collect();
    let subject: Vec<f64> = rounds.sampled().map(|(_, subject)| share(subject) * total.subject).collect();
    let change: Vec<f64> = subject.iter().zip(&base).map(|(subject, base)| subject - base).collect();
    let mean = mean_of(&change)?;
    let time = Change {
        base: mean_of(&base)?.mean,
        subject: mean_of(&subject)?.mean,
        change: mean.mean,
        ci95: mean.ci95,
    };
    let samples: u64 = rounds.sampled().map(|(base, subject)| base.samples + subject.samples).sum();
    let note = format!("from {samples} samples of what sessions wait for, in {} looks", change.len());
    Some(Part { note, ..part(name, time) })
}

/// What no other part has. Its interval would be that of a difference of many, and is left out.
fn rest(total: &Change, parts: &[Part]) -> Part {
    let left = |whole: f64, of: fn(&Change) -> f64| {
        let known: f64 = parts.iter().map(|part| of(&part.time)).sum();
        whole - known
    };
    let base = left(total.base, |time| time.base);
    let subject = left(total.subject, |time| time.subject);
    let change = left(total.change, |time| time.change);
    part(PartName::Other, Change { base, subject, change, ci95: None })
}
