//! Giving runs back while they are merged: what has become output needs no room on the disk or in memory any more.
//!
//! ```text
//!   run 0    |#######|####   |       |       given back up to where the first range that is not done begins
//!   run 1    |#######|  ##   |       |
//!              done     under way
//! ```
//!
//! So temporary files and output together take little more than the records, and the output gets pages that the
//! spilled records have just left. Some file systems write what is given back to the disk first: there it is given up.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::store::Run;
use crate::order::Order;

/// Less than this of a run is not worth a call, bytes.
const LEAST: u64 = 1 << 20;
/// Time that a mebibyte may take; dropping its pages takes a tenth of it.
const QUICK: Duration = Duration::from_micros(500);
/// So many slower calls in a row are no accident.
const SLOW_MOST: u32 = 8;

/// How far runs have been merged.
pub(crate) struct Spent<'r> {
    runs: &'r [Run],
    /// Keys that cut the runs into ranges.
    cuts: &'r [Vec<u8>],
    state: Mutex<State>,
}

struct State {
    /// All ranges before this one are done, and these.
    next: usize,
    done: BTreeSet<usize>,
    /// Bytes of each run that have been given back.
    given: Vec<u64>,
    /// Slow calls since the last quick one.
    slow: u32,
}

impl<'r> Spent<'r> {
    pub(crate) fn new(runs: &'r [Run], cuts: &'r [Vec<u8>]) -> Self {
        let state = State { next: 0, done: BTreeSet::new(), given: vec![0; runs.len()], slow: 0 };
        Spent { runs, cuts, state: Mutex::new(state) }
    }

    /// No more of this range will be read.
    pub(crate) fn done(&self, range: usize, order: Order) {
        let state = &mut *self.state.lock().expect("no panic under the lock");
        state.done.insert(range);
        let before = state.next;
        while state.done.remove(&state.next) {
            state.next += 1;
        }
        // What is left at the end goes with the files.
        let Some(cut) = state.next.checked_sub(1).and_then(|last| self.cuts.get(last)) else { return };
        if state.next > before && state.slow < SLOW_MOST {
            state.give_back(self.runs, cut, order);
        }
    }
}

impl State {
    /// Gives back all before what a range that begins at `cut` reads.
    fn give_back(&mut self, runs: &[Run], cut: &[u8], order: Order) {
        for (run, given) in runs.iter().zip(&mut self.given) {
            let to = run.place_before(cut, order);
            if to >= *given + LEAST {
                let start = Instant::now();
                run.release(*given, to);
                let quick = start.elapsed().as_nanos() * u128::from(LEAST)
                    <= QUICK.as_nanos() * u128::from(to - *given);
                self.slow = if quick { 0 } else { self.slow + 1 };
                *given = to;
            }
        }
    }
}
