//! Injects a known slowdown: a share of operations is done twice and counted once, and a share of slices is
//! held back. A selftest must find it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Answer, Batch, BatchDone, Client, Clock, Operation, Outcome, Random};
use humdrum_model::Injection;

use crate::slice::operation_seed;

/// The last part of a wait. A sleep ends later than it should by less than that, unless the host is busy.
const AWAKE: Duration = Duration::from_millis(1);

/// A client that takes twice as long over a share of its operations.
pub(crate) struct Slowed {
    client: Box<dyn Client>,
    clock: Arc<dyn Clock>,
    injection: Injection,
    /// The operation changes data, so it cannot be done twice: the client waits for as long as it took.
    waits: bool,
}

impl Slowed {
    /// Wraps the client; returns it unchanged if nothing is injected into its operations.
    pub(crate) fn over(
        client: Box<dyn Client>,
        injection: &Injection,
        writes: bool,
        clock: &Arc<dyn Clock>,
    ) -> Box<dyn Client> {
        if injection.repeated == 0.0 {
            return client;
        }
        Box::new(Self { client, clock: Arc::clone(clock), injection: *injection, waits: writes })
    }

    /// How many of these operations are done twice: one of each fifty at 2 %, the same ones whenever the seed is the same.
    fn repeated(&self, numbers: Range<u64>) -> u64 {
        let share = self.injection.repeated;
        let (first, last) = (numbers.start as f64 * share, numbers.end as f64 * share);
        let stretches = (first as u64).saturating_sub(1)..last as u64 + 2;
        stretches.filter(|stretch| numbers.contains(&self.chosen(*stretch))).count() as u64
    }

    /// The one of a stretch of operations that is done twice. It is drawn: every fiftieth would, in slices of five, always be
    /// the last, which counts, or always the first, which belongs to the guard.
    fn chosen(&self, stretch: u64) -> u64 {
        ((stretch as f64 + Random::of(self.injection.seed, stretch).unit()) / self.injection.repeated) as u64
    }

    /// Waits for as long as the operation took.
    fn wait(&self, since_ns: u64) {
        let now_ns = self.clock.now_ns();
        wait_until(&*self.clock, now_ns + (now_ns - since_ns));
    }
}

/// Waits. A sleep of microseconds lasts for tens of them, so the last part of a wait is spent awake.
pub(crate) fn wait_until(clock: &dyn Clock, end_ns: u64) {
    let left = Duration::from_nanos(end_ns.saturating_sub(clock.now_ns()));
    if clock.is_virtual() {
        return clock.sleep(left);
    }
    if left > 2 * AWAKE {
        clock.sleep(left - AWAKE);
    }
    while clock.now_ns() < end_ns {
        std::hint::spin_loop();
    }
}

/// The last `count` operations of a batch. Done again in their order, they leave the data as they are; any others could put an older
/// value of a key in the place of a newer one.
fn last(batch: &Batch, count: u64) -> Batch {
    let skipped = batch.count.saturating_sub(count);
    let first = Operation {
        seed: batch.first.seed.wrapping_add(batch.seed_step.wrapping_mul(skipped)),
        number: batch.first.number + skipped,
    };
    Batch { first, count: batch.count - skipped, ..*batch }
}

impl Client for Slowed {
    fn takes_batches(&self) -> bool {
        self.client.takes_batches()
    }

    fn operate_batch(&mut self, batch: &Batch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<BatchDone> {
        let mut done = self.client.operate_batch(batch, latency)?;
        let number = batch.first.number;
        let count = self.repeated(number..number + batch.count);
        if count > 0 {
            done.wall_ns += self.client.operate_batch(&last(batch, count), &mut |_, _| {})?.wall_ns;
        }
        Ok(done)
    }

    fn operate(&mut self, operation: Operation) -> Outcome<u64> {
        let began_ns = self.clock.now_ns();
        let rows = self.client.operate(operation)?;
        for _ in 0..self.repeated(operation.number..operation.number + 1) {
            if self.waits {
                self.wait(began_ns);
            } else {
                self.client.operate(operation)?;
            }
        }
        Ok(rows)
    }

    fn scripts(&self) -> usize {
        self.client.scripts()
    }

    fn script(&self) -> usize {
        self.client.script()
    }

    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer> {
        self.client.operate_checked(operation)
    }

    fn make_ready(&mut self, numbers: Range<u64>) -> Outcome<()> {
        self.client.make_ready(numbers)
    }

    fn server_process(&self) -> Option<u32> {
        self.client.server_process()
    }
}

/// How long a slice of `seed` that took `wall_ns` is held back; nothing for most.
pub(crate) fn held_back(injection: &Injection, seed: u64, wall_ns: u64) -> Option<Duration> {
    // A seed is random already; its upper bits are the best mixed.
    let drawn = (operation_seed(seed, 1) >> 11) as f64 / (1_u64 << 53) as f64;
    let factor = (injection.stall_factor - 1.0).max(0.0);
    (drawn < injection.stalled).then(|| Duration::from_nanos((wall_ns as f64 * factor) as u64))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use humdrum_contract::HostClock;

    use super::*;

    /// Counts what it is asked.
    struct Counting(Arc<Mutex<u64>>);

    impl Client for Counting {
        fn operate(&mut self, _operation: Operation) -> Outcome<u64> {
            *self.0.lock().expect("no panic") += 1;
            Ok(1)
        }

        fn operate_checked(&mut self, _operation: Operation) -> Outcome<Answer> {
            Ok(Answer::default())
        }

        fn server_process(&self) -> Option<u32> {
            None
        }
    }

    fn done(repeated: f64, writes: bool) -> u64 {
        let count = Arc::new(Mutex::new(0));
        let clock: Arc<dyn Clock> = Arc::new(HostClock::new());
        let injection = Injection { repeated, ..Injection::default() };
        let mut client = Slowed::over(Box::new(Counting(Arc::clone(&count))), &injection, writes, &clock);
        for number in 0..1000 {
            assert_eq!(client.operate(Operation { seed: 0, number }).expect("done"), 1);
        }
        *count.lock().expect("no panic")
    }

    /// A store of ten keys: operation `seed` puts its number into key `seed % 10`.
    #[derive(Default)]
    struct Store(Arc<Mutex<[u64; 10]>>);

    impl Client for Store {
        fn operate_batch(&mut self, batch: &Batch, _: &mut dyn FnMut(u64, u64)) -> Outcome<BatchDone> {
            for place in 0..batch.count {
                let seed = batch.first.seed.wrapping_add(batch.seed_step.wrapping_mul(place));
                self.0.lock().expect("no panic")[(seed % 10) as usize] = batch.first.number + place;
            }
            Ok(BatchDone { rows: batch.count, wall_ns: 1 })
        }

        fn operate(&mut self, _operation: Operation) -> Outcome<u64> {
            Ok(1)
        }

        fn operate_checked(&mut self, _operation: Operation) -> Outcome<Answer> {
            Ok(Answer::default())
        }

        fn server_process(&self) -> Option<u32> {
            None
        }
    }

    /// Keys come again within a batch: what is done twice must not undo what came after it.
    #[test]
    fn a_batch_of_which_a_part_is_done_twice_leaves_the_data_of_one_without() {
        let clock: Arc<dyn Clock> = Arc::new(HostClock::new());
        let held = |repeated: f64| {
            let store = Store::default();
            let keys = Arc::clone(&store.0);
            let injection = Injection { repeated, ..Injection::default() };
            let mut client = Slowed::over(Box::new(store), &injection, true, &clock);
            for slice in 0..5 {
                let first = Operation { seed: 3 + slice * 301, number: slice * 100 };
                let done = client.operate_batch(&Batch { first, seed_step: 7, count: 100 }, &mut |_, _| {});
                assert_eq!(done.expect("done").wall_ns, if repeated > 0.0 { 2 } else { 1 });
            }
            drop(client);
            Arc::into_inner(keys).expect("the client is gone").into_inner().expect("no panic")
        };
        assert_eq!(held(0.03), held(0.0));
    }

    #[test]
    fn two_operations_in_each_hundred_are_done_twice() {
        assert_eq!(done(0.02, false), 1020);
        assert_eq!(done(0.0, false), 1000);
        // What writes is not done twice: it waits.
        assert_eq!(done(0.02, true), 1000);
    }

    /// What is evenly spread over all operations must be so over those at one place of their slices: some places do not count.
    #[test]
    fn every_place_of_a_slice_has_its_share() {
        let clock: Arc<dyn Clock> = Arc::new(HostClock::new());
        for share in [0.01, 0.03] {
            let injection = Injection { repeated: share, ..Injection::default() };
            for operations in [2, 5, 10, 89] {
                let count = Arc::new(Mutex::new(0));
                let mut client =
                    Slowed::over(Box::new(Counting(Arc::clone(&count))), &injection, false, &clock);
                for slice in 0..10_000 {
                    client.operate(Operation { seed: 0, number: slice * operations }).expect("done");
                }
                let twice = (*count.lock().expect("no panic") - 10_000) as f64 / 10_000.0;
                assert!((twice / share - 1.0).abs() < 0.25, "{twice} of slices of {operations}");
            }
        }
    }

    #[test]
    fn about_the_share_of_slices_is_held_back_by_the_factor() {
        let injection = Injection { stalled: 0.05, stall_factor: 20.0, ..Injection::default() };
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            held_back(&injection, seed, 1000)
        };
        let held: Vec<Duration> = (0..10_000).filter_map(|_| next()).collect();
        assert!((400..600).contains(&held.len()), "{}", held.len());
        assert!(held.iter().all(|wait| *wait == Duration::from_nanos(19_000)));
    }
}
