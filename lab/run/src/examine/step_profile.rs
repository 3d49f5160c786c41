//! Samples the server's threads during chunks of a step, because a whole step cannot run again for a moment. Three chunks of
//! every subject are a round:
//!
//! ```text
//!   chunk 0   nothing is sampled: how long sessions wait, undisturbed
//!   chunk 1   perf: what runs
//!   chunk 2   a debugger: stacks of sessions that wait, among which the time of chunk 0 is divided
//! ```
//!
//! Both subjects do the same statements in a chunk, so that their rounds are pairs. A step in one piece is sampled by perf alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use humdrum_contract::Outcome;
use humdrum_model::{Fault, FaultKind, Profile, ProfileKind, Slice};
use humdrum_sample::perf::{HERTZ, Recording};
use humdrum_sample::stacks::Debugger;

use super::profile::Tools;
use super::waits;
use crate::sampler::{ChunkSampler, Sampled, Turn};

/// Chunks of a round.
const ROUND: u64 = 3;
/// The longest time that perf samples of a chunk, which keeps its file to some hundred megabytes.
const SAMPLED_MAX: Duration = Duration::from_secs(3);
/// How soon the end of a chunk is noticed.
const NAP: Duration = Duration::from_millis(2);

/// Folded stacks with their numbers of samples.
type Stacks = Vec<(String, u64)>;

/// The profiler of one step.
pub(crate) struct StepProfiler {
    /// The step's name.
    test: String,
    /// Where `perf` keeps its samples for a moment.
    file: PathBuf,
    state: Mutex<State>,
}

struct State {
    tools: Tools,
    /// What the chunks without a sampler took, by subject.
    plain: BTreeMap<usize, Plain>,
    profiles: Vec<Profile>,
    /// What tools were refused.
    notes: Vec<String>,
}

/// Chunks without a sampler, added up.
#[derive(Clone, Copy, Default)]
struct Plain {
    wall_ns: u64,
    operations: u64,
    busy_ns: i64,
}

/// What is done beside a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Nothing,
    Perf,
    Debugger(Debugger),
}

impl StepProfiler {
    pub(crate) fn new(test: &str, tools: Tools, file: &Path) -> Self {
        let (profiles, notes, plain) = (Vec::new(), Vec::new(), BTreeMap::new());
        let state = Mutex::new(State { tools, plain, profiles, notes });
        Self { test: test.to_owned(), file: file.to_path_buf(), state }
    }

    /// What was sampled, and what tools were refused.
    ///
    /// # Errors
    /// Environment, where nothing was sampled.
    pub(crate) fn end(self) -> Result<(Vec<Profile>, Vec<String>), Fault> {
        let State { profiles, notes, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if profiles.is_empty() {
            let what = format!("no chunk of {} was sampled", self.test);
            return Err(Fault::environment(what).hint(
                "its chunks may be too few or too short: take a larger --scale; a step in one piece needs perf",
            ));
        }
        Ok((profiles, notes))
    }

    fn running(&self, round: u32, who: &Sampled<'_>, turn: &mut dyn FnMut() -> Turn) -> Result<Turn, Fault> {
        let mut threads = [who.serving, who.server].concat();
        threads.sort_unstable();
        threads.dedup();
        let begun = Recording::begin(&threads, &self.file);
        let Some(recording) = self.or_without(begun, |tools| tools.perf = false)? else { return Ok(turn()) };
        let (done, seconds, seen) = beside_work(turn, |done| record(recording, done));
        let _ = fs::remove_file(&self.file);
        let (sampled_seconds, stacks) = seen?;
        let Some(stacks) = self.or_without(stacks, |tools| tools.perf = false)? else { return Ok(done) };
        if let Ok(slice) = &done {
            // Of a long chunk the beginning was sampled.
            let operations = slice.operations as f64 * (sampled_seconds / seconds).min(1.0);
            let sample_us = 1e6 / f64::from(HERTZ) / operations.max(1.0);
            self.keep(round, who.subject, (ProfileKind::Running, sample_us, stacks));
        }
        Ok(done)
    }

    fn waiting(
        &self,
        debugger: Debugger,
        (waited_us, operation_us): (f64, f64),
        round: u32,
        who: &Sampled<'_>,
        turn: &mut dyn FnMut() -> Turn,
    ) -> Result<Turn, Fault> {
        let (serving, server) = (who.serving, who.server);
        // A stack that is taken when the chunk ends lets the server go on: the step freezes it again before the next turn.
        let (done, _, seen) = beside_work(turn, |done| waits::until(debugger, serving, server, done));
        if let Some(seen) = self.or_without(seen?, |tools| tools.debugger = None)?
            && done.is_ok()
        {
            for sampled in waits::divided(seen, waited_us, operation_us) {
                self.keep(round, who.subject, sampled);
            }
        }
        Ok(done)
    }

    fn keep(&self, round: u32, subject: usize, (kind, sample_us, stacks): (ProfileKind, f64, Stacks)) {
        let profile = Profile { test: self.test.clone(), round, subject, kind, sample_us, stacks };
        self.state().profiles.push(profile);
    }

    /// The result of a tool, or nothing if it may not sample and there is another tool, which goes on alone.
    fn or_without<T>(&self, found: Outcome<T>, give_up: fn(&mut Tools)) -> Result<Option<T>, Fault> {
        match found {
            Err(fault) if fault.kind == FaultKind::Environment => {
                let mut state = self.state();
                give_up(&mut state.tools);
                if !state.tools.perf && state.tools.debugger.is_none() {
                    return Err(fault);
                }
                state.notes.push(fault.to_string());
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChunkSampler for StepProfiler {
    fn is_for(&self, test: &str) -> bool {
        self.test == test
    }

    fn chunk(
        &self,
        (index, count): (u64, u64),
        who: &Sampled<'_>,
        turn: &mut dyn FnMut() -> Turn,
    ) -> Result<Turn, Fault> {
        let round = (index / ROUND) as u32;
        let (tools, plain) = {
            let state = self.state();
            (state.tools, state.plain.get(&who.subject).copied())
        };
        match (beside(index, count, tools), plain.and_then(|plain| plain.waited_us(who.serving.len()))) {
            (Beside::Perf, _) => self.running(round, who, turn),
            (Beside::Debugger(_), None) if who.busy.is_none() => {
                self.or_without(Err::<(), _>(waits::times_unknown()), |tools| tools.debugger = None)?;
                Ok(turn())
            }
            (Beside::Debugger(debugger), Some(times)) => self.waiting(debugger, times, round, who, turn),
            _ => {
                let done = turn();
                if let Ok(slice) = &done {
                    self.state().plain.entry(who.subject).or_default().add(slice, who.busy);
                }
                Ok(done)
            }
        }
    }
}

impl Plain {
    fn add(&mut self, slice: &Slice, busy: Option<[usize; 2]>) {
        let read = |place: usize| slice.readings.get(place).copied();
        // Without these readings it is not known for how long sessions wait.
        let Some(busy_ns) = busy.and_then(|[cpu, queue]| Some(read(cpu)? + read(queue)?)) else { return };
        self.wall_ns += slice.wall_ns;
        self.operations += slice.operations;
        self.busy_ns += busy_ns;
    }

    /// µs of an operation in which so many sessions were neither on a processor nor ready for one, added up; and µs of the
    /// operation itself.
    fn waited_us(self, sessions: usize) -> Option<(f64, f64)> {
        let each_us = |ns: f64| ns / 1e3 / self.operations as f64;
        let wall = self.wall_ns as f64;
        let waited = (wall * sessions as f64 - self.busy_ns as f64).max(0.0);
        (self.operations > 0).then(|| (each_us(waited), each_us(wall)))
    }
}

fn beside(index: u64, count: u64, tools: Tools) -> Beside {
    match (index % ROUND, tools.debugger) {
        // So few chunks have no round, and perf needs none.
        (0, _) if count < ROUND && tools.perf => Beside::Perf,
        (1, _) if tools.perf => Beside::Perf,
        (2, Some(debugger)) => Beside::Debugger(debugger),
        _ => Beside::Nothing,
    }
}

/// Does the work with `sample` on a thread of its own meanwhile, which gets a signal of its end. Returns the outcome, the seconds
/// that the work took, and what was sampled.
fn beside_work<D, T: Send>(
    work: impl FnOnce() -> D,
    sample: impl FnOnce(&AtomicBool) -> T + Send,
) -> (D, f64, Result<T, Fault>) {
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let sampling = scope.spawn(|| sample(&is_done));
        let began = Instant::now();
        let done = work();
        let seconds = began.elapsed().as_secs_f64();
        is_done.store(true, Ordering::Relaxed);
        let seen = sampling.join().map_err(|_| Fault::crash("a sampling thread panicked"));
        (done, seconds, seen)
    })
}

/// Samples until the work is done, or long enough; returns for how many seconds.
fn record(recording: Recording, is_done: &AtomicBool) -> (f64, Outcome<Stacks>) {
    let began = Instant::now();
    while !is_done.load(Ordering::Relaxed) && began.elapsed() < SAMPLED_MAX {
        thread::sleep(NAP);
    }
    (began.elapsed().as_secs_f64(), recording.end())
}

#[cfg(test)]
mod tests;
