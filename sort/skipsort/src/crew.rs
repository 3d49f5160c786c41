//! Threads that go through the stages of a sort together: as many as are wanted, or fewer where the system gives no more.
//!
//! ```text
//!   with      caller  |=== stage 1 ====|..|= stage 2 ==|....|== stage 3 ===|
//!             other   |..|= stage 1 ===|....| stage 2 =|......|= stage 3 ==|   gone at the end
//! ```
//!
//! They stay from stage to stage: a new thread begins on the processor of the one that started it and may wait there for
//! its turn for a millisecond, a good part of what a stage takes.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::hint::spin_loop;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};

use crate::work::{Work, discard};

/// Stretches per thread, where it does not matter how many there are: what a thread that comes late leaves to the others is
/// that much finer (of 1, 2, 4 and 8 the last was best, by a few per cent).
const STRETCHES: usize = 8;

/// Least rows of a stretch, for which a thread asks ahead as it goes.
const SHORTEST: usize = if crate::TINY { 8 } else { 1 << 12 };

/// Looks before a thread goes to sleep: tens of microseconds, on some processors a hundred or two.
const MOMENT: usize = if crate::TINY { 1 } else { 2000 };

/// The threads that work for the caller of [`with`], which is one of them.
pub(crate) struct Crew<'o> {
    office: &'o Office,
    /// How many there are besides the caller.
    others: usize,
}

/// Calls `task` with so many threads, or with as many as the system gives; they are gone when it returns.
pub(crate) fn with<R>(threads: NonZeroUsize, task: impl FnOnce(&mut Crew<'_>) -> R) -> R {
    let office = Office::default();
    thread::scope(|scope| {
        let close = Close(&office);
        let hired: Vec<_> = (1..threads.get())
            .map_while(|_| Builder::new().spawn_scoped(scope, || office.serve()).ok())
            .collect();
        let returned = task(&mut Crew { office: &office, others: hired.len() });
        drop(close);
        // The end of the scope would wait for what they run, but not for what they free as they go.
        hired.into_iter().for_each(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        returned
    })
}

impl Crew<'_> {
    /// How many threads there are.
    pub(crate) fn threads(&self) -> usize {
        self.others + 1
    }

    /// Calls `work` on this thread and on all others that come before it is done here; gives back what the calls
    /// returned, in no order. So `work` is to take what there is to do until nothing is left.
    ///
    /// # Panics
    /// If a call does, when all calls are over: with the caller's own panic, if there is one.
    pub(crate) fn together<R: Send>(&mut self, work: impl Fn() -> R + Sync) -> Vec<R> {
        let returned = Mutex::new(Vec::with_capacity(self.threads()));
        let call = || {
            let result = work();
            returned.lock().unwrap_or_else(PoisonError::into_inner).push(result);
        };
        self.office.post(Work::new(&call));
        // Nothing unwinds between here and the end of all calls: they borrow `call`.
        let own = catch_unwind(AssertUnwindSafe(&call));
        let theirs = self.office.withdraw();
        match (own, theirs) {
            (Err(panic), theirs) => {
                discard(theirs);
                resume_unwind(panic)
            }
            (Ok(()), Some(panic)) => resume_unwind(panic),
            (Ok(()), None) => {}
        }
        returned.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the jobs, any thread the next one; gives back what `work` returned, in the jobs' order.
    pub(crate) fn each<J: Send, R: Send>(&mut self, jobs: Vec<J>, work: impl Fn(J) -> R + Sync) -> Vec<R> {
        let jobs = Mutex::new(jobs.into_iter().enumerate());
        let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
        let done = self.together(|| {
            let mut done = Vec::new();
            while let Some((number, job)) = next() {
                done.push((number, work(job)));
            }
            done
        });
        let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
        done.sort_unstable_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, returned)| returned).collect()
    }

    /// Calls `work` with the start and the content of each of some stretches; gives back what it returned, in their
    /// order.
    pub(crate) fn stretches<E: Send, R: Send>(
        &mut self,
        all: &mut [E],
        work: impl Fn(usize, &mut [E]) -> R + Sync,
    ) -> Vec<R> {
        let len = all.len().div_ceil(STRETCHES * self.threads()).max(SHORTEST);
        self.each(all.chunks_mut(len).enumerate().collect(), |(at, part)| work(at * len, part))
    }
}

/// Where the others learn what to do.
#[derive(Default)]
struct Office {
    state: Mutex<State>,
    /// For the others: there is work, or none will come.
    news: Condvar,
    /// For the caller: the last has come back.
    done: Condvar,
    /// What the state says, to be looked at without its lock by those who are about to wait.
    posted: AtomicUsize,
    working: AtomicUsize,
}

#[derive(Default)]
struct State {
    work: Option<Work>,
    /// How many works there have been: a thread does each at most once.
    posted: usize,
    /// Threads that have taken the work and not come back.
    working: usize,
    /// The first panic of these threads.
    panic: Option<Box<dyn Any + Send>>,
    closed: bool,
}

impl Office {
    /// Whole even if poisoned: no foreign code runs under the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, work: Work) {
        let mut state = self.lock();
        state.work = Some(work);
        state.posted += 1;
        self.posted.store(state.posted, Ordering::Relaxed);
        self.news.notify_all();
    }

    /// Nobody takes the work any more, and all that have are back; the first of their panics.
    fn withdraw(&self) -> Option<Box<dyn Any + Send>> {
        self.lock().work = None;
        look_out(|| self.working.load(Ordering::Relaxed) == 0);
        let mut state = self.lock();
        while state.working > 0 {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.panic.take()
    }

    /// Does what is posted until there is no more.
    fn serve(&self) {
        let mut last = 0;
        while let Some((number, work)) = self.next(last) {
            last = number;
            // SAFETY: this thread has taken the work and not come back: the poster waits for it.
            let called = catch_unwind(AssertUnwindSafe(|| unsafe { work.call() }));
            discard(self.come_back(called.err()));
        }
    }

    /// A work after so many, and its number; `None` when the office is closed.
    fn next(&self, last: usize) -> Option<(usize, Work)> {
        look_out(|| self.posted.load(Ordering::Relaxed) > last);
        let mut state = self.lock();
        while !state.closed {
            if let Some(work) = state.work
                && state.posted > last
            {
                state.working += 1;
                self.working.store(state.working, Ordering::Relaxed);
                return Some((state.posted, work));
            }
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Says that a thread is done; keeps the first panic, and gives back any other.
    fn come_back(&self, mut panic: Option<Box<dyn Any + Send>>) -> Option<Box<dyn Any + Send>> {
        let mut state = self.lock();
        state.working -= 1;
        self.working.store(state.working, Ordering::Relaxed);
        if state.panic.is_none() {
            state.panic = panic.take();
        }
        if state.working == 0 {
            self.done.notify_one();
        }
        panic
    }
}

/// Waits for a moment without sleeping: what comes next is mostly microseconds away, and to be woken takes tens of them.
fn look_out(ready: impl Fn() -> bool) {
    for _ in 0..MOMENT {
        if ready() {
            return;
        }
        spin_loop();
    }
}

/// Sends all home when dropped.
struct Close<'o>(&'o Office);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.posted.store(usize::MAX, Ordering::Relaxed);
        self.0.news.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use std::sync::Barrier;

    const THREE: NonZeroUsize = NonZeroUsize::new(3).unwrap();

    #[test]
    fn every_job_is_done_once() {
        with(THREE, |crew| {
            for round in 0..50 {
                assert_eq!(crew.each(vec![3, 1, 2], |job| job * round), [3 * round, round, 2 * round]);
                let calls = crew.together(|| round);
                assert!((1..=3).contains(&calls.len()) && calls.iter().all(|call| *call == round));
            }
            assert_eq!(crew.each(Vec::<u8>::new(), |job| job), []);
        });
        assert_eq!(with(NonZeroUsize::MIN, |crew| crew.together(|| 7)), [7]);
    }

    #[test]
    fn the_same_threads_do_one_work_after_the_other() {
        with(THREE, |crew| {
            assert_eq!(crew.threads(), 3);
            let ids = |crew: &mut Crew<'_>| {
                let all = Barrier::new(3);
                let mut ids = crew.together(|| {
                    all.wait();
                    std::format!("{:?}", thread::current().id())
                });
                ids.sort();
                ids
            };
            let before = ids(crew);
            // Long enough for them to fall asleep.
            thread::sleep(core::time::Duration::from_millis(5));
            assert_eq!(before, ids(crew));
        });
    }

    /// Who panics: all calls are waited for, as what they work on is about to go, and the crew can be used afterwards.
    #[test]
    fn a_panic_reaches_the_caller_when_all_are_done() {
        with(NonZeroUsize::new(2).unwrap(), |crew| {
            assert_eq!(crew.threads(), 2);
            let caller = thread::current().id();
            for (caller_panics, other_panics) in [(false, true), (true, false), (true, true)] {
                let (done, both) = (AtomicUsize::new(0), Barrier::new(2));
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    crew.together(|| {
                        both.wait();
                        let who = [("other", other_panics), ("caller", caller_panics)];
                        let (name, panics) = who[usize::from(thread::current().id() == caller)];
                        if panics {
                            resume_unwind(Box::new(name));
                        }
                        thread::sleep(core::time::Duration::from_millis(20));
                        done.fetch_add(1, Ordering::Relaxed);
                    })
                }));
                let expected = if caller_panics { "caller" } else { "other" };
                assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&expected));
                let others = usize::from(!caller_panics) + usize::from(!other_panics);
                assert_eq!(done.load(Ordering::Relaxed), others);
                assert_eq!(crew.each(vec![1, 2, 3], |job| job), [1, 2, 3]);
            }
        });
    }
}
