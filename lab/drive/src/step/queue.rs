//! Keeps the two writers of a client together. Neither leads the other by more than the length of the reference's
//! queues, and both wait for the look-up of the queue's least id.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::pacing::Pacing;

/// Statements by which one writer may lead the other: the length of the reference's queues.
pub(crate) const LEAD: u64 = 8;

/// The lead at which a writer that had to wait goes on. If it went on at a higher one, it would be woken after each
/// statement of the other, and each wake-up is a context switch for both.
const LEAD_LEFT: u64 = 1;

/// Which writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Insert,
    Delete,
}

/// Index of the look-up, which waits like the two writers.
const LOOK_UP: usize = 2;

struct Shared {
    /// Statements begun by each side. A side that does not exist is far ahead.
    begun: [u64; 2],
    /// First statement that has to wait for the next look-up.
    gate: u64,
    pacing: Pacing,
    /// For each side that waits: its next statement, and the lead at which it may go on.
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

    /// Which of the writers and the look-up can go on and are to be woken. Each is told once: a wake-up is a system
    /// call, and a needless one also disturbs the caches.
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

/// The common data of one client's writers.
pub(crate) struct Queue {
    shared: Mutex<Shared>,
    /// One for each writer, and one for the look-up.
    moved: [Condvar; 3],
    /// Whether statements have times, so that an unpaced writer need not take the lock to ask.
    paced: bool,
}

impl Queue {
    pub(crate) fn new(first: u64, deletes: bool, gate: u64, pacing: Pacing) -> Self {
        let deleted = if deletes { first } else { u64::MAX - LEAD };
        let paced = !matches!(pacing, Pacing::Free);
        let shared =
            Shared { begun: [first, deleted], gate, pacing, stopped: [None; 2], look_up: None, over: false };
        Self { shared: Mutex::new(shared), moved: Default::default(), paced }
    }

    /// Whether statements have times at which they are due.
    pub(crate) fn is_paced(&self) -> bool {
        self.paced
    }

    /// When statement `number` is due, and whether being late counts.
    pub(crate) fn due_ns(&self, number: u64, now_ns: u64) -> (u64, bool) {
        let mut shared = self.lock();
        (shared.pacing.due_ns(number, now_ns), shared.pacing.has_intended_times())
    }

    /// When the period of the statement before `end` is over.
    pub(crate) fn end_ns(&self, end: u64) -> Option<u64> {
        self.lock().pacing.end_ns(end)
    }

    /// Waits until one side may begin statement `number`. False when the chunk has ended.
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

    /// Waits until the look-up before statement `gate` is due. False when the chunk has ended.
    pub(crate) fn reach(&self, gate: u64) -> bool {
        let mut shared = self.lock();
        while !shared.may_look_up(gate) {
            shared.look_up = Some(gate);
            shared = self.wait(LOOK_UP, shared);
        }
        shared.look_up = None;
        !shared.over
    }

    /// Lets statements below `gate` begin.
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
