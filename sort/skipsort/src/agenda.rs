//! What is left to do of a sort: ranges of rows, the leftmost on top.

use alloc::vec::Vec;
use core::ops::Range;

use crate::comb;
use crate::prefix::FIRST_LIMIT;
#[cfg(feature = "parallel")]
use crate::visit::Refilled;

/// A range of rows and what is known about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// All keys of the range share this many bytes; the caches start here.
    pub(crate) depth: usize,
    /// And, where they tie, so many more.
    pub(crate) covered: usize,
    /// How far the next prefix scan may look.
    pub(crate) limit: usize,
    /// Rows whose caches were refilled together, these among them.
    pub(crate) group: usize,
    /// Caches say how far a row agrees with one of the group, which has so many bytes as are covered.
    pub(crate) combed: bool,
    /// These rows were parted by equal keys, or nearly were: it is done once.
    pub(crate) tried: bool,
    pub(crate) stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Caches are stale; to be combed, if the level before parted few rows from these.
    Refine { comb: bool },
    /// Caches are fresh; rows are in order by `cache >> settled` already.
    Sort { settled: u32, in_scratch: bool },
    /// Rows are in order by cache; keys before `asked` have been prefetched.
    Walk { asked: usize },
}

#[cfg(feature = "parallel")]
impl Stage {
    /// True when the rows are in the other buffer.
    pub(crate) fn in_scratch(self) -> bool {
        matches!(self, Stage::Sort { in_scratch: true, .. })
    }
}

impl Task {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// What rows with this cache share, and how many bytes behind that their caches stand for.
    #[inline(always)]
    pub(crate) fn reach(&self, cache: u64) -> (usize, usize) {
        if self.combed {
            (self.depth + comb::shared(cache, self.covered), 0)
        } else {
            (self.depth, self.covered)
        }
    }

    /// True when the next level should comb the rows that go on: because they are most of the group and as many levels might
    /// follow as there are others, or because they are all of it and share more than two scans went.
    pub(crate) fn is_slow(&self, go_on: usize) -> bool {
        let (most, all) = (go_on >= self.group / 4 * 3, go_on == self.group);
        let far = self.limit > 2 * FIRST_LIMIT;
        !self.combed && go_on >= comb::LEAST && most && (far || !all)
    }
}

/// What is left to do, without the memory to do it in: a sort can be put aside and taken up again.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    pub(crate) stack: Vec<Task>,
    pub(crate) rows: usize,
}

impl Agenda {
    /// All rows in one group at depth 0.
    pub(crate) fn new(rows: usize) -> Self {
        let (limit, stage) = (FIRST_LIMIT, Stage::Refine { comb: false });
        let task = Task {
            start: 0,
            end: rows,
            depth: 0,
            covered: 0,
            limit,
            group: rows,
            combed: false,
            tried: false,
            stage,
        };
        let mut stack = Vec::new();
        if rows > 1 {
            stack.push(task);
        }
        Agenda { stack, rows }
    }

    /// All rows in one group with caches as `refilled` says, in order by `cache >> settled`; 64 is in no order.
    #[cfg(feature = "parallel")]
    pub(crate) fn loaded(rows: usize, refilled: &Refilled, settled: u32, in_scratch: bool) -> Self {
        let stage = Stage::Sort { settled, in_scratch };
        let Refilled { depth, covered, .. } = *refilled;
        let (limit, group) = (FIRST_LIMIT, rows);
        let (combed, tried) = (false, false);
        let task = Task { start: 0, end: rows, depth, covered, limit, group, combed, tried, stage };
        Agenda { stack: alloc::vec![task], rows }
    }

    /// An agenda per task, rightmost first, and the rows it is about.
    #[cfg(feature = "parallel")]
    pub(crate) fn split(self) -> impl Iterator<Item = (Range<usize>, Agenda)> {
        self.stack.into_iter().map(|task| {
            let stage = match task.stage {
                Stage::Walk { asked } => Stage::Walk { asked: asked.saturating_sub(task.start) },
                other => other,
            };
            let own = Task { start: 0, end: task.len(), stage, ..task };
            (task.range(), Agenda { stack: alloc::vec![own], rows: task.len() })
        })
    }

    /// Rows before this one are final.
    pub(crate) fn frontier(&self) -> usize {
        self.stack.last().map_or(self.rows, |task| task.start)
    }
}
