//! Keeps the writers of one client together: neither side leads the other by more than the reference's queues hold,
//! and both wait for the look-up of where the queue begins.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::beat::Beat;

/// Statements by which inserts may lead deletes, or deletes inserts: the length of the reference's queues.
pub(crate) const LEAD: u64 = 8;

/// Which writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Insert,
    Delete,
}

struct Shared {
    /// Statements begun by each side; a side that there is not is far ahead.
    begun: [u64; 2],
    /// First statement that has to wait for the next look-up.
    gate: u64,
    beat: Beat,
    waiting: u32,
    over: bool,
}

/// What the writers of one client share.
pub(crate) struct Queue {
    shared: Mutex<Shared>,
    moved: Condvar,
}

impl Queue {
    pub(crate) fn new(first: u64, deletes: bool, gate: u64, beat: Beat) -> Self {
        let deleted = if deletes { first } else { u64::MAX - LEAD };
        let shared = Shared { begun: [first, deleted], gate, beat, waiting: 0, over: false };
        Self { shared: Mutex::new(shared), moved: Condvar::new() }
    }

    /// When statement `number` is due, and whether being late counts.
    pub(crate) fn due_ns(&self, number: u64, now_ns: u64) -> (u64, bool) {
        let mut shared = self.lock();
        (shared.beat.due_ns(number, now_ns), shared.beat.intends())
    }

    /// When the time that statements below `end` stand for is over.
    pub(crate) fn end_ns(&self, end: u64) -> Option<u64> {
        self.lock().beat.end_ns(end)
    }

    /// Waits until one side may begin statement `number`; false when all is over.
    pub(crate) fn begin(&self, side: Side, number: u64) -> bool {
        let other = 1 - side as usize;
        let mut shared = self.wait(|shared| number < shared.gate && number < shared.begun[other] + LEAD);
        shared.begun[side as usize] = number + 1;
        self.tell(shared)
    }

    /// Waits until statements up to `gate` can be made, so that the look-up before it is due; false when all is over.
    pub(crate) fn reach(&self, gate: u64) -> bool {
        let shared = self.wait(|shared| gate <= shared.begun[0].min(shared.begun[1]) + LEAD);
        !shared.over
    }

    /// Lets statements below `gate` go on.
    pub(crate) fn open(&self, gate: u64) {
        let mut shared = self.lock();
        shared.gate = gate;
        self.tell(shared);
    }

    /// Ends all waiting.
    pub(crate) fn end(&self) {
        let mut shared = self.lock();
        shared.over = true;
        self.tell(shared);
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, may: impl Fn(&Shared) -> bool) -> MutexGuard<'_, Shared> {
        let mut shared = self.lock();
        while !shared.over && !may(&shared) {
            shared.waiting += 1;
            shared = self.moved.wait(shared).unwrap_or_else(PoisonError::into_inner);
            shared.waiting -= 1;
        }
        shared
    }

    /// A wake-up is a system call, and mostly nobody waits.
    fn tell(&self, shared: MutexGuard<'_, Shared>) -> bool {
        let (waiting, over) = (shared.waiting, shared.over);
        drop(shared);
        if waiting > 0 {
            self.moved.notify_all();
        }
        !over
    }
}
