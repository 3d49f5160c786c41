//! Several threads: the groups of the first distribution are independent sorts.
//!
//! ```text
//!   fill and load     any thread takes the next stretch of rows (all)
//!   distribute        each thread a stretch of the rows         (all; scatter.rs)
//!   groups            | g0 | g1 |   g2   | g3 | ...             any thread takes the next group;
//!                               +- too large: one step, and its parts go back to the others
//!   hand over         any thread takes the next stretch         (all)
//! ```
//!
//! A group owns its stretch of both buffers, so the threads share nothing but the list of groups.

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::ops::Range;
use std::sync::{Condvar, Mutex};
use std::thread;

use crate::agenda::Agenda;
use crate::buffers::Buffers;
use crate::crew::Crew;
use crate::descent::Descent;
use crate::entry::Entry;
use crate::how::How;
use crate::keys::{Indexed, Keys, RowHandle};
use crate::memory::{Plan, Scratch};
use crate::prefix::{FIRST_LIMIT, Varying};
use crate::radix::{self, Digit};
use crate::visit::Refilled;
use crate::window::{self, Seen, Window};
use crate::{first_groups, gather, refine, scatter};

/// Of the first digit: one bit less than the counters have room for, as more places to write to at a time cost more than
/// they save.
const FIRST_BITS: u32 = radix::MOST_BITS - 1;

/// Below this many rows threads cost more than they save.
const WORTH_THREADS: usize = if crate::TINY { 100 } else { 1 << 15 };

/// How many threads sort so many rows, of these or of as many as there are processors; `None` where one does it.
///
/// Processors are counted only for rows that are worth it: the system takes some 50 us for an answer.
pub(crate) fn crew_of(rows: usize, scratch: &Scratch, threads: Option<NonZeroUsize>) -> Option<NonZeroUsize> {
    if rows < WORTH_THREADS || scratch.plan(rows) != Plan::TwoBuffers {
        return None;
    }
    let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Some(threads.unwrap_or_else(all)).filter(|threads| threads.get() > 1)
}

/// Fills `main` with the rows of `keys` in order, stably.
pub(crate) fn order<T: Sync, F: Fn(&T) -> &[u8] + Sync>(
    keys: &Indexed<'_, T, F>,
    main: &mut [Entry<RowHandle>],
    spare: &mut [Entry<RowHandle>],
    crew: &mut Crew<'_>,
    how: How,
) {
    crew.stretches(main, |start, stretch| {
        for (number, entry) in (start..).zip(stretch) {
            *entry =
                Entry { cache: 0, handle: RowHandle::new(number, (keys.key_of)(&keys.rows[number]).len()) };
        }
    });
    if how.descending {
        main.reverse();
    }
    descend(keys, main, spare, crew);
    if how.descending {
        main.reverse();
    }
}

/// Sorts filled entries on several threads.
pub(crate) fn descend<K: Keys + Sync>(
    keys: &K,
    main: &mut [Entry<K::Handle>],
    spare: &mut [Entry<K::Handle>],
    crew: &mut Crew<'_>,
) {
    let loaded = load_behind_prefix(keys, main, crew);
    let share = (main.len() / (8 * crew.threads())).max(WORTH_THREADS);
    let pool =
        Pool { share, state: Mutex::new(State { groups: Vec::new(), busy: 0 }), changed: Condvar::new() };
    if loaded.varying.0 == 0 {
        let agenda = Agenda::loaded(main.len(), &loaded, 64, false);
        pool.give([Group { main, spare, agenda }]);
    } else {
        let digit = Digit::top(loaded.varying, FIRST_BITS);
        let ends = scatter::distribute(main, spare, &digit, crew);
        let joined = first_groups::join(&ends).into_iter().rev();
        let groups = joined.map(|range| {
            let agenda = Agenda::loaded(range.len(), &loaded, digit.low, true);
            (range, agenda)
        });
        pool.give(parts(main, spare, groups));
    }
    crew.together(|| pool.work(keys));
}

/// Loads the caches of all rows from where they begin to differ, or from where some key is over before that.
fn load_behind_prefix<K: Keys + Sync>(
    keys: &K,
    main: &mut [Entry<K::Handle>],
    crew: &mut Crew<'_>,
) -> Refilled {
    let (mut depth, mut limit) = (0, FIRST_LIMIT);
    loop {
        let loaded = load(keys, main, depth, limit, crew);
        depth = loaded.depth + loaded.covered;
        limit = limit.saturating_mul(2);
        if loaded.varying.0 != 0 || main.iter().any(|row| keys.len(row.handle) <= depth) {
            return loaded;
        }
    }
}

/// Loads the caches of all rows, which agree on `depth` bytes, from behind the at most `limit` more that they share.
pub(crate) fn load<K: Keys + Sync>(
    keys: &K,
    main: &mut [Entry<K::Handle>],
    depth: usize,
    limit: usize,
    crew: &mut Crew<'_>,
) -> Refilled {
    let first = main[0].handle;
    let aim = gather::aim(keys, main, depth, limit);
    let mut pass = |main: &mut [Entry<K::Handle>], window: &Window| -> Option<Seen> {
        let seen = crew.stretches(main, |_, part| gather::pass(keys, part, first, depth, aim.skip, window));
        seen.into_iter().reduce(|a, b| Some(window::join(&a?, &b?))).flatten()
    };
    if aim.worth
        && let Some(loaded) = gather::run(depth, &aim, |window| pass(main, window))
    {
        return loaded;
    }
    let mut behind = |main: &mut [Entry<K::Handle>], shared| {
        crew.stretches(main, |_, part| {
            let loaded = refine::load_plain(keys, part, first, depth, shared);
            (loaded.depth - depth, loaded.varying.0, part[0].cache)
        })
    };
    let mut parts = behind(main, aim.shared);
    let shared = parts.iter().map(|part| part.0).min().unwrap_or(0);
    if parts.iter().any(|part| part.0 > shared) {
        parts = behind(main, shared);
    }
    // What varies within each stretch, and between the stretches.
    let base = main[0].cache;
    let varying = parts.iter().fold(0, |all, (_, within, start)| all | within | (start ^ base));
    Refilled::plain(depth + shared, Varying(varying))
}

/// A sort of its own: a stretch of both buffers and what is to be done there.
struct Group<'b, H> {
    main: &'b mut [Entry<H>],
    spare: &'b mut [Entry<H>],
    agenda: Agenda,
}

/// Groups that no thread has taken.
struct Pool<'b, H> {
    /// Groups of more rows are worth splitting up.
    share: usize,
    state: Mutex<State<'b, H>>,
    changed: Condvar,
}

struct State<'b, H> {
    groups: Vec<Group<'b, H>>,
    /// Threads that may still give groups back.
    busy: usize,
}

impl<'b, H: Copy + Send> Pool<'b, H> {
    fn give(&self, groups: impl IntoIterator<Item = Group<'b, H>>) {
        self.state.lock().expect("no panic under the lock").groups.extend(groups);
        self.changed.notify_all();
    }

    /// Waits for a group; `None` when there are none and none will come.
    fn take(&self) -> Option<(Group<'b, H>, Busy<'_, 'b, H>)> {
        let mut state = self.state.lock().expect("no panic under the lock");
        loop {
            if let Some(group) = state.groups.pop() {
                state.busy += 1;
                return Some((group, Busy(self)));
            }
            if state.busy == 0 {
                return None;
            }
            state = self.changed.wait(state).expect("no panic under the lock");
        }
    }

    fn work<K: Keys<Handle = H>>(&self, keys: &K) {
        while let Some((group, busy)) = self.take() {
            let Group { main, spare, mut agenda } = group;
            if main.len() <= self.share {
                Descent::new(keys, Buffers::new(main, spare), agenda).run();
            } else {
                agenda = Descent::new(keys, Buffers::new(main, spare), agenda).run_one();
                self.give(parts(main, spare, agenda.split()));
            }
            drop(busy);
        }
    }
}

/// Says that a thread is done with its group, even if the user's key function panicked.
struct Busy<'p, 'b, H>(&'p Pool<'b, H>);

impl<H> Drop for Busy<'_, '_, H> {
    fn drop(&mut self) {
        if let Ok(mut state) = self.0.state.lock() {
            state.busy -= 1;
        }
        self.0.changed.notify_all();
    }
}

/// One group per task; rows between the tasks are final.
fn parts<'b, H>(
    mut main: &'b mut [Entry<H>],
    mut spare: &'b mut [Entry<H>],
    tasks: impl Iterator<Item = (Range<usize>, Agenda)>,
) -> Vec<Group<'b, H>> {
    let mut groups = Vec::new();
    // Rightmost first: cut pieces off the end.
    for (range, agenda) in tasks {
        let (main_left, main_part) = main.split_at_mut(range.start);
        let (spare_left, spare_part) = spare.split_at_mut(range.start);
        groups.push(Group {
            main: &mut main_part[..range.len()],
            spare: &mut spare_part[..range.len()],
            agenda,
        });
        (main, spare) = (main_left, spare_left);
    }
    groups
}
