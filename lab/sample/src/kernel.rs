//! The calibration kernel: a fixed piece of work that measures the host beside the blocks, and not any server.
//!
//! A reading has three parts of some 2 ms each, and gives the nanoseconds that one step of each part takes:
//!
//! - *integer*: a loop of dependent shifts and exclusive ors; depends on the clock frequency alone.
//! - *memory*: a random walk over 64 MB, each step reading an address that the step before found; depends on caches,
//!   memory and on neighbours that use them.
//! - *call*: system calls that send a byte to another thread and back; depends on the kernel, on context switches and on
//!   other programs that use this processor.
//!
//! Time in which the thread did not run counts too, so that disturbances are visible. A reading replaces the
//! content of some caches, so it belongs between blocks, before the operations that warm caches up, and not
//! between the slices of a block.

mod integer;
mod pingpong;
mod walk;

use std::time::Duration;

use humdrum_contract::{Clock, HostClock, Outcome};
use humdrum_model::Fault;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

use pingpong::PingPong;
use walk::Walk;

/// How long each part of a reading takes.
const PART: Duration = Duration::from_millis(2);

/// Nanoseconds per step, by part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelReading {
    /// Six dependent shifts and exclusive ors.
    pub integer_ns: f64,
    /// A dependent read at a random place in 64 MB.
    pub memory_ns: f64,
    /// A byte sent to another thread and back: four system calls, two context switches.
    pub call_ns: f64,
}

/// The calibration kernel on one processor.
#[derive(Debug)]
pub struct HostKernel {
    processor: usize,
    number: u64,
    walk: Walk,
    partner: PingPong,
}

impl HostKernel {
    /// On the processor that the calling thread runs on now.
    ///
    /// # Errors
    /// As `on`.
    pub fn new() -> Outcome<Self> {
        Self::on(sched_getcpu())
    }

    /// On one processor. Readings of different processors, and of two threads on two processors, are not comparable. The
    /// kernel holds 64 MB of memory for as long as it lives.
    ///
    /// # Errors
    /// Environment, when this program may not use the processor, or when no thread or pipe can be made.
    pub fn on(processor: usize) -> Outcome<Self> {
        let place = Pinned::to(processor)?;
        // A new thread runs where the thread that makes it may run.
        let partner = PingPong::start().map_err(|error| refused("start its partner", &error))?;
        drop(place);
        Ok(Self { processor, number: 1, walk: Walk::new(), partner })
    }

    /// Takes a reading, in some 6 ms on a quiet host. Meanwhile the calling thread is on this kernel's processor.
    ///
    /// # Errors
    /// Environment, when the processor is no longer ours to use or the partner does not answer.
    pub fn measure(&mut self) -> Outcome<KernelReading> {
        self.measure_for(PART, &HostClock::new())
    }

    fn measure_for(&mut self, part: Duration, clock: &dyn Clock) -> Outcome<KernelReading> {
        let _place = Pinned::to(self.processor)?;
        let integer_ns = per_step(clock, part, || {
            self.number = integer::steps(self.number);
            Ok(integer::STEPS)
        })?;
        let memory_ns = per_step(clock, part, || Ok(self.walk.steps()))?;
        let call_ns = per_step(clock, part, || {
            self.partner.rounds().map_err(|error| refused("reach its partner", &error))
        })?;
        Ok(KernelReading { integer_ns, memory_ns, call_ns })
    }
}

/// Repeats `batch`, which says how many steps it did, until `part` is over; nanoseconds per step.
fn per_step(clock: &dyn Clock, part: Duration, mut batch: impl FnMut() -> Outcome<u32>) -> Outcome<f64> {
    let start_ns = clock.now_ns();
    let mut steps = 0_u64;
    loop {
        steps += u64::from(batch()?);
        let passed_ns = clock.now_ns() - start_ns;
        if u128::from(passed_ns) >= part.as_nanos() {
            return Ok(passed_ns as f64 / steps as f64);
        }
    }
}

/// Keeps the calling thread on one processor; dropping it restores the thread's processors.
struct Pinned(CpuSet);

impl Pinned {
    fn to(processor: usize) -> Outcome<Self> {
        let before = sched_getaffinity(None).map_err(|error| refused("ask for processors", &error.into()))?;
        if processor >= CpuSet::MAX_CPU || !before.is_set(processor) {
            return Err(Fault::environment(format!(
                "the calibration kernel may not use processor {processor}"
            ))
            .hint(
                "`taskset -p $$` shows the processors of the shell; give this program those it began with",
            ));
        }
        let mut one = CpuSet::new();
        one.set(processor);
        sched_setaffinity(None, &one).map_err(|error| refused("choose a processor", &error.into()))?;
        Ok(Self(before))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = sched_setaffinity(None, &self.0);
    }
}

fn refused(what: &str, error: &std::io::Error) -> Fault {
    Fault::environment(format!("the calibration kernel cannot {what}: {error}"))
        .hint("go on without it: `--on-busy warn`")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Each reading of it is 100 ns after the one before.
    struct Steady(AtomicU64);

    impl Clock for Steady {
        fn now_ns(&self) -> u64 {
            self.0.fetch_add(100, Ordering::Relaxed)
        }

        fn thread_cpu_ns(&self) -> u64 {
            0
        }

        fn sleep(&self, _duration: Duration) {}
    }

    #[test]
    fn steps_are_counted_until_the_time_is_over() {
        let clock = Steady(AtomicU64::new(7));
        let mut batches = 0;
        let ns = per_step(&clock, Duration::from_nanos(450), || {
            batches += 1;
            Ok(batches * 10)
        });
        // 500 ns over 10 + 20 + 30 + 40 + 50 steps.
        assert_eq!((ns.expect("measured"), batches), (500.0 / 150.0, 5));
        let fault = per_step(&clock, Duration::from_secs(1), || Err(Fault::environment("gone")));
        assert_eq!(fault.expect_err("told").what, "gone");
    }

    #[test]
    fn a_reading_is_by_the_clock_and_leaves_the_thread_where_it_was() {
        let before = sched_getaffinity(None).expect("processors");
        let mut kernel = HostKernel::new().expect("a kernel");
        // Two batches of each part, by this clock.
        let reading = kernel.measure_for(Duration::from_nanos(200), &Steady(AtomicU64::new(0)));
        let [integer, memory, call] = [integer::STEPS, walk::STEPS, pingpong::ROUNDS].map(f64::from);
        let expected =
            KernelReading { integer_ns: 100.0 / integer, memory_ns: 100.0 / memory, call_ns: 100.0 / call };
        assert_eq!(reading.expect("a reading"), expected);
        let after = sched_getaffinity(None).expect("processors");
        assert!((0..CpuSet::MAX_CPU).all(|cpu| before.is_set(cpu) == after.is_set(cpu)));
    }

    #[test]
    fn a_processor_that_is_not_ours_is_a_fault() {
        let fault = HostKernel::on(CpuSet::MAX_CPU).expect_err("no such processor");
        assert!(fault.hint.is_some() && fault.what.contains("may not use processor"), "{fault}");
    }
}
