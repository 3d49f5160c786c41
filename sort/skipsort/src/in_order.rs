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
use crate::crew::{self, Crew};
use crate::descent::{Agenda, Descent};
use crate::entry::Entry;
use crate::prefix::Varying;
use crate::radix::{self, Digit};
use crate::scatter;
use crate::text::{Loader, Spot, Text, TextRow, as_rows, entries_of};
use crate::visit::{self, Refilled};

/// Below this many rows one thread does the first distribution.
const WORTH_THREADS: usize = if crate::TINY { 100 } else { 1 << 16 };

/// Buckets are joined up to this many rows: enough that taking a group costs nothing beside sorting it.
const JOINED: usize = if crate::TINY { 32 } else { 1 << 13 };

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
            let varying = if loader.good() { loader.varying() } else { reload(self, main, depth, crew) };
            let groups = first_groups(main, spare, &Refilled::plain(depth, varying), crew);
            let pool = Pool { from, state: Mutex::new(State::default()), changed: Condvar::new() };
            pool.give(groups);
            crew.together(|| pool.work(self, consumer));
        });
    }
}

/// The guess was wrong: reads all caches again.
fn reload(text: &Text<'_>, main: &mut [Entry<Spot>], depth: usize, crew: &mut Crew<'_>) -> Varying {
    crew.stretches(main, |_, stretch| {
        visit::load_all(text, stretch, depth);
    });
    Varying::of(main)
}

/// One distribution of everything; or everything, if that is little or all alike.
fn first_groups<'b>(
    main: &'b mut [Entry<Spot>],
    spare: &'b mut [Entry<Spot>],
    loaded: &Refilled,
    crew: &mut Crew<'_>,
) -> Vec<Group<'b>> {
    let varying = loaded.varying;
    if main.len() <= CHUNK || varying.0 == 0 {
        let agenda = Agenda::loaded(main.len(), loaded, 64, false);
        return alloc::vec![Group { start: 0, main, spare, agenda: Some(agenda) }];
    }
    let bits = main.len().ilog2().saturating_sub(8).clamp(8, radix::MOST_BITS);
    let digit = Digit::top(varying, bits);
    let ends = if main.len() < WORTH_THREADS || crew.threads() == 1 {
        let mut ends = [0usize; 1 << radix::MOST_BITS];
        radix::distribute(main, spare, &digit, &mut ends);
        ends[..digit.buckets()].to_vec()
    } else {
        scatter::distribute(main, spare, &digit, crew)
    };
    let agenda = |rows| Agenda::loaded(rows, loaded, digit.low, true);
    cut(0, main, spare, join(&ends).into_iter().map(|range| (range.clone(), Some(agenda(range.len())))))
}

/// Neighbouring buckets together, up to [`JOINED`] rows.
pub(crate) fn join(ends: &[usize]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for &end in ends {
        match ranges.last_mut() {
            Some(last) if end - last.start <= JOINED => last.end = end,
            _ if end > start => ranges.push(start..end),
            _ => {}
        }
        start = end;
    }
    ranges
}

/// A stretch of both buffers, and what is to be done there: nothing when the rows are final.
struct Group<'b> {
    start: usize,
    main: &'b mut [Entry<Spot>],
    spare: &'b mut [Entry<Spot>],
    agenda: Option<Agenda>,
}

/// Groups of the ranges, which are ascending; rows between them are final.
fn cut<'b>(
    start: usize,
    mut main: &'b mut [Entry<Spot>],
    mut spare: &'b mut [Entry<Spot>],
    ranges: impl Iterator<Item = (Range<usize>, Option<Agenda>)>,
) -> Vec<Group<'b>> {
    let end = main.len();
    let (mut groups, mut at) = (Vec::new(), 0);
    for (range, agenda) in ranges.chain([(end..end, None)]) {
        for (upto, agenda) in [(range.start, None), (range.end, agenda)] {
            if upto > at {
                let (main_part, main_rest) = main.split_at_mut(upto - at);
                let (spare_part, spare_rest) = spare.split_at_mut(upto - at);
                groups.push(Group { start: start + at, main: main_part, spare: spare_part, agenda });
                (main, spare, at) = (main_rest, spare_rest, upto);
            }
        }
    }
    groups
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
