//! Divides the time of one operation into parts.
//!
//! ```text
//!   client CPU │ server CPU │ run queue │ disk │ locks │ other
//!   └──────────┴── the kernel's clocks ─┘└─ engine ────┘└ the rest: wake-ups, the kernel, unnamed waits
//! ```
//!
//! A client and its server processes take turns, so that their times add up to the time of the operation. CPU and run
//! queue are read at the edges of every slice. Disk and locks are read there too, if the engine counts them. Otherwise
//! they are the share of samples in examinations that found a session waiting, multiplied by the operation's time.

use humdrum_analyse::{Judged, mean_of};
use humdrum_model::{Block, Change, Examination, Part, PartName, Results, Slice, WaitKind};

use crate::Rounds;

/// Smallest change, µs, that is divided into shares.
const CHANGE_MIN_US: f64 = 1e-3;

/// Readings that are parts of an operation's time.
const READINGS: [(PartName, &str); 3] =
    [(PartName::ServerCpu, SERVER), (PartName::Disk, DISK), (PartName::Locks, LOCKS)];

const SERVER: &str = "server_cpu_ns";
const RUN_QUEUE: &str = "run_queue_wait_ns";

/// Names of the waits in engines that count them.
const DISK: &str = "disk_wait_ns";
const LOCKS: &str = "lock_wait_ns";

pub(crate) struct Times {
    /// µs of one operation.
    pub(crate) total: Change,
    /// The parts, those that changed most first.
    pub(crate) parts: Vec<Part>,
}

/// Whether the engine counts its sessions' waits.
pub(crate) fn counts_waits(results: &Results) -> bool {
    results.metric_position(LOCKS).is_some()
}

/// The work of a test.
pub(crate) struct Work {
    /// Operations of a call of a client.
    pub(crate) statements: f64,
    /// Clients that make calls at the same time.
    pub(crate) clients: f64,
}

/// The time of an operation and its parts. `None` without blocks.
pub(crate) fn times(
    results: &Results,
    judged: &Judged<'_>,
    work: &Work,
    rounds: &Rounds<'_>,
) -> Option<Times> {
    let Work { statements, clients } = *work;
    let total = judged.change(|_, slice| {
        let calls = slice.operations as f64;
        (calls > 0.0).then(|| slice.wall_ns as f64 * clients / calls / statements / 1e3)
    })?;
    let per_op = |ns: i64, slice: &Slice| per_operation(ns, slice, statements);
    let mut parts = Vec::new();
    let client = judged.change(|_, slice| per_op(slice.client_cpu_ns.cast_signed(), slice));
    parts.extend(client.map(|time| part(PartName::ClientCpu, time)));
    for (name, reading) in READINGS {
        let place = results.metric_position(reading);
        let read = |_: &Block, slice: &Slice| per_op(*slice.readings.get(place?)?, slice);
        parts.extend(judged.change(read).map(|time| part(name, time)));
    }
    let queued = judged.change(|_, slice| queued(results, slice, work));
    parts.extend(queued.map(|time| part(PartName::Processor, time)));
    if !counts_waits(results) {
        let idle = idle(&total, &parts);
        parts.extend(sampled(PartName::Disk, WaitKind::Disk, idle, rounds));
        parts.extend(sampled(PartName::Locks, WaitKind::Lock, idle, rounds));
    }
    parts.push(rest(&total, &parts));
    for part in &mut parts {
        part.share = (total.change.abs() > CHANGE_MIN_US).then(|| part.time.change / total.change);
    }
    parts.sort_by(|a, b| b.time.change.abs().total_cmp(&a.time.change.abs()));
    Some(Times { total, parts })
}

/// µs per operation of a reading, which is over guard and counted calls.
fn per_operation(ns: i64, slice: &Slice, statements: f64) -> Option<f64> {
    let calls = (slice.operations + slice.guard_operations) as f64;
    (calls > 0.0).then(|| ns as f64 / calls / statements / 1e3)
}

/// Time in which the server was ready to run but had no processor. On a common processor, a server that was woken is
/// ready while its client still runs. So only time in which neither of them ran is counted.
fn queued(results: &Results, slice: &Slice, work: &Work) -> Option<f64> {
    let Work { statements, clients } = *work;
    let read = |name: &str| {
        let place = results.metric_position(name)?;
        per_operation(*slice.readings.get(place)?, slice, statements)
    };
    let wall = slice.wall_ns as f64 * clients / (slice.operations.max(1) as f64) / statements / 1e3;
    let worked = read(SERVER)? + per_operation(slice.client_cpu_ns.cast_signed(), slice, statements)?;
    Some(read(RUN_QUEUE)?.min((wall - worked).max(0.0)))
}

fn part(name: PartName, time: Change) -> Part {
    Part { name, time, share: None, note: String::new() }
}

/// One subject's time of an operation, and the part in which neither server nor client ran or was ready to run. Waits
/// cannot be longer than that part.
#[derive(Clone, Copy)]
struct Idle {
    total: f64,
    left: f64,
}

impl Idle {
    /// The time of waits of one kind in one examination. Engines name states instead of waits (`waiting for handler
    /// commit`), and a session in such a state may be working. So if the sampled waits exceed the time that is left for
    /// them, all kinds are reduced in proportion.
    fn of(self, one: &Examination, kind: WaitKind) -> f64 {
        let waits = |kind: WaitKind| {
            let own = one.waits.iter().filter(|wait| wait.kind == kind);
            own.map(|wait| wait.samples).sum::<u64>() as f64 / one.samples as f64 * self.total
        };
        let all = waits(WaitKind::Disk) + waits(WaitKind::Lock);
        let fits = if all > self.left { self.left / all } else { 1.0 };
        waits(kind) * fits
    }
}

/// The idle times of the base and the subject.
fn idle(total: &Change, parts: &[Part]) -> [Idle; 2] {
    let of = |time: fn(&Change) -> f64| Idle { total: time(total), left: left(total, parts, time).max(0.0) };
    [of(|time| time.base), of(|time| time.subject)]
}

/// One subject's time, or the change, without all of the parts.
fn left(total: &Change, parts: &[Part], time: fn(&Change) -> f64) -> f64 {
    let known: f64 = parts.iter().map(|part| time(&part.time)).sum();
    time(total) - known
}

/// The part of the operation's time that follows from samples of waiting sessions.
fn sampled(name: PartName, kind: WaitKind, idle: [Idle; 2], rounds: &Rounds<'_>) -> Option<Part> {
    let base: Vec<f64> = rounds.sampled().map(|(base, _)| idle[0].of(base, kind)).collect();
    let subject: Vec<f64> = rounds.sampled().map(|(_, subject)| idle[1].of(subject, kind)).collect();
    let change: Vec<f64> = subject.iter().zip(&base).map(|(subject, base)| subject - base).collect();
    let mean = mean_of(&change)?;
    let time = Change {
        base: mean_of(&base)?.mean,
        subject: mean_of(&subject)?.mean,
        change: mean.mean,
        ci95: mean.ci95,
    };
    let samples: u64 = rounds.sampled().map(|(base, subject)| base.samples + subject.samples).sum();
    let note = format!("from {samples} samples of what sessions wait for, in {} examinations", change.len());
    Some(Part { note, ..part(name, time) })
}

/// The time that is in no other part. It has no interval, because it is a difference of many values.
fn rest(total: &Change, parts: &[Part]) -> Part {
    let base = left(total, parts, |time| time.base);
    let subject = left(total, parts, |time| time.subject);
    let change = left(total, parts, |time| time.change);
    part(PartName::Other, Change { base, subject, change, ci95: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BASE, run};
    use humdrum_model::Wait;

    #[test]
    fn waits_are_no_longer_than_the_idle_time() {
        let mut one = run(BASE, BASE).examinations.remove(0);
        let wait = |kind, samples| Wait { kind, event: "commit".into(), samples };
        one.samples = 100;
        one.waits = vec![wait(WaitKind::Disk, 60), wait(WaitKind::Lock, 20)];
        let waits = |left| {
            let idle = Idle { total: 10.0, left };
            [idle.of(&one, WaitKind::Disk), idle.of(&one, WaitKind::Lock)]
        };
        assert_eq!(waits(9.0), [6.0, 2.0]);
        assert_eq!(waits(4.0), [3.0, 1.0]);
        assert_eq!(waits(0.0), [0.0, 0.0]);
    }
}
