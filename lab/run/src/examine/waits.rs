//! What the threads of a server wait for. The waiting time is known from the run before; the stacks show its
//! reasons.
//!
//! ```text
//!   the run's slices              clients' time − server CPU − run queue    how long sessions wait, undisturbed
//!   moments, one a millisecond    does anybody wait?
//!   of those, some a second       the stack                                 what for: the time above, divided by stacks
//! ```
//!
//! A debugger stops the server for longer than the server runs between two stacks, so this round cannot
//! measure times. Stacks at arbitrary moments would almost always show a busy server at work: a dozen of them
//! would miss a wait that takes a thirtieth of an operation. So stacks are taken only when a session waits. A
//! wait that ends before its process is stopped is marked so, because the stack then does not show the wait.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use humdrum_contract::{Outcome, Random};
use humdrum_model::{Fault, Profile, ProfileKind};
use humdrum_sample::calls::{Call, Calls};
use humdrum_sample::stacks::{Debugger, Stopped, ThreadStack, parent_of, process_of, refused, threads_of};

use super::examination::{Examinee, threads_of as threads_of_server};
use crate::instance::Instance;

/// The length of the operations of one round, without the stops.
const WORK_MS: f64 = 1_000.0;
/// The time between two moments.
const MOMENT: Duration = Duration::from_millis(1);
/// The least time that the server runs between two stacks: many operations, so that stacks are independent.
const BETWEEN: Duration = Duration::from_millis(20);
/// If no session waits for this long, a stack of the other threads is taken.
const NO_WAIT_MAX: Duration = Duration::from_millis(200);
/// No more stacks are taken in a round after this time, even with a slow debugger.
const LONGEST: Duration = Duration::from_secs(8);
/// Takes the place of a stack.
const OVER: &str = "[over before it could be seen]";

/// The observations of one round.
#[derive(Clone, Default)]
pub(super) struct Seen {
    /// Whether there was a moment, and whether there was one at which a session waited.
    looked: bool,
    waits: bool,
    /// The stacks of waiting sessions at such moments.
    waiting: BTreeMap<String, u64>,
    /// The number of stacks taken at any moment, and the stacks of threads that serve no client.
    at_any: u32,
    others: BTreeMap<String, u64>,
}

/// The stacks in which sessions waited, and those of the other threads of their processes.
pub(super) fn sampled(
    examinee: &Examinee<'_>,
    instance: &mut Instance,
    debugger: Debugger,
    rounds: u32,
) -> Outcome<[Profile; 2]> {
    let waited_us = examinee.waited_us(rounds).ok_or_else(times_unknown)?;
    let server = threads_of_server(instance);
    let (_, seen) =
        examinee.beside(instance, WORK_MS, |serving, done| until(debugger, serving, &server, done))?;
    let found = divided(seen, waited_us, examinee.operation_us());
    Ok(found.map(|(kind, us, stacks)| examinee.profile(kind, us, stacks)))
}

/// Why stacks cannot be sampled where the host shows no times of threads: nothing could be divided among them.
pub(super) fn times_unknown() -> Fault {
    Fault::environment(
        "for how long sessions wait is not known: this host does not show schedstat of their threads",
    )
}

/// Samples until the signal. `serving` are the threads that serve the clients, `server` all of the server's.
pub(super) fn until(debugger: Debugger, serving: &[u32], server: &[u32], done: &AtomicBool) -> Outcome<Seen> {
    let known: BTreeSet<u32> = server.iter().copied().filter_map(process_of).collect();
    Stacks::new(debugger, serving, &known)?.until(done)
}

/// Stacks with their numbers of samples, and the µs of an operation that each sample represents.
type Divided = (ProfileKind, f64, Vec<(String, u64)>);

/// Divides the time that sessions wait, and that of an operation, among the stacks.
pub(super) fn divided(mut seen: Seen, waited_us: f64, operation_us: f64) -> [Divided; 2] {
    if waited_us == 0.0 {
        // Waits that are seen now and then, and take no time of an operation.
        seen.waiting.clear();
        seen.waits = false;
    }
    let [waiting, others] = seen.sample_us(waited_us, operation_us);
    [
        (ProfileKind::Waiting, waiting, seen.waiting.into_iter().collect()),
        (ProfileKind::Others, others, seen.others.into_iter().collect()),
    ]
}

/// Takes stacks of the threads of a server.
struct Stacks {
    debugger: Debugger,
    /// Threads that serve the clients, with their processes.
    serving: BTreeMap<u32, u32>,
    processes: BTreeSet<u32>,
    /// Whether these processes have threads that serve no client.
    others: bool,
    calls: Calls,
    random: Random,
}

impl Stacks {
    fn new(debugger: Debugger, serving: &[u32], known: &BTreeSet<u32>) -> Outcome<Self> {
        // Only what belongs to the server: a server elsewhere may name processes that are somebody else's here.
        let ours = |process: &u32| {
            known.contains(process) || parent_of(*process).is_some_and(|id| known.contains(&id))
        };
        let serving = serving.iter().filter_map(|thread| Some((*thread, process_of(*thread).filter(ours)?)));
        let serving: BTreeMap<u32, u32> = serving.collect();
        if serving.is_empty() {
            return Err(Fault::environment(
                "which threads serve the clients is not known: their waits cannot be seen",
            ));
        }
        let calls = Calls::of(serving.keys().copied()).map_err(|error| refused(&error.to_string()))?;
        let processes: BTreeSet<u32> = serving.values().copied().collect();
        let mut threads = processes.iter().flat_map(|process| threads_of(*process));
        let others = threads.any(|thread| !serving.contains_key(&thread));
        Ok(Self { debugger, serving, processes, others, calls, random: Random::new(0) })
    }

    fn until(&mut self, done: &AtomicBool) -> Outcome<Seen> {
        let mut seen = Seen::default();
        let (began, mut since) = (Instant::now(), Instant::now());
        let mut others_next = self.others;
        // Sessions that have not begun yet wait.
        std::thread::sleep(BETWEEN);
        while began.elapsed() < LONGEST {
            std::thread::sleep(MOMENT);
            let waiting = self.calls.waiting();
            // A moment or a stack that the end of the work falls into is of idle sessions in part.
            if done.load(Ordering::Relaxed) {
                break;
            }
            seen.looked = true;
            seen.waits |= !waiting.is_empty();
            others_next |= self.others && since.elapsed() > NO_WAIT_MAX;
            if since.elapsed() < BETWEEN || (waiting.is_empty() && !others_next) {
                continue;
            }
            let mut more = seen.clone();
            if others_next {
                self.take_others(&mut more)?;
            } else {
                self.take_waiting(&waiting, &mut more)?;
            }
            if done.load(Ordering::Relaxed) {
                break;
            }
            seen = more;
            others_next = self.others && !others_next;
            since = Instant::now();
        }
        Ok(seen)
    }

    /// Takes a stack of one of the waiting processes, as a sample of all of them. Taking all would stop a
    /// server of many processes for many times as long.
    fn take_waiting(&mut self, waiting: &[Call], seen: &mut Seen) -> Outcome<()> {
        let of = |call: &Call| self.serving.get(&call.thread).copied();
        let processes: BTreeSet<u32> = waiting.iter().filter_map(of).collect();
        let Some(process) = drawn(&mut self.random, &processes) else { return Ok(()) };
        let waiting: Vec<Call> = waiting.iter().filter(|call| of(call) == Some(process)).cloned().collect();
        let stopped = Stopped::stop(process);
        let still = self.calls.still(&waiting);
        let _rest = self.rest_stopped(process);
        let stacks = if still.is_empty() { Vec::new() } else { self.debugger.walk(&stopped)? };
        let waiting: Vec<u32> = waiting.iter().map(|call| call.thread).collect();
        seen.count_waiting(&stacks, processes.len() as u64, &waiting, &still);
        Ok(())
    }

    fn take_others(&mut self, seen: &mut Seen) -> Outcome<()> {
        let Some(process) = drawn(&mut self.random, &self.processes) else { return Ok(()) };
        let stopped = Stopped::stop(process);
        let _rest = self.rest_stopped(process);
        let stacks = self.debugger.walk(&stopped)?;
        let processes = self.processes.len() as u64;
        seen.count_others(&stacks, processes, |thread| self.serving.contains_key(&thread));
        Ok(())
    }

    /// Stops the other processes while the stack of one is taken. Otherwise the round's operations would be over before many
    /// stacks are taken, and other sessions would wait for that one.
    fn rest_stopped(&self, process: u32) -> Vec<Stopped> {
        self.processes.iter().filter(|other| **other != process).map(|other| Stopped::stop(*other)).collect()
    }
}

fn drawn(random: &mut Random, processes: &BTreeSet<u32>) -> Option<u32> {
    let drawn = random.below(processes.len().max(1) as u64) as usize;
    processes.iter().nth(drawn).copied()
}

impl Seen {
    /// Counts one of several waiting processes for all of them.
    fn count_waiting(&mut self, stacks: &[ThreadStack], processes: u64, waited: &[u32], still: &[u32]) {
        for thread in waited {
            let stack = stacks.iter().find(|one| one.thread == *thread && still.contains(thread));
            let folded = stack.map_or_else(|| OVER.to_owned(), |one| one.frames.join(";"));
            *self.waiting.entry(folded).or_default() += processes;
        }
    }

    fn count_others(&mut self, stacks: &[ThreadStack], processes: u64, serves: impl Fn(u32) -> bool) {
        self.at_any += 1;
        for one in stacks.iter().filter(|one| !serves(one.thread)) {
            let folded = format!("{};{}", one.name.replace(';', ":"), one.frames.join(";"));
            *self.others.entry(folded).or_default() += processes;
        }
    }

    /// µs of an operation that one stack represents: for waiting sessions a part of `waited_us`, for other
    /// threads a part of the whole operation, because they always do something. Zero without usable stacks.
    fn sample_us(&self, waited_us: f64, operation_us: f64) -> [f64; 2] {
        let stacks: u64 = self.waiting.values().sum();
        let waiting = match (self.looked, self.waits) {
            _ if stacks > 0 => waited_us / stacks as f64,
            // What the clocks leave, where nobody was ever seen to wait, is interrupts and a stolen processor.
            (true, false) => operation_us,
            _ => 0.0,
        };
        let others = if self.at_any == 0 { 0.0 } else { operation_us / f64::from(self.at_any) };
        [waiting, others]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(thread: u32) -> ThreadStack {
        ThreadStack { thread, name: "log;writer".into(), frames: vec!["main".into(), "poll".into()] }
    }

    fn told(stacks: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
        stacks.iter().map(|(stack, count)| (stack.as_str(), *count)).collect()
    }

    #[test]
    fn sessions_count_where_they_wait_and_other_threads_always() {
        let mut seen = Seen::default();
        let stacks = [stack(1), stack(2), stack(3)];
        seen.count_waiting(&stacks, 1, &[1], &[1]);
        seen.count_waiting(&stacks, 1, &[1], &[1]);
        seen.count_others(&stacks, 1, |thread| thread < 3);
        seen.count_waiting(&stacks, 1, &[1, 2], &[1]);
        assert_eq!(told(&seen.waiting), [(OVER, 1), ("main;poll", 3)]);
        assert_eq!(told(&seen.others), [("log:writer;main;poll", 1)]);
        // 4 of 8 µs in each of the stacks, and another thread all the time.
        assert_eq!(seen.sample_us(8.0, 10.0), [2.0, 10.0]);
    }

    #[test]
    fn one_process_of_several_that_wait_stands_for_all_of_them() {
        let mut seen = Seen::default();
        seen.count_waiting(&[stack(1)], 3, &[1], &[1]);
        seen.count_waiting(&[], 1, &[2], &[]);
        assert_eq!(told(&seen.waiting), [(OVER, 1), ("main;poll", 3)]);
        assert_eq!(seen.sample_us(8.0, 10.0)[0], 2.0);
    }

    #[test]
    fn nobody_waited_where_nobody_was_ever_seen_to() {
        let of = |looked, waits| Seen { looked, waits, ..Seen::default() }.sample_us(0.5, 10.0);
        assert!(of(true, false)[0] > 0.0, "nobody waited");
        assert_eq!(of(true, true)[0], 0.0, "no stack was taken when somebody did");
        assert_eq!(of(false, false), [0.0, 0.0], "the operations were over before anybody looked");
    }
}
