//! The ids that a table must have after some steps: the server counts up, and the oldest rows are deleted first.

use std::collections::VecDeque;

use humdrum_model::Scale;

use crate::sizes::Sizes;
use crate::table::step;

/// The rows and ids that a table must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ids {
    pub(crate) rows: u64,
    /// Exact if one client writes the table, else a bound.
    pub(crate) least: u64,
    pub(crate) greatest: u64,
    /// Known if one client writes the table.
    pub(crate) sum: Option<u128>,
}

/// The ids after the steps `done`. Each step has new connections. A connection takes `at_once` ids at a time, and loses
/// those that it does not use.
pub(crate) fn after(done: &[&str], scale: &Scale, compat: bool, at_once: u64) -> Ids {
    let sharing = Sizes::of(scale).sharing;
    let mut next = 1;
    let mut live: VecDeque<(u64, u64)> = VecDeque::new();
    for step in done.iter().filter_map(|name| step(name).ok()) {
        let rows = step.rows(scale, compat);
        if rows == 0 {
            continue;
        }
        live.push_back((next, next + rows - 1));
        // Clients that share a table take ids in turns, and each may lose some of its last ones.
        let lost = if sharing > 1 { at_once * sharing } else { 0 };
        next += (rows + lost).next_multiple_of(at_once);
        if step.deletes() {
            delete(&mut live, rows);
        }
    }
    let rows = live.iter().map(|(first, last)| last - first + 1).sum();
    let sum =
        live.iter().map(|(first, last)| u128::from(first + last) * u128::from(last - first + 1) / 2).sum();
    let shared = sharing > 1;
    Ids {
        rows,
        least: if shared { 1 } else { live.front().map_or(0, |(first, _)| *first) },
        greatest: if shared { next } else { live.back().map_or(0, |(_, last)| *last) },
        sum: (!shared).then_some(sum),
    }
}

fn delete(live: &mut VecDeque<(u64, u64)>, mut rows: u64) {
    while let Some((first, last)) = live.pop_front() {
        let here = last - first + 1;
        if here > rows {
            live.push_front((first + rows, last));
            return;
        }
        rows -= here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::scales;

    #[test]
    fn the_queue_keeps_its_length_and_moves_on() {
        // X = 4000, Y = 2000, Z = 400.
        let scale = scales().remove(0);
        let of = |done: &[&str], at_once| after(done, &scale, false, at_once);
        assert_eq!(
            of(&["l.i0"], 1),
            Ids { rows: 4000, least: 1, greatest: 4000, sum: Some(4000 * 4001 / 2) }
        );
        let churned = of(&["l.i0", "l.x", "l.i1", "l.i2"], 1);
        assert_eq!((churned.rows, churned.least, churned.greatest), (4000, 2401, 6400));
        // A session that takes a thousand at a time loses those that it did not use.
        let cached = of(&["l.i0", "l.x", "l.i1", "l.i2", "qr100"], 1000);
        assert_eq!((cached.rows, cached.least, cached.greatest), (4000, 2601, 7200));
    }

    #[test]
    fn the_references_batch_counts() {
        let scale = scales().remove(0);
        let found = after(&["l.i0", "l.x", "l.i1"], &scale, true, 1000);
        assert_eq!((found.rows, found.least, found.greatest), (4100, 2001, 7000));
    }

    #[test]
    fn all_rows_may_be_new() {
        let mut scale = scales().remove(0);
        scale.more.insert("y".into(), 10_000);
        let found = after(&["l.i0", "l.i1"], &scale, false, 1);
        assert_eq!((found.rows, found.least, found.greatest), (4000, 10_001, 14_000));
    }
}
