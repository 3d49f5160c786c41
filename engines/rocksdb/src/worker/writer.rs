//! The writer beside reading steps: overwrites keys at random at a fixed rate, each write at its intended time.
//!
//! A late write does not delay the ones after it: the writer catches up after a stall, and every write's
//! response time counts from its intended start. The writer sleeps while no batch runs, so that a subject
//! writes only in its own turns.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counts of all writers of a process; they only grow.
#[derive(Default)]
pub(crate) struct WriterCounts {
    /// Writes done.
    pub(crate) writes: AtomicU64,
    /// Sum of their response times, from the intended start to the end, ns.
    pub(crate) response_ns: AtomicU64,
    /// Writes whose time had come when their turn ended, done or not.
    pub(crate) due: AtomicU64,
}

#[derive(Clone, Copy)]
enum Phase {
    Resting,
    Writing { began: Instant, every: Duration },
    Ending { elapsed: Duration, every: Duration },
    Gone,
}

struct Shared {
    phase: Mutex<Phase>,
    changed: Condvar,
    said: Mutex<Option<String>>,
    /// How far the writer was behind its times when the last turn ended; the next turn begins by so much earlier.
    behind: Mutex<Duration>,
}

/// A thread that writes when told.
pub(crate) struct Writer {
    shared: Arc<Shared>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Writer {
    /// A thread that calls `write` with 0, 1, 2 … Started when a session begins, not when it first writes: a thread
    /// inherits the processors of the one that starts it, and a session is tied to one as soon as it runs.
    pub(crate) fn start(
        counts: Arc<WriterCounts>,
        write: impl FnMut(u64) -> Result<(), String> + Send + 'static,
    ) -> Self {
        let said = Mutex::new(None);
        let shared = Arc::new(Shared {
            phase: Mutex::new(Phase::Resting),
            changed: Condvar::new(),
            said,
            behind: Mutex::default(),
        });
        let of_thread = Arc::clone(&shared);
        std::thread::spawn(move || of_thread.work(&counts, write));
        Self { shared }
    }

    /// Begins to write, one every `every`, the first one `every` from now less what the last turn left over: turns
    /// are a hundredth of a second, and a write given up at the end of each would be part of the rate.
    pub(crate) fn begin(&self, every: Duration) {
        let now = Instant::now();
        let began = now.checked_sub(*lock(&self.shared.behind)).unwrap_or(now);
        *lock(&self.shared.phase) = Phase::Writing { began, every };
        self.shared.changed.notify_all();
    }

    /// Stops writing; returns when no write is under way.
    ///
    /// # Errors
    /// What the library said to a write.
    pub(crate) fn end(&self) -> Result<(), String> {
        let mut phase = lock(&self.shared.phase);
        if let Phase::Writing { began, every } = *phase {
            *phase = Phase::Ending { elapsed: began.elapsed(), every };
            self.shared.changed.notify_all();
        }
        while matches!(*phase, Phase::Ending { .. }) {
            phase = self.shared.changed.wait(phase).unwrap_or_else(PoisonError::into_inner);
        }
        lock(&self.shared.said).take().map_or(Ok(()), Err)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        *lock(&self.shared.phase) = Phase::Gone;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn work(&self, counts: &WriterCounts, mut write: impl FnMut(u64) -> Result<(), String>) {
        let mut number = 0;
        // Intended times count from the begin of this turn.
        let mut of_turn = 0_u32;
        let mut phase = lock(&self.phase);
        loop {
            match *phase {
                Phase::Gone => return,
                Phase::Ending { elapsed, every } => {
                    self.settle_turn(counts, of_turn, elapsed, every);
                    of_turn = 0;
                    *phase = Phase::Resting;
                    self.changed.notify_all();
                }
                Phase::Resting => {
                    of_turn = 0;
                    phase = self.changed.wait(phase).unwrap_or_else(PoisonError::into_inner);
                }
                Phase::Writing { began, every } => {
                    let due = began + every * (of_turn + 1);
                    let early = due.saturating_duration_since(Instant::now());
                    if !early.is_zero() {
                        let waited = self.changed.wait_timeout(phase, early);
                        phase = waited.unwrap_or_else(PoisonError::into_inner).0;
                        continue;
                    }
                    drop(phase);
                    let outcome = write(number);
                    counts.writes.fetch_add(1, Ordering::Relaxed);
                    counts.response_ns.fetch_add(due.elapsed().as_nanos() as u64, Ordering::Relaxed);
                    number += 1;
                    of_turn += 1;
                    phase = lock(&self.phase);
                    if let Err(said) = outcome {
                        lock(&self.said).get_or_insert(said);
                        if matches!(*phase, Phase::Writing { .. }) {
                            *phase = Phase::Resting;
                        }
                    }
                }
            }
        }
    }
}

impl Shared {
    /// Counts what was due in a turn that began `behind` early, and remembers what is left of it.
    fn settle_turn(&self, counts: &WriterCounts, done: u32, elapsed: Duration, every: Duration) {
        let whole = |time: Duration| (time.as_nanos() / every.as_nanos().max(1)) as u64;
        let mut behind = lock(&self.behind);
        counts.due.fetch_add(whole(elapsed).saturating_sub(whole(*behind)), Ordering::Relaxed);
        *behind = elapsed.saturating_sub(every * done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However often turns end, what is due in all of them together is done.
    #[test]
    fn short_turns_lose_no_writes() {
        let counts = Arc::new(WriterCounts::default());
        let writer = Writer::start(Arc::clone(&counts), |_| Ok(()));
        for _ in 0..40 {
            writer.begin(Duration::from_micros(900));
            std::thread::sleep(Duration::from_millis(2));
            writer.end().expect("no trouble");
        }
        let (due, writes) = (counts.due.load(Ordering::Relaxed), counts.writes.load(Ordering::Relaxed));
        assert!(due >= 80 && writes <= due, "{writes} of {due}");
        assert!(due - writes <= 3, "only the last turn's are left: {writes} of {due}");
    }

    #[test]
    fn writes_while_told_and_never_more_than_is_due() {
        let counts = Arc::new(WriterCounts::default());
        let writer = Writer::start(Arc::clone(&counts), |_| Ok(()));
        let writes = || counts.writes.load(Ordering::Relaxed);
        let (mut before, mut turns) = (0, Duration::ZERO);
        for _ in 0..3 {
            let began = Instant::now();
            writer.begin(Duration::from_millis(1));
            while writes() < before + 5 {
                std::thread::sleep(Duration::from_millis(1));
            }
            writer.end().expect("no trouble");
            turns += began.elapsed();
            before = writes();
            // What one turn leaves over, the next begins with.
            let due = turns.as_millis() as u64;
            assert!(before <= due, "{before} writes, {due} due");
        }
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(writes(), before, "rests between turns");
    }

    #[test]
    fn a_stall_is_caught_up_and_counts_as_response_time() {
        let counts = Arc::new(WriterCounts::default());
        let writer = Writer::start(Arc::clone(&counts), |number| {
            std::thread::sleep(Duration::from_millis(if number == 0 { 40 } else { 0 }));
            Ok(())
        });
        writer.begin(Duration::from_millis(4));
        while counts.writes.load(Ordering::Relaxed) < 8 {
            std::thread::sleep(Duration::from_millis(1));
        }
        writer.end().expect("no trouble");
        // The first took 40 ms, and those that waited behind it 36, 32, 28 …
        assert!(counts.response_ns.load(Ordering::Relaxed) > 130_000_000);
    }

    #[test]
    fn trouble_is_told_once_and_ends_the_writing() {
        let writer = Writer::start(Arc::default(), |_| Err("IO error: no space".to_owned()));
        writer.begin(Duration::from_micros(10));
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(writer.end(), Err("IO error: no space".to_owned()));
        assert_eq!(writer.end(), Ok(()));
    }
}
