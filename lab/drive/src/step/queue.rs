//! Keeps the writers of one client together: neither side leads the other by more than the reference's queues hold,
//! and both wait for the look-up of where the queue begins.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::beat::Beat;

/// Statements by which inserts may lead deletes, or deletes inserts: the length of the reference's queues.
pub(crate) const LEAD: u64 = 8;

/// Lead with which a side that was stopped by it goes on: to be woken for each of the other's statements costs both a turn
/// on the processor every time.
const LEAD_LEFT: u64 = 1;

/// Which writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Insert,
    Delete,
}

/// Who waits beside the two writers.
const LOOK_UP: usize = 2;

struct Shared {
    /// Statements begun by each side; a side that there is not is far ahead.
    begun: [u64; 2],
    /// First statement that has to wait for the next look-up.
    gate: u64,
    beat: Beat,
    /// Of each side that waits: the statement it waits with, and by how much it may lead to go on.
    stopped: [Option<(u64, u64)>; 2],
    /// The gate that a look-up waits for.
    look_up: Option<u64>,
    over: bool,
}

impl Shared {
    fn may_begin(&self, side: usize, number: u64, lead: u64) -> bool {
        self.over || (number < self.gate && number < self.begun[1 - side] + lead)
    }

    fn may_look_up(&self, gate: u64) -> bool {
        self.over || gate <= self.begun[0].min(self.begun[1]) + LEAD
    }

    /// Who has waited long enough and is to be woken, once: the writers, and the look-up. A wake-up is a system call, and
    /// one for nothing has a thread find out with cold caches that it has nothing to do.
    fn released(&mut self) -> [bool; 3] {
        let writer =
            |side: usize| self.stopped[side].is_some_and(|(number, lead)| self.may_begin(side, number, lead));
        let released = [writer(0), writer(1), self.look_up.is_some_and(|gate| self.may_look_up(gate))];
        for (stopped, free) in self.stopped.iter_mut().zip(released) {
            stopped.take_if(|_| free);
        }
        self.look_up.take_if(|_| released[LOOK_UP]);
        released
    }
}

/// What the writers of one client share.
pub(crate) struct Queue {
    shared: Mutex<Shared>,
    /// Of each writer, and of the look-up.
    moved: [Condvar; 3],
    /// Whether the beat has times, known without the lock: who has none need not ask before every statement.
    paced: bool,
}

impl Queue {
    pub(crate) fn new(first: u64, deletes: bool, gate: u64, beat: Beat) -> Self {
        let deleted = if deletes { first } else { u64::MAX - LEAD };
        let paced = !matches!(beat, Beat::Free);
        let shared =
            Shared { begun: [first, deleted], gate, beat, stopped: [None; 2], look_up: None, over: false };
        Self { shared: Mutex::new(shared), moved: Default::default(), paced }
    }

    /// Whether statements have times at which they are due.
    pub(crate) fn is_paced(&self) -> bool {
        self.paced
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
        let side = side as usize;
        let mut shared = self.lock();
        let leads = number >= shared.begun[1 - side] + LEAD;
        let lead = if leads { LEAD_LEFT } else { LEAD };
        while !shared.may_begin(side, number, lead) {
            shared.stopped[side] = Some((number, lead));
            shared = self.wait(side, shared);
        }
        shared.stopped[side] = None;
        shared.begun[side] = number + 1;
        self.tell(shared)
    }

    /// Waits until statements up to `gate` can be made, so that the look-up before it is due; false when all is over.
    pub(crate) fn reach(&self, gate: u64) -> bool {
        let mut shared = self.lock();
        while !shared.may_look_up(gate) {
            shared.look_up = Some(gate);
            shared = self.wait(LOOK_UP, shared);
        }
        shared.look_up = None;
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

    fn wait<'q>(&self, who: usize, shared: MutexGuard<'q, Shared>) -> MutexGuard<'q, Shared> {
        self.moved[who].wait(shared).unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, mut shared: MutexGuard<'_, Shared>) -> bool {
        let (released, over) = (shared.released(), shared.over);
        drop(shared);
        self.moved.iter().zip(released).filter(|(_, free)| *free).for_each(|(moved, _)| moved.notify_one());
        !over
    }
}
