//! The descent: sort caches, walk the ties, refill, again; leftmost first, on an explicit stack.
//!
//! ```text
//!        Refine          refill the caches behind the shared prefix        (refine.rs, comb.rs)
//!          |
//!        Sort            by cache: quicksort, radix or rank                (adaptive.rs)
//!          |
//!        Walk            singles are final; a tie is settled (settle.rs)
//!          |             and what goes on is a new group
//!          +--> Refine
//!
//!   rows   [ final ...... | Walk | Refine | Sort | Sort | Sort ]
//!          0              ^ frontier       (the stack, top at the left)
//! ```
//!
//! Tasks on the stack are disjoint and ordered, the top is the leftmost: all rows before the top's
//! start are final. That gives results before the end for free, and the stack, not the call stack,
//! grows with depth: a walk is pushed once per level with rows left to its right, so a ladder of n
//! keys "a", "aa", "aaa" needs one task, not n frames.

use core::ops::Range;

use crate::adaptive::{self, Place};
use crate::agenda::{Agenda, Stage, Task};
use crate::buffers::{Buffers, CHUNK};
use crate::entry::tied;
use crate::keys::Keys;
use crate::prefetch::AHEAD;
use crate::prefix::{FIRST_LIMIT, Varying};
use crate::visit::Refilled;
use crate::{comb, equals, flag, radix, refine, settle, smallsort};

/// Neighbouring buckets are sorted and walked together up to this many rows, so that the walk can
/// look ahead across them.
const GROUP: usize = if crate::TINY { 32 } else { 1 << 12 };

/// A sort under way.
pub(crate) struct Descent<'b, K: Keys> {
    keys: &'b K,
    rows: Buffers<'b, K::Handle>,
    agenda: Agenda,
}

impl<'b, K: Keys> Descent<'b, K> {
    /// Starts, or takes up again, what the agenda says about these rows.
    pub(crate) fn new(keys: &'b K, rows: Buffers<'b, K::Handle>, agenda: Agenda) -> Self {
        debug_assert!(agenda.rows == rows.len());
        Descent { keys, rows, agenda }
    }

    /// Works until rows before `target` are final; returns what is left to do.
    pub(crate) fn run_until(mut self, target: usize) -> Agenda {
        while let Some(task) = self.agenda.stack.pop_if(|task| task.start < target) {
            self.step(task);
        }
        self.agenda
    }

    /// Works on the leftmost task only.
    #[cfg(feature = "parallel")]
    pub(crate) fn run_one(mut self) -> Agenda {
        if let Some(task) = self.agenda.stack.pop() {
            self.step(task);
        }
        self.agenda
    }

    /// Works until all rows are final.
    pub(crate) fn run(self) {
        self.run_until(usize::MAX);
    }

    fn step(&mut self, task: Task) {
        match task.stage {
            Stage::Refine { comb } => self.refine(task, comb),
            Stage::Sort { settled, in_scratch } => self.sort(task, settled, in_scratch),
            Stage::Walk { asked } => self.walk(task, asked),
        }
    }

    fn refine(&mut self, mut task: Task, comb: bool) {
        let (rows, spare) = self.rows.both(task.range());
        if !task.tried && equals::are_likely(self.keys, rows, task.depth) {
            task.tried = true;
            if let Some(parted) = equals::part(self.keys, rows, spare, task.depth) {
                return self.push_left(task, &parted);
            }
        }
        let refilled = if comb {
            comb::load(self.keys, rows, task.depth)
        } else {
            refine::refill(self.keys, rows, task.depth, task.limit)
        };
        let Refilled { depth, covered, .. } = refilled;
        let task = Task { depth, covered, group: task.len(), combed: comb, ..task };
        if refilled.varying.0 == 0 {
            // Not a bit was learned: all rows agreed as far as the scan went, so it may go farther.
            let limit = task.limit.saturating_mul(2);
            return self.agenda.stack.push(Task { limit, stage: Stage::Walk { asked: task.start }, ..task });
        }
        let task = Task { limit: FIRST_LIMIT, ..task };
        self.distribute_or_sort(task, refilled.varying, false);
    }

    /// Pushes what equal keys have left between them.
    fn push_left(&mut self, task: Task, parted: &equals::Parted) {
        for (start, end) in parted.left().filter(|(start, end)| end - start > 1) {
            let (start, end, group) = (task.start + start, task.start + end, end - start);
            let (limit, stage) = (FIRST_LIMIT, Stage::Refine { comb: false });
            self.agenda.stack.push(Task {
                start,
                end,
                covered: 0,
                limit,
                group,
                combed: false,
                stage,
                ..task
            });
        }
    }

    fn sort(&mut self, task: Task, settled: u32, in_scratch: bool) {
        if task.len() <= CHUNK {
            return self.sort_chunk(task, settled, in_scratch);
        }
        let (main, scratch) = self.rows.both(task.range());
        let varying = Varying::of(if in_scratch { &*scratch } else { &*main });
        self.distribute_or_sort(task, varying, in_scratch);
    }

    /// One digit over a group too large for the cache; small groups go straight to their sort.
    fn distribute_or_sort(&mut self, task: Task, varying: Varying, in_scratch: bool) {
        if varying.0 == 0 && !in_scratch {
            return self.walk(task, task.start);
        }
        if task.len() <= CHUNK || varying.0 == 0 {
            return self.sort_chunk(task, 64, in_scratch);
        }
        let digit = radix::Digit::top(varying, self.digit_bits(task.len()));
        let mut ends = [0usize; 1 << radix::MOST_BITS];
        let (main, scratch) = self.rows.both(task.range());
        let moved = scratch.len() == main.len();
        match (moved, in_scratch) {
            (true, false) => radix::distribute(main, scratch, &digit, &mut ends),
            (true, true) => radix::distribute(scratch, main, &digit, &mut ends),
            (false, _) => flag::distribute(main, &digit, &mut ends),
        }
        let in_scratch = in_scratch ^ moved;
        self.push_groups(task, &ends[..digit.buckets()], Stage::Sort { settled: digit.low, in_scratch });
    }

    /// Enough buckets that most are near `GROUP` or below.
    fn digit_bits(&self, rows: usize) -> u32 {
        rows.ilog2().saturating_sub(8).clamp(8, radix::MOST_BITS - 1)
    }

    /// Pushes the buckets right to left, neighbours joined up to `GROUP` rows.
    fn push_groups(&mut self, task: Task, ends: &[usize], stage: Stage) {
        let (mut end, mut start) = (task.len(), task.len());
        for bucket in (0..ends.len()).rev() {
            let bucket_start = if bucket == 0 { 0 } else { ends[bucket - 1] };
            if end - bucket_start > GROUP && start < end {
                self.agenda.stack.push(Task {
                    start: task.start + start,
                    end: task.start + end,
                    stage,
                    ..task
                });
                end = start;
            }
            start = bucket_start;
        }
        if end > 0 {
            self.agenda.stack.push(Task { start: task.start, end: task.start + end, stage, ..task });
        }
    }

    /// Sorts stretches of equal settled bits, then walks the whole group.
    fn sort_chunk(&mut self, task: Task, settled: u32, in_scratch: bool) {
        let (main, scratch) = self.rows.both(task.range());
        let (from, other, place) =
            if in_scratch { (scratch, main, Place::Other) } else { (main, scratch, Place::Here) };
        let digit = |cache: u64| cache.checked_shr(settled).unwrap_or(0);
        let mut start = 0;
        while start < from.len() {
            let here = digit(from[start].cache);
            let more = from[start + 1..].iter().take_while(|row| digit(row.cache) == here).count();
            let end = start + 1 + more;
            adaptive::sort(&mut from[start..end], &mut other[start..end], place);
            start = end;
        }
        self.walk(Task { stage: Stage::Walk { asked: task.start }, ..task }, task.start);
    }

    /// Finds ties and settles them, asking for the keys of ties to come.
    fn walk(&mut self, task: Task, mut asked: usize) {
        let keys = self.keys;
        let mut at = task.start;
        while at < task.end {
            let (rows, _) = self.rows.both(at..task.end);
            if !task.combed {
                asked = ask_ahead(keys, rows, at, asked, task.depth + task.covered);
            }
            let run = 1 + rows[1..].iter().take_while(|row| tied(row, &rows[0])).count();
            let tie = at..at + run;
            at = tie.end;
            if run == 1 {
                continue;
            }
            if let Some(next) = self.settle(tie, &task) {
                if at < task.end {
                    self.agenda.stack.push(Task { start: at, stage: Stage::Walk { asked }, ..task });
                }
                return self.agenda.stack.push(next);
            }
        }
    }

    /// Orders a tie as far as the caches and lengths tell. Returns what is left to do, if anything.
    fn settle(&mut self, tie: Range<usize>, of: &Task) -> Option<Task> {
        let keys = self.keys;
        let limit = if tie == of.range() { of.limit } else { FIRST_LIMIT };
        let (rows, spare) = self.rows.both(tie.clone());
        let (depth, covered) = of.reach(rows[0].cache);
        let go_on = settle::ended_first(keys, rows, spare, depth, covered);
        let start = tie.end - go_on;
        let depth = depth + covered;
        let stage = Stage::Refine { comb: of.is_slow(go_on) };
        let (group, combed, tried) = (go_on, false, of.tried);
        let task = Task { start, end: tie.end, depth, covered: 0, limit, group, combed, tried, stage };
        let skip = rows.len() - go_on;
        match &mut rows[skip..] {
            [] | [_] => None,
            few if few.len() <= settle::BY_KEYS => {
                settle::by_keys(keys, few, depth);
                None
            }
            few if go_on <= smallsort::MOST => {
                let refilled = refine::refill(keys, few, depth, limit);
                smallsort::sort(few);
                let ties = few.windows(2).any(|pair| tied(&pair[0], &pair[1]));
                let limit = if refilled.varying.0 == 0 { limit.saturating_mul(2) } else { FIRST_LIMIT };
                let stage = Stage::Walk { asked: start };
                ties.then_some(Task {
                    depth: refilled.depth,
                    covered: refilled.covered,
                    limit,
                    stage,
                    ..task
                })
            }
            _ => Some(task),
        }
    }
}

/// Asks for the keys of ties among the next rows. `rows[0]` is row number `at`.
#[inline(always)]
fn ask_ahead<K: Keys>(
    keys: &K,
    rows: &[crate::entry::Entry<K::Handle>],
    at: usize,
    asked: usize,
    depth: usize,
) -> usize {
    let from = asked.max(at) - at;
    let to = (2 * AHEAD).min(rows.len());
    for next in from..to {
        let [before, row] = &rows[next.max(1) - 1..=next] else { continue };
        let tie = tied(before, row);
        keys.prefetch_if(tie, before.handle, depth);
        keys.prefetch_if(tie, row.handle, depth);
    }
    at + to.max(from)
}
