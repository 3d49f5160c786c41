//! Evenly spaced positions that are measured before the search. They show a change and its repair, which leave both ends
//! equal.
//!
//! ```text
//!   level      0 · · · · ┌─Δ─ · · ─Δ─┐ · · · 0
//!   series     |     |     |     |     |     |       the third differs from both ends: the search goes on before it
//! ```

use std::collections::BTreeSet;

use crate::levels::{differences, ratio_at};
use crate::posterior::Segment;
use crate::round::{Kind, Round};
use crate::search::{Next, Problem};

/// Probability that a series without any change shows one.
const FALSE_ALARMS: f64 = 0.05;

/// What is to be measured next of the series; `None`: all of it was, or failed.
pub(crate) fn missing(problem: &Problem, rounds: &[Round], broken: &BTreeSet<usize>) -> Option<Next> {
    let is_measured =
        |position: &usize| rounds.iter().any(|round| round.kind == Kind::Series && round.has(*position));
    let mut positions = positions(problem).into_iter();
    let position = positions.find(|position| !broken.contains(position) && !is_measured(position))?;
    Some(Next::Measure { kind: Kind::Series, positions: vec![0, position, problem.last()] })
}

/// Evenly spaced between the ends.
fn positions(problem: &Problem) -> BTreeSet<usize> {
    let (last, parts) = (problem.last(), problem.series + 1);
    let found = (1..parts).map(|number| (number * last + parts / 2) / parts);
    found.filter(|position| (1..last).contains(position)).collect()
}

/// The part of a range whose ends are equal (none of any other), from the good end to a position that differs from both in the same
/// direction, the one that differs most; and the rest, which holds the repair. Intervals are so wide that all positions
/// of the series together have few false alarms.
pub(crate) fn hump(problem: &Problem, rounds: &[Round]) -> Option<(usize, Segment)> {
    if problem.ends_differ {
        return None;
    }
    let (all, last) = (positions(problem), problem.last());
    let alpha = FALSE_ALARMS / all.len() as f64;
    let height = |position: &usize| -> Option<(f64, usize)> {
        let sides = [0, last].map(|end| differences(rounds, *position, end));
        let [first, second] = sides.map(|logs| ratio_at(&logs, alpha).filter(|level| level.differs()));
        let [first, second] = [first?, second?].map(|level| level.ratio.ln());
        (first * second > 0.0).then_some((first.abs().min(second.abs()), *position))
    };
    let (_, high) = all.iter().filter_map(height).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((high, Segment { after: high, until: last, prior: 1.0, mass: 1.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{next, view};
    use crate::testkit::{Draws, World};

    /// Searches a world whose ends are equal; the last answer, and all rounds.
    fn search(world: &World, series: usize, broken: &[usize], seed: u64) -> (Next, Problem, Vec<Round>) {
        let problem = Problem { series, ends_differ: false, ..Problem::uniform(world.levels.len()) };
        let (mut draws, mut rounds, mut failed) = (Draws(seed), Vec::new(), BTreeSet::new());
        for _ in 0..60 {
            let Next::Measure { kind, positions } = next(&problem, &rounds, &failed) else { break };
            match positions.iter().find(|position| broken.contains(position)) {
                Some(position) => drop(failed.insert(*position)),
                None => rounds.push(world.round(kind, &positions, 0.003, &mut draws)),
            }
        }
        (next(&problem, &rounds, &failed), problem, rounds)
    }

    #[test]
    fn a_change_and_its_repair_are_found() {
        for size in [0.02, -0.02] {
            let world = World::stairs(64, &[(20, size), (45, -size)]);
            let (ended, problem, rounds) = search(&world, 7, &[32], 1);
            let Next::Found(found) = ended else { panic!("{ended:?}") };
            assert_eq!((found.after, found.until), (19, 20));
            let others = view(&problem, &rounds).others;
            assert!(others.len() == 1 && others[0].after < 45 && others[0].until == 64, "{others:?}");
        }
    }

    /// Four releases of RocksDB with a loss of a third in the third of them, and a last one that has 4 % more than the first.
    #[test]
    fn a_series_shows_a_change_and_its_repair_where_the_ends_differ() {
        let world = World::stairs(3, &[(2, -0.4), (3, 0.44)]);
        let problem = Problem { series: 2, ..Problem::uniform(4) };
        let (mut draws, mut rounds) = (Draws(1), Vec::new());
        while let Next::Measure { kind, positions } = next(&problem, &rounds, &BTreeSet::new()) {
            rounds.push(world.round(kind, &positions, 0.01, &mut draws));
        }
        let Next::Found(found) = next(&problem, &rounds, &BTreeSet::new()) else { panic!("{rounds:?}") };
        assert_eq!((found.after, found.until, rounds.len()), (1, 2, 4));
        let others = view(&problem, &rounds).others;
        assert!(others.len() == 1 && (others[0].after, others[0].until) == (2, 3), "{others:?}");
    }

    #[test]
    fn equal_ends_without_a_series_are_not_searched_and_a_flat_series_neither() {
        let world = World::stairs(64, &[]);
        let (ended, _, rounds) = search(&world, 0, &[], 1);
        assert_eq!((ended, rounds.len()), (Next::Same, 1));
        let same = (1..=40).filter(|seed| search(&world, 7, &[], *seed).0 == Next::Same).count();
        assert!(same >= 36, "{same} of 40");
    }

    #[test]
    fn positions_are_evenly_spaced_and_each_is_measured_once() {
        let of = |last: usize, series: usize| -> Vec<usize> {
            positions(&Problem { series, ..Problem::uniform(last + 1) }).into_iter().collect()
        };
        assert_eq!(of(64, 3), [16, 32, 48]);
        assert_eq!(of(3, 9), [1, 2]);
        assert!(of(64, 0).is_empty());
        let world = World::step(64, 20, 0.02);
        let problem = Problem { series: 3, ..Problem::uniform(65) };
        let (mut draws, mut rounds) = (Draws(1), Vec::new());
        while let Next::Measure { kind, positions } = next(&problem, &rounds, &BTreeSet::new()) {
            rounds.push(world.round(kind, &positions, 0.003, &mut draws));
        }
        let series: Vec<usize> = rounds
            .iter()
            .filter(|round| round.kind == Kind::Series)
            .map(|round| round.sessions[0][1].0)
            .collect();
        assert_eq!(series, [16, 32, 48]);
        assert!(matches!(next(&problem, &rounds, &BTreeSet::new()), Next::Found(found) if found.until == 20));
    }
}
