//! Pieces of output from several threads, put in order and written by whoever has the time.
//!
//! ```text
//!   thread 0    piece 0 ----> | 0 | 1 | 2 |   written in order by one thread at a time,
//!   thread 1    piece 2, 1 -> |   |   |   |   while the others go on
//! ```
//!
//! A piece has a position and says which position comes next, so positions may be numbers of rows, of ranges, or go
//! downwards. The thread whose piece is the next one writes, and then whatever has become due meanwhile.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use super::part::{Part, Target};
use crate::error::{Error, Result};
use crate::progress::Meter;

/// Parts kept for reuse: one that is being filled by each of some threads, and as many that are being written.
const SPARE: usize = 8;

/// Where threads hand in their pieces.
pub(crate) struct Sink<'t> {
    state: Mutex<State<'t>>,
    changed: Condvar,
    /// Bytes that may wait.
    most: usize,
    stopped: AtomicBool,
    meter: &'t Meter,
}

struct State<'t> {
    /// The position that is due.
    next: usize,
    waiting: BTreeMap<usize, Pieces>,
    /// Bytes in `waiting`, and being written.
    bytes: usize,
    /// `None` while a thread is writing.
    target: Option<&'t mut dyn Target>,
    error: Option<Error>,
    /// Parts for reuse.
    spare: Vec<Part>,
}

/// What has been handed in for one position.
#[derive(Default)]
struct Pieces {
    parts: Vec<Part>,
    /// The position after it, once all of it has been handed in.
    next: Option<usize>,
}

impl<'t> Sink<'t> {
    /// Starts with the piece at `first`; at most `most` bytes wait. The meter is asked whether to go on.
    pub(crate) fn new(target: &'t mut dyn Target, first: usize, most: usize, meter: &'t Meter) -> Self {
        let state = State {
            next: first,
            waiting: BTreeMap::new(),
            bytes: 0,
            target: Some(target),
            error: None,
            spare: Vec::new(),
        };
        let (changed, stopped) = (Condvar::new(), AtomicBool::new(false));
        Sink { state: Mutex::new(state), changed, most, stopped, meter }
    }

    fn lock(&self) -> MutexGuard<'_, State<'t>> {
        self.state.lock().expect("no panic under the lock")
    }

    /// True when a piece at `at` would be taken without waiting for another one.
    pub(crate) fn ready(&self, at: usize) -> bool {
        let state = self.lock();
        at == state.next || state.bytes < self.most
    }

    /// True when nothing more is wanted: all there should be is written, or writing failed.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// A batch is done; false when nothing more is wanted.
    pub(crate) fn goes_on(&self) -> bool {
        !self.stopped() && self.meter.check().map_err(|error| self.fail(error)).is_ok()
    }

    /// Ends the work of all threads with an error.
    pub(crate) fn fail(&self, error: Error) {
        self.stop(&mut self.lock(), Some(error));
    }

    fn stop(&self, state: &mut State<'t>, error: Option<Error>) {
        state.error = state.error.take().or(error);
        self.stopped.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// An empty part with room for `bytes`.
    pub(crate) fn part(&self, bytes: usize) -> Part {
        let mut part = self.lock().spare.pop().unwrap_or_default();
        part.bytes.reserve(bytes);
        part
    }

    /// Hands in a part of the piece at `at`, the last one if `next` is given. Waits when too much is waiting, unless
    /// it is due and nobody is writing: what is due never waits for later pieces.
    pub(crate) fn submit(&self, at: usize, next: Option<usize>, part: Part) {
        let mut state = self.lock();
        let len = part.bytes.len();
        while !self.stopped() && state.bytes + len > self.most && state.waits(at) {
            state = self.changed.wait(state).expect("no panic under the lock");
        }
        if self.stopped() {
            return;
        }
        state.bytes += len;
        let part = if state.waits(at) { state.packed(part) } else { part };
        let pieces = state.waiting.entry(at).or_default();
        pieces.parts.push(part);
        pieces.next = next;
        if let Some(target) = state.target.take() {
            self.drain(state, target);
        }
    }

    /// Writes what is due, and what becomes due meanwhile.
    fn drain<'a>(&'a self, mut state: MutexGuard<'a, State<'t>>, target: &'t mut dyn Target) {
        while let Some(mut parts) = state.due() {
            drop(state);
            let on_panic = OnPanic(self);
            let written = parts.iter_mut().try_fold(true, |more, part| Ok(more && target.write(part)?));
            drop(on_panic);
            state = self.lock();
            state.recycle(parts, self.most);
            match written {
                Ok(true) => self.changed.notify_all(),
                Ok(false) => self.stop(&mut state, None),
                Err(error) => self.stop(&mut state, Some(error)),
            }
            if self.stopped() {
                break;
            }
        }
        state.target = Some(target);
        self.changed.notify_all();
    }

    /// What went wrong, when all threads are done.
    pub(crate) fn finish(self) -> Result<()> {
        match self.state.into_inner().expect("no panic under the lock").error {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Lets the others go that wait for what a panic has kept from being written.
struct OnPanic<'s, 't>(&'s Sink<'t>);

impl Drop for OnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(mut state) = self.0.state.lock()
        {
            self.0.stop(&mut state, None);
        }
    }
}

impl State<'_> {
    /// Whether what is handed in at this position is not written at once.
    fn waits(&self, at: usize) -> bool {
        at != self.next || self.target.is_none()
    }

    /// What a part has in a part of that size, for it may wait long, and its room is for whoever writes next. Only lengths
    /// are counted.
    fn packed(&mut self, mut part: Part) -> Part {
        if part.bytes.len() > part.bytes.capacity() / 2 {
            return part;
        }
        let packed = Part { bytes: part.bytes.to_vec(), marks: part.marks.clone(), ..part };
        part.clear();
        self.keep(part);
        packed
    }

    fn keep(&mut self, part: Part) {
        if self.spare.len() < SPARE {
            self.spare.push(part);
        }
    }

    /// Parts that are due; the next position is due when a piece is complete.
    fn due(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        while let Some(pieces) = self.waiting.get_mut(&self.next) {
            parts.append(&mut pieces.parts);
            let Some(next) = pieces.next else { break };
            self.waiting.remove(&self.next);
            self.next = next;
        }
        (!parts.is_empty()).then_some(parts)
    }

    fn recycle(&mut self, parts: Vec<Part>, most: usize) {
        for mut part in parts {
            self.bytes -= part.bytes.len();
            // A part that held a huge record is not worth keeping.
            if part.bytes.capacity() <= most / 4 {
                part.clear();
                self.keep(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Collected(Vec<u8>, usize);

    impl Target for Collected {
        fn write(&mut self, part: &mut Part) -> Result<bool> {
            self.0.extend_from_slice(&part.bytes);
            Ok(self.0.len() < self.1)
        }
    }

    fn part(text: &str) -> Part {
        Part { bytes: text.as_bytes().to_vec(), rows: 1, ..Part::default() }
    }

    #[test]
    fn pieces_come_out_in_order_whatever_order_they_come_in() {
        let (meter, mut target) = (Meter::new(), Collected(Vec::new(), 100));
        let sink = Sink::new(&mut target, 9, 1000, &meter);
        sink.submit(5, Some(0), part("c"));
        sink.submit(9, None, part("a"));
        sink.submit(7, Some(5), part("b"));
        sink.submit(9, Some(7), part("a"));
        sink.finish().unwrap();
        assert_eq!(target.0, b"aabc");
    }

    #[test]
    fn threads_wait_for_the_due_piece_and_not_for_ever() {
        let (meter, mut target) = (Meter::new(), Collected(Vec::new(), usize::MAX));
        let sink = Sink::new(&mut target, 0, 8, &meter);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let sink = &sink;
                scope.spawn(move || {
                    for at in (thread..300).step_by(3) {
                        sink.submit(at, None, part("xxxx"));
                        sink.submit(at, Some(at + 1), part(&format!("{at:04}")));
                    }
                });
            }
        });
        sink.finish().unwrap();
        let expected: String = (0..300).map(|at| format!("xxxx{at:04}")).collect();
        assert_eq!(String::from_utf8(target.0).unwrap(), expected);
    }

    #[test]
    fn a_panic_while_writing_lets_the_others_go() {
        struct Full;
        impl Target for Full {
            fn write(&mut self, _: &mut Part) -> Result<bool> {
                // Long enough for the other to be waiting.
                std::thread::sleep(std::time::Duration::from_millis(20));
                panic!("the test's own panic");
            }
        }
        let (meter, mut target) = (Meter::new(), Full);
        let sink = Sink::new(&mut target, 0, 1, &meter);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| sink.submit(0, Some(1), part("a")));
            scope.spawn(|| (1..4).for_each(|at| sink.submit(at, Some(at + 1), part("xxxx"))));
            assert!(writer.join().is_err());
        });
        assert!(sink.stopped());
    }

    #[test]
    fn enough_is_enough() {
        let (meter, mut target) = (Meter::new(), Collected(Vec::new(), 1));
        let sink = Sink::new(&mut target, 0, 8, &meter);
        sink.submit(0, Some(1), part("a"));
        assert!(sink.stopped());
        sink.submit(1, Some(2), part("b"));
        sink.finish().unwrap();
        assert_eq!(target.0, b"a");
    }
}
