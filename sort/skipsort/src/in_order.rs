//! Sorting a text on several threads while its first rows are already being written.
//!
//! ```text
//!   rows     | out | out | group | GROUP | group | GROUP | ...
//!                          ^ being written         ^ being sorted, the leftmost that nobody has taken
//! ```
//!
//! A thread that has sorted a group hands it over at once, while its keys are warm, if the consumer has
//! room; otherwise the group waits in place, sorted, and the thread goes on with the next one.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::buffers::{Buffers, CHUNK};
use crate::crew;
use crate::descent::Descent;
use crate::first_groups::{self, Group, cut};
use crate::text::{Loader, Text, TextRow, as_rows, entries_of};
use crate::visit::Refilled;

/// Takes rows as they become final. Called by several threads at once, each with its own rows.
///
/// ```
/// use std::{num::NonZero, ops::Range, sync::Mutex};
/// use skipsort::{Consumer, Loader, ReadFrom, Scratch, Text, TextRow};
///
/// /// Keeps lines with their places.
/// struct Keeps<'t>(Text<'t>, Mutex<Vec<(usize, String)>>);
///
/// impl Consumer for Keeps<'_> {
///     fn ready(&self, _: usize) -> bool { true }
///     fn wants_more(&self) -> bool { true }
///     fn consume(&self, range: Range<usize>, rows: &[TextRow]) {
///         let lines = rows.iter().map(|row| String::from_utf8_lossy(self.0.key(*row)).into_owned());
///         self.1.lock().unwrap().extend(range.zip(lines));
///     }
/// }
///
/// let bytes = b"pear\napple\nfig\n";
/// let (mut scratch, mut loader, mut start) = (Scratch::new(), Loader::default(), 0);
/// let (rows, spare) = scratch.text_rows(3);
/// for (row, line) in rows.iter_mut().zip(bytes.split(|byte| *byte == b'\n')) {
///     *row = loader.row(line, start);
///     start += line.len() + 1;
/// }
/// let text = Text::new(bytes, &[]);
/// let keeps = Keeps(text, Mutex::default());
/// text.sort(rows, spare, &loader, NonZero::new(2).unwrap(), ReadFrom::Start, &keeps);
/// let mut lines = keeps.1.into_inner().unwrap();
/// lines.sort();
/// assert_eq!(lines, [(0, "apple".into()), (1, "fig".into()), (2, "pear".into())]);
/// ```
///
/// If a call panics, [`Text::sort`] panics when all other calls have returned: a consumer in which calls wait for each other
/// has to let them go then.
pub trait Consumer: Sync {
    /// True when [`Consumer::consume`] for rows that start (read from the end: that end) at `at` would
    /// not have to wait long.
    fn ready(&self, at: usize) -> bool;
    /// Takes the final rows of a range. It may wait until the rows before have been taken; ranges are
    /// handed over roughly in order, so that never waits for itself.
    fn consume(&self, range: Range<usize>, rows: &[TextRow]);
    /// False when the rest is not wanted.
    fn wants_more(&self) -> bool;
}

/// From which end the consumer wants the rows.
///
/// ```
/// let descending = true;
/// let from = if descending { skipsort::ReadFrom::End } else { skipsort::ReadFrom::Start };
/// assert_eq!(from, skipsort::ReadFrom::End);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadFrom {
    /// Smallest key first.
    Start,
    /// Largest key first. Rows within a range are still in ascending order.
    End,
}

impl Text<'_> {
    /// Sorts rows of this text, stably, and hands them over in ranges.
    ///
    /// `spare` is as long as `rows`; `loader` has made, or has been joined with those that made, all rows.
    ///
    /// # Panics
    /// If the lengths differ or a row leads outside of the text.
    pub fn sort(
        &self,
        rows: &mut [TextRow],
        spare: &mut [TextRow],
        loader: &Loader,
        threads: NonZeroUsize,
        from: ReadFrom,
        consumer: &dyn Consumer,
    ) {
        assert_eq!(rows.len(), spare.len());
        if rows.is_empty() {
            return;
        }
        let (main, spare) = (entries_of(rows), entries_of(spare));
        crew::with(threads, |crew| {
            let depth = loader.shared_len();
            let varying =
                if loader.good() { loader.varying() } else { first_groups::reload(self, main, depth, crew) };
            let groups = first_groups::first(self, main, spare, &Refilled::plain(depth, varying), crew);
            let pool = Pool { from, state: Mutex::new(State::default()), changed: Condvar::new() };
            pool.give(groups);
            crew.together(|| pool.work(self, consumer));
        });
    }
}

#[derive(Default)]
struct State<'b> {
    /// Groups to sort, by where they start.
    unsorted: BTreeMap<usize, Group<'b>>,
    /// Groups to hand over, by where they start (read from the end: where they end).
    sorted: BTreeMap<usize, Group<'b>>,
    /// Threads that may still give groups back.
    busy: usize,
}

/// Groups that no thread has taken.
struct Pool<'b> {
    from: ReadFrom,
    state: Mutex<State<'b>>,
    changed: Condvar,
}

impl<'b> Pool<'b> {
    /// Whole even if poisoned: the consumer is asked before a group is taken.
    fn lock(&self) -> MutexGuard<'_, State<'b>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the consumer comes upon a group.
    fn position(&self, group: &Group<'_>) -> usize {
        match self.from {
            ReadFrom::Start => group.start,
            ReadFrom::End => group.start + group.main.len(),
        }
    }

    fn give(&self, groups: impl IntoIterator<Item = Group<'b>>) {
        let mut state = self.lock();
        for group in groups {
            if group.agenda.is_some() {
                state.unsorted.insert(group.start, group);
            } else {
                state.sorted.insert(self.position(&group), group);
            }
        }
    }

    fn first(&self, groups: &mut BTreeMap<usize, Group<'b>>) -> Option<Group<'b>> {
        let first = match self.from {
            ReadFrom::Start => groups.pop_first(),
            ReadFrom::End => groups.pop_last(),
        };
        first.map(|(_, group)| group)
    }

    fn peek(&self, groups: &BTreeMap<usize, Group<'b>>) -> Option<usize> {
        let first = match self.from {
            ReadFrom::Start => groups.first_key_value(),
            ReadFrom::End => groups.last_key_value(),
        };
        first.map(|(at, _)| *at)
    }

    /// Waits for something to do; `None` when there is nothing and nothing will come.
    fn take(&self, consumer: &dyn Consumer) -> Option<(Group<'b>, Busy<'_, 'b>)> {
        let mut state = self.lock();
        loop {
            if !consumer.wants_more() {
                return None;
            }
            let handing = self.peek(&state.sorted).filter(|at| consumer.ready(*at));
            let group = match handing {
                Some(_) => self.first(&mut state.sorted),
                None => self.first(&mut state.unsorted),
            };
            // When all threads would only wait, one may as well wait inside the consumer.
            let idle = state.busy == 0;
            let group = group.or_else(|| if idle { self.first(&mut state.sorted) } else { None });
            if let Some(group) = group {
                state.busy += 1;
                return Some((group, Busy(self)));
            }
            if idle {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self, text: &Text<'_>, consumer: &dyn Consumer) {
        while let Some((group, busy)) = self.take(consumer) {
            self.handle(group, text, consumer);
            drop(busy);
        }
    }

    fn handle(&self, group: Group<'b>, text: &Text<'_>, consumer: &dyn Consumer) {
        let Group { start, main, spare, agenda } = group;
        let Some(agenda) = agenda else {
            return consumer.consume(start..start + main.len(), as_rows(main));
        };
        if main.len() > 2 * CHUNK {
            let left = Descent::new(text, Buffers::new(main, spare), agenda).run_one();
            let mut tasks: Vec<_> = left.split().map(|(range, agenda)| (range, Some(agenda))).collect();
            tasks.reverse();
            return self.give(cut(start, main, spare, tasks.into_iter()));
        }
        Descent::new(text, Buffers::new(main, spare), agenda).run();
        let group = Group { start, main, spare, agenda: None };
        let at = self.position(&group);
        if consumer.ready(at) {
            consumer.consume(start..start + group.main.len(), as_rows(group.main));
        } else {
            self.give([group]);
        }
    }
}

/// Says that a thread is done with its group, even if the consumer panicked.
struct Busy<'p, 'b>(&'p Pool<'b>);

impl Drop for Busy<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.changed.notify_all();
    }
}
