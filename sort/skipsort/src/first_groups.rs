//! The groups that a sort of a text begins with, made by all threads together.
//!
//! ```text
//!   lines of source   | empty | eight spaces ............................ | # | / | } | a | ...
//!                               one thread would be at it for most of the time
//!   divided           | empty | 8 spaces, "//" | 8 spaces, "let" | .. | .. | # | / | } | a | ...
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use crate::agenda::Agenda;
use crate::buffers::CHUNK;
use crate::crew::Crew;
use crate::entry::Entry;
use crate::prefix::{FIRST_LIMIT, Varying};
use crate::radix::{self, Digit};
use crate::text::{Spot, Text};
use crate::visit::{self, Refilled};
use crate::{parallel, scatter, settle};

/// Below this many rows one thread does the first distribution.
const WORTH_THREADS: usize = if crate::TINY { 100 } else { 1 << 16 };

/// Buckets are joined up to this many rows: enough that taking a group costs nothing beside sorting it.
const JOINED: usize = if crate::TINY { 32 } else { 1 << 13 };

/// Groups that all threads divide: what is left then shares so much that threads take turns with what others give back.
const DIVISIONS: usize = 16;

/// The guess was wrong: reads all caches again.
pub(crate) fn reload(
    text: &Text<'_>,
    main: &mut [Entry<Spot>],
    depth: usize,
    crew: &mut Crew<'_>,
) -> Varying {
    crew.stretches(main, |_, stretch| {
        visit::load_all(text, stretch, depth);
    });
    Varying::of(main)
}

/// One distribution of everything; or everything, if that is little or all alike. What is too much for one thread all
/// divide further.
pub(crate) fn first<'b>(
    text: &Text<'_>,
    main: &'b mut [Entry<Spot>],
    spare: &'b mut [Entry<Spot>],
    loaded: &Refilled,
    crew: &mut Crew<'_>,
) -> Vec<Group<'b>> {
    let share = (main.len() / (2 * crew.threads())).max(WORTH_THREADS);
    let mut groups = distributed(main, spare, loaded, crew);
    for _ in 0..DIVISIONS {
        let large = groups.iter().position(|group| group.agenda.is_some() && group.main.len() > share);
        let Some(large) = large.filter(|_| crew.threads() > 1) else { break };
        let large = groups.swap_remove(large);
        groups.extend(divide(text, large, crew));
    }
    groups
}

fn distributed<'b>(
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

/// Parts of a group by the next digit of its caches; by new caches, if these are all alike.
fn divide<'b>(text: &Text<'_>, group: Group<'b>, crew: &mut Crew<'_>) -> Vec<Group<'b>> {
    let Group { start, main, spare, agenda } = group;
    let Some(task) = agenda.as_ref().and_then(|agenda| agenda.stack.last().copied()) else {
        return alloc::vec![Group { start, main, spare, agenda }];
    };
    let (mut depth, mut over) = (task.depth, 0);
    let mut in_spare = task.stage.in_scratch();
    let varying = Varying::of(if in_spare { &*spare } else { &*main });
    let mut loaded = Refilled { depth, covered: task.covered, varying };
    if varying.0 == 0 {
        if in_spare {
            main.copy_from_slice(spare);
            in_spare = false;
        }
        let go_on = settle::ended_first(text, main, spare, depth, task.covered);
        depth += task.covered;
        over = main.len() - go_on;
        if go_on > 1 {
            loaded = parallel::load(text, &mut main[over..], depth, FIRST_LIMIT, crew);
        }
    }
    if loaded.varying.0 == 0 {
        let agenda = Agenda::loaded(main.len() - over, &loaded, 64, false);
        let rest = (main.len() - over > 1).then_some((over..main.len(), Some(agenda)));
        return cut(start, main, spare, rest.into_iter());
    }
    let digit = Digit::top(loaded.varying, radix::MOST_BITS - 1);
    let (rows, into) = (&mut main[over..], &mut spare[over..]);
    let (rows, into) = if in_spare { (into, rows) } else { (rows, into) };
    let ends = scatter::distribute(rows, into, &digit, crew);
    let part = |range: Range<usize>| {
        let agenda = Agenda::loaded(range.len(), &loaded, digit.low, !in_spare);
        (over + range.start..over + range.end, Some(agenda))
    };
    cut(start, main, spare, join(&ends).into_iter().map(part))
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
pub(crate) struct Group<'b> {
    pub(crate) start: usize,
    pub(crate) main: &'b mut [Entry<Spot>],
    pub(crate) spare: &'b mut [Entry<Spot>],
    pub(crate) agenda: Option<Agenda>,
}

/// Groups of the ranges, which are ascending; rows between them are final.
pub(crate) fn cut<'b>(
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
