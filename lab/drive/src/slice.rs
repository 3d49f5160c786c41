//! One thread's part of a slice: the hot loop.
//!
//! Operations are numbered, and the number determines the seed. Operation 17 is the same work on every subject,
//! whichever thread does it. Threads take numbers from a shared counter: a few at a time while many are left, one at a
//! time towards the end. So they end within one operation of each other, even where operations differ in length. With
//! a fixed share for each thread, some clients would be idle at the end.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use humdrum_contract::{Batch, Client, Clock, Operation};
use humdrum_model::Fault;

use crate::latency::Latencies;
use crate::tally::Tally;

/// The seed of operation `number` in a slice whose seed is `seed`.
#[inline]
pub(crate) fn operation_seed(seed: u64, number: i64) -> u64 {
    seed.wrapping_add((number as u64).wrapping_mul(SEED_STEP))
}

/// An odd constant that is not the workload generator's own step, so that the streams of neighbouring operations do
/// not overlap.
const SEED_STEP: u64 = 0xd134_2543_de82_ef95;

pub(crate) fn panicked() -> Fault {
    Fault::crash("a client thread panicked")
}

/// The common data of all threads of a slice.
pub(crate) struct Work {
    seed: u64,
    /// Number of the first operation of the guard. The counted operations follow the guard.
    first: u64,
    guard_end: u64,
    counted_end: u64,
    guard_next: Counter,
    counted_next: Counter,
    /// How many counted operations are a quarter, a half and three quarters of them; `u64::MAX` in a slice of few.
    quarters: [u64; 3],
    failed: AtomicBool,
    barrier: Barrier,
    threads: u64,
}

/// The next number to take. Nothing else is in its cache lines (two, because processors fetch them in pairs),
/// because each thread's write would evict data that all threads only read.
#[derive(Default)]
#[repr(align(128))]
struct Counter(AtomicU64);

/// Most numbers that a thread takes at once.
const MOST_AT_ONCE: u64 = 8;

impl Work {
    /// Work that begins at operation number `first` of its test and session.
    pub(crate) fn new(seed: u64, first: u64, guard_operations: u64, operations: u64, threads: usize) -> Self {
        Self {
            seed,
            first,
            guard_end: guard_operations,
            counted_end: operations,
            guard_next: Counter::default(),
            counted_next: Counter::default(),
            quarters: quarters(operations),
            failed: AtomicBool::new(false),
            barrier: Barrier::new(threads),
            threads: threads as u64,
        }
    }

    /// The next numbers below `end`, or `None` if a thread has failed. They are an eighth of a thread's share of what
    /// is left, so that the last ones are taken singly.
    #[inline]
    fn take(&self, counter: &Counter, end: u64) -> Option<Range<u64>> {
        let left = end.saturating_sub(counter.0.load(Ordering::Relaxed));
        let size = (left / (8 * self.threads)).clamp(1, MOST_AT_ONCE);
        let start = counter.0.fetch_add(size, Ordering::Relaxed);
        (start < end && !self.failed.load(Ordering::Relaxed)).then(|| start..(start + size).min(end))
    }

    /// Seeds of counted operations go up from the slice's seed, those of the guard go down, so that none is used twice.
    #[inline]
    fn seed_of(&self, number: i64) -> u64 {
        operation_seed(self.seed, number)
    }

    /// The next share of a slice: the numbers divided by the threads. For clients that take batches, whose operations
    /// are too short to be taken a few at a time.
    fn take_share(&self, counter: &Counter, end: u64) -> Option<Range<u64>> {
        let size = end.div_ceil(self.threads);
        let start = counter.0.fetch_add(size, Ordering::Relaxed);
        let wanted = start < end && !self.failed.load(Ordering::Relaxed);
        wanted.then(|| start..(start + size).min(end))
    }

    /// Whether a quarter of the counted operations ends with this one.
    #[inline]
    fn ends_quarter(&self, counted: u64) -> bool {
        self.quarters.contains(&(counted + 1))
    }

    /// Keeps when the quarters ended that end with this operation.
    #[cold]
    fn end_quarters(&self, counted: u64, now_ns: u64, tally: &mut Tally) {
        let ended = self.quarters.iter().zip(&mut tally.quarter_ns).filter(|(last, _)| **last == counted + 1);
        ended.for_each(|(_, ns)| *ns = now_ns);
    }

    fn guard(&self, client: &mut dyn Client) -> Result<(), Fault> {
        while client.takes_batches() {
            let Some(share) = self.take_share(&self.guard_next, self.guard_end) else { return Ok(()) };
            let (seed, number) = (self.seed_of(-1 - share.start as i64), self.first + share.start);
            let seed_step = SEED_STEP.wrapping_neg();
            let first = Operation { seed, number };
            client
                .operate_batch(&Batch { first, seed_step, count: share.end - share.start }, &mut |_, _| {})?;
        }
        while let Some(numbers) = self.take(&self.guard_next, self.guard_end) {
            for number in numbers {
                let (seed, number) = (self.seed_of(-1 - number as i64), self.first + number);
                client.operate(Operation { seed, number })?;
            }
        }
        Ok(())
    }

    fn counted(
        &self,
        client: &mut dyn Client,
        clock: &dyn Clock,
        latencies: &mut Latencies,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        let first = self.first + self.guard_end;
        while client.takes_batches() {
            let Some(share) = self.take_share(&self.counted_next, self.counted_end) else { return Ok(()) };
            let (seed, number) = (self.seed_of(share.start as i64), first + share.start);
            let (first, count) = (Operation { seed, number }, share.end - share.start);
            let batch = Batch { first, seed_step: SEED_STEP, count };
            let done = client.operate_batch(&batch, &mut |ns, count| latencies.record_many(ns, count))?;
            tally.rows += done.rows;
            // The rest of the time is the call to the client and back, which belongs to no operation.
            tally.end_ns += done.wall_ns;
        }
        let mixes = !tally.scripts.is_empty();
        while let Some(numbers) = self.take(&self.counted_next, self.counted_end) {
            for counted in numbers {
                let (seed, number) = (self.seed_of(counted as i64), first + counted);
                tally.rows += client.operate(Operation { seed, number })?;
                let now_ns = clock.now_ns();
                latencies.record(now_ns - tally.end_ns);
                if mixes {
                    tally.count_script(client.script(), now_ns - tally.end_ns);
                }
                tally.end_ns = now_ns;
                if self.ends_quarter(counted) {
                    self.end_quarters(counted, now_ns, tally);
                }
            }
        }
        Ok(())
    }

    /// Runs one thread's part. A barrier between guard and counted operations has all threads start to count together.
    pub(crate) fn run(&self, client: &mut dyn Client, clock: &dyn Clock, latencies: &mut Latencies) -> Tally {
        let cpu_before = clock.thread_cpu_ns();
        // If a panic kept this thread from the barrier, the others would wait there for ever.
        let guard = catch_unwind(AssertUnwindSafe(|| self.guard(client)));
        let kinds = if client.scripts() > 1 { client.scripts() } else { 0 };
        let scripts = vec![[0; 2]; kinds];
        let mut tally =
            Tally { scripts, fault: guard.unwrap_or_else(|_| Err(panicked())).err(), ..Tally::default() };
        if tally.fault.is_some() {
            self.failed.store(true, Ordering::Relaxed);
        }
        self.barrier.wait();
        tally.start_ns = clock.now_ns();
        tally.end_ns = tally.start_ns;
        if tally.fault.is_none() {
            tally.fault = self.counted(client, clock, latencies, &mut tally).err();
        }
        if tally.fault.is_some() {
            self.failed.store(true, Ordering::Relaxed);
        }
        latencies.count();
        (tally.threads, tally.busy_ns) = (1, tally.end_ns - tally.start_ns);
        tally.cpu_ns = clock.thread_cpu_ns().saturating_sub(cpu_before);
        tally
    }
}

/// The operations that end the first three quarters, counted from 1. Of a slice of two or three operations, the first
/// "quarter" is the first operation and the last is the last. A slice of one has none.
fn quarters(operations: u64) -> [u64; 3] {
    [1, 2, 3].map(|quarter| if operations < 2 { u64::MAX } else { (operations * quarter / 4).max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_of_guard_and_count_are_apart() {
        let work = Work::new(99, 0, 3, 1000, 1);
        let guard = work.seed_of(-1);
        assert!((0..1000).all(|number| work.seed_of(number) != guard));
    }

    #[test]
    fn shares_cover_a_slice_once() {
        for (threads, end) in [(1, 10), (3, 10), (4, 3), (4, 0)] {
            let work = Work::new(0, 0, 0, end, threads);
            let shares: Vec<_> =
                std::iter::from_fn(|| work.take_share(&work.counted_next, work.counted_end)).collect();
            assert!(shares.len() <= threads);
            assert_eq!(shares.into_iter().flatten().collect::<Vec<u64>>(), (0..end).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn numbers_are_taken_once_and_the_last_ones_singly() {
        for threads in [1, 4] {
            let work = Work::new(0, 0, 0, 1000, threads);
            let taken: Vec<_> = std::iter::from_fn(|| work.take(&work.counted_next, 1000)).collect();
            assert_eq!(
                taken.iter().cloned().flatten().collect::<Vec<u64>>(),
                (0..1000).collect::<Vec<u64>>()
            );
            assert_eq!(taken[0].end - taken[0].start, MOST_AT_ONCE);
            assert!(taken.iter().rev().take(threads).all(|numbers| numbers.end - numbers.start == 1));
        }
    }

    #[test]
    fn quarters_end_with_one_operation_each() {
        let ends = |operations: u64| -> Vec<u64> {
            let work = Work::new(0, 0, 0, operations, 2);
            (0..operations).filter(|number| work.ends_quarter(*number)).collect()
        };
        assert_eq!([ends(16), ends(17), ends(100)], [[3, 7, 11], [3, 7, 11], [24, 49, 74]]);
        assert_eq!([ends(5), ends(3), ends(2), ends(1)], [vec![0, 1, 2], vec![0, 1], vec![0], vec![]]);
        let mut tally = Tally::default();
        Work::new(0, 0, 0, 2, 1).end_quarters(0, 70, &mut tally);
        assert_eq!(tally.quarter_ns, [70; 3]);
    }

    #[test]
    fn a_failed_thread_stops_the_others() {
        let work = Work::new(0, 0, 0, 10, 1);
        assert_eq!(work.take(&work.counted_next, 10), Some(0..1));
        work.failed.store(true, Ordering::Relaxed);
        assert_eq!(work.take(&work.counted_next, 10), None);
    }
}
