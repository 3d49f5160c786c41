//! Which subject comes first where each has the host to itself.
//!
//! ```text
//!   two       A B │ B A │ A B │ …
//!   three     A B C │ B C A │ C A B │ C B A │ A C B │ B A C │ …      a Latin square, and its mirror image
//! ```
//!
//! In as many sessions as there are subjects, each has had every place once; in twice as many, each has followed every other
//! one equally often (Williams 1949). So what comes with the place, such as a host that slows down within a session, cancels.

use crate::order::{cell_seed, order, shuffle};

/// The order of subjects in a session of the sequential mode.
pub fn turns(seed: u64, session: u32, subjects: usize) -> Vec<usize> {
    if subjects < 3 {
        return order(seed, "subjects", 0, session, subjects);
    }
    let (square, row) = (session as usize / subjects, session as usize % subjects);
    let mut labels: Vec<usize> = (0..subjects).collect();
    // A square and its mirror image have the same labels.
    shuffle(&mut labels, cell_seed(seed, "turns", (square / 2) as u32));
    // The first row is 0, 1, n - 1, 2, n - 2, …; each other one adds its number.
    let first = |place: usize| if place % 2 == 1 { place.div_ceil(2) } else { subjects - place / 2 };
    let mut turns: Vec<usize> = (0..subjects).map(|place| labels[(first(place) + row) % subjects]).collect();
    if square % 2 == 1 {
        turns.reverse();
    }
    turns
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn two_alternate() {
        let found: Vec<Vec<usize>> = (0..4).map(|session| turns(1, session, 2)).collect();
        assert_ne!(found[0], found[1]);
        assert_eq!((&found[0], &found[1]), (&found[2], &found[3]));
    }

    #[test]
    fn each_has_every_place_once_and_follows_each_other_equally_often() {
        for (seed, subjects) in (1..4).flat_map(|seed| (3..=16).map(move |subjects| (seed, subjects))) {
            let mut follows: BTreeMap<(usize, usize), u32> = BTreeMap::new();
            for square in 0..2 {
                let rows = subjects * square..subjects * (square + 1);
                let rows: Vec<_> = rows.map(|session| turns(seed, session as u32, subjects)).collect();
                for place in 0..subjects {
                    let mut column: Vec<usize> = rows.iter().map(|row| row[place]).collect();
                    column.sort_unstable();
                    assert_eq!(column, (0..subjects).collect::<Vec<_>>(), "{rows:?}");
                }
                let pairs = rows.iter().flat_map(|row| row.windows(2));
                pairs.for_each(|pair| *follows.entry((pair[0], pair[1])).or_default() += 1);
            }
            assert_eq!(follows.len(), subjects * (subjects - 1));
            assert!(follows.values().all(|count| *count == 2), "{subjects}: {follows:?}");
        }
    }

    #[test]
    fn another_seed_is_another_order() {
        let of = |seed| (0..8).map(|session| turns(seed, session, 8)).collect::<Vec<_>>();
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
