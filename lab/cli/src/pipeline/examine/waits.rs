//! What the threads of a server wait for: snapshots of their stacks, some a second, while clients work.
//!
//! A snapshot stops the server for as long as the debugger takes, which is longer than it runs between two. So time per
//! operation does not come from this round's clock but from the run before it, and only the share of snapshots from here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use humdrum_contract::{Outcome, Workload};
use humdrum_model::{Fault, Profile, ProfileKind};
use humdrum_sample::stacks::{Debugger, ThreadStack, parent_of, process_of};

use super::super::bench::Stand;
use super::look::Watch;

/// How long the operations of one round would last if nothing stopped them.
const WORK_MS: f64 = 1_000.0;
/// How long the server runs between two snapshots, at least: many operations, so that one says nothing of the next.
const BETWEEN: Duration = Duration::from_millis(20);
/// No more snapshots in a round after this, however slow the debugger.
const LONGEST: Duration = Duration::from_secs(8);

/// Stacks of one round, by kind and folded.
#[derive(Default)]
struct Seen {
    snapshots: u32,
    waiting: BTreeMap<String, u64>,
    others: BTreeMap<String, u64>,
}

/// The stacks in which sessions waited, and those of the other threads of their processes.
pub(super) fn sampled(
    watch: &Watch<'_>,
    workload: &dyn Workload,
    stand: &mut Stand,
    debugger: Debugger,
) -> Outcome<[Profile; 2]> {
    let known: Vec<u32> = stand.server.processes().into_iter().map(|process| process.pid).collect();
    let known: BTreeSet<u32> = known.into_iter().filter_map(process_of).collect();
    let mut seen = Ok(Seen::default());
    watch.work(workload, stand, WORK_MS, |crew, turn, serving| {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let snapshots = scope.spawn(|| snapshots(debugger, serving, &known, &done));
            let outcome = crew.block(turn);
            done.store(true, Ordering::Relaxed);
            seen = snapshots.join().unwrap_or_else(|_| Err(Fault::crash("a sampling thread panicked")));
            outcome
        })
    })?;
    let Seen { snapshots, waiting, others } = seen?;
    // Zero: no snapshot was had, which says nothing; it is not that nobody waited.
    let sample_us = if snapshots == 0 { 0.0 } else { watch.operation_us() / f64::from(snapshots) };
    let of = |kind, stacks: BTreeMap<_, _>| watch.profile(kind, sample_us, stacks.into_iter().collect());
    Ok([of(ProfileKind::Waiting, waiting), of(ProfileKind::Others, others)])
}

fn snapshots(debugger: Debugger, serving: &[u32], known: &BTreeSet<u32>, done: &AtomicBool) -> Outcome<Seen> {
    // Only what belongs to the server: a server elsewhere may name processes that are somebody else's here.
    let ours =
        |process: &u32| known.contains(process) || parent_of(*process).is_some_and(|id| known.contains(&id));
    let processes: BTreeSet<u32> =
        serving.iter().filter_map(|thread| process_of(*thread)).filter(ours).collect();
    if processes.is_empty() {
        return Err(Fault::environment(
            "which threads serve the clients is not known: their waits cannot be seen",
        ));
    }
    let mut seen = Seen::default();
    let began = Instant::now();
    while !done.load(Ordering::Relaxed) && began.elapsed() < LONGEST {
        std::thread::sleep(BETWEEN);
        // A snapshot that the end of the work falls into is one of idle sessions in part.
        let mut stacks = Vec::new();
        for process in &processes {
            if done.load(Ordering::Relaxed) {
                return Ok(seen);
            }
            stacks.extend(debugger.snapshot(*process)?);
        }
        seen.count(&stacks, serving);
    }
    Ok(seen)
}

impl Seen {
    fn count(&mut self, stacks: &[ThreadStack], serving: &[u32]) {
        self.snapshots += 1;
        for one in stacks {
            let folded = one.frames.join(";");
            if !serving.contains(&one.thread) {
                *self.others.entry(format!("{};{folded}", one.name.replace(';', ":"))).or_default() += 1;
            } else if one.waits {
                *self.waiting.entry(folded).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_count_where_they_wait_and_other_threads_always() {
        let stack = |thread, waits| ThreadStack {
            thread,
            name: "log;writer".into(),
            waits,
            frames: vec!["main".into(), "poll".into()],
        };
        let mut seen = Seen::default();
        seen.count(&[stack(1, true), stack(2, false), stack(3, false)], &[1, 2]);
        seen.count(&[stack(1, true), stack(2, false), stack(3, true)], &[1, 2]);
        assert_eq!(seen.snapshots, 2);
        assert_eq!(seen.waiting.into_iter().collect::<Vec<_>>(), [("main;poll".to_owned(), 2)]);
        assert_eq!(seen.others.into_iter().collect::<Vec<_>>(), [("log:writer;main;poll".to_owned(), 2)]);
    }
}
