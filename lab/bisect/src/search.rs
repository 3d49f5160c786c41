//! The order of a search: both ends, then one position after the other, then the step that was found once more.

use std::collections::BTreeSet;

use crate::choose::choose;
use crate::evidence::Evidence;
use crate::levels::{Level, differences, ratio};
use crate::posterior::{Segment, segments_of};
use crate::round::{Kind, Round, groups};
use crate::series::{hump, missing};
use crate::two::{Two, two_changes};

/// Probability at which a place counts as found, and a second change as there.
pub const ENOUGH: f64 = 0.95;
/// Confirmations of one step before the search gives up on it.
const CONFIRMATIONS_MAX: usize = 3;

/// What is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Weight of every position as the first that is bad, before anything was measured. Position 0 is good, its weight is
    /// not used.
    pub weights: Vec<f64>,
    /// So many evenly spaced positions are measured before the search.
    pub series: usize,
    /// False after a round that did not show a difference of the ends.
    pub ends_differ: bool,
}

impl Problem {
    /// Positions that are all equally probable.
    pub fn uniform(positions: usize) -> Self {
        Self { weights: vec![1.0; positions], series: 0, ends_differ: true }
    }

    /// The bad end.
    pub fn last(&self) -> usize {
        self.weights.len() - 1
    }
}

/// What is known so far.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The good end of what is searched: position 0 unless there are several changes.
    pub low: usize,
    /// The bad end.
    pub high: usize,
    /// Where the step may be.
    pub segments: Vec<Segment>,
    /// Segments outside that hold another change.
    pub others: Vec<Segment>,
}

impl View {
    /// The most probable segment.
    pub fn top(&self) -> Segment {
        let whole = Segment { after: self.low, until: self.high, prior: 1.0, mass: 1.0 };
        self.segments.iter().copied().max_by(|a, b| a.mass.total_cmp(&b.mass)).unwrap_or(whole)
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Measure these positions side by side, the first as the base.
    Measure {
        /// What for.
        kind: Kind,
        /// Ascending.
        positions: Vec<usize>,
    },
    /// The step is found, and its neighbours differ in fresh sessions.
    Found(Found),
    /// The step seems found, but its neighbours do not differ in fresh sessions.
    Unconfirmed(Found),
    /// The ends do not differ, and nothing between them is known to.
    Same,
}

/// Where the step is: after a position, and at the latest at another. Positions between them could not be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The last that is good.
    pub after: usize,
    /// The first that is bad.
    pub until: usize,
    /// Speed of `until` relative to `after`, from the confirmations.
    pub ratio: Level,
    /// Probability.
    pub mass: f64,
}

/// What is known from these rounds. A range with several changes is narrowed to the largest that goes in the direction of
/// the whole, or, where what lies between the ends is repaired, to the change before the repair.
pub fn view(problem: &Problem, rounds: &[Round]) -> View {
    let (mut low, mut high, mut others) = (0, problem.last(), Vec::new());
    if let Some((until, rest)) = hump(problem, rounds) {
        high = until;
        others.push(rest);
    }
    loop {
        let evidence = Evidence::new(groups(rounds, low, high));
        let segments = segments_of(&evidence, &problem.weights, low, high);
        match two_changes(&evidence, &segments).filter(|two| two.mass >= ENOUGH) {
            Some(two) if two.is_repaired() || first_is_larger(rounds, low, high, &two) => {
                high = two.first.until;
                others.push(two.second);
            }
            Some(two) => {
                low = two.second.after;
                others.push(two.first);
            }
            None => return View { low, high, segments, others },
        }
    }
}

/// Whether the first of two changes goes farther than the second in the direction of both together.
fn first_is_larger(rounds: &[Round], low: usize, high: usize, two: &Two) -> bool {
    let jump = |from: usize, to: usize| ratio(&differences(rounds, to, from)).map(|found| found.ratio.ln());
    match (jump(low, two.first.until), jump(two.second.after, high)) {
        (Some(first), Some(second)) if first + second < 0.0 => first <= second,
        (Some(first), Some(second)) => first >= second,
        _ => two.first_is_larger(),
    }
}

/// What to do after these rounds; `broken` positions do not build or start.
pub fn next(problem: &Problem, rounds: &[Round], broken: &BTreeSet<usize>) -> Next {
    if rounds.is_empty() {
        return Next::Measure { kind: Kind::Ends, positions: vec![0, problem.last()] };
    }
    if let Some(missing) = missing(problem, rounds, broken) {
        return missing;
    }
    if !problem.ends_differ && hump(problem, rounds).is_none() {
        return Next::Same;
    }
    let view = view(problem, rounds);
    let top = view.top();
    let is_narrow = (top.after + 1..top.until).all(|position| broken.contains(&position));
    if top.mass >= ENOUGH && is_narrow {
        return confirmed(&view, top, rounds);
    }
    match choose(&view.segments, &problem.weights, broken) {
        Some(position) => measure(Kind::Candidate, &[view.low, position, view.high]),
        None => confirmed(&view, top, rounds),
    }
}

/// Rounds that are probably left: one for each bit that is not known, and the confirmation.
pub fn rounds_left(problem: &Problem, view: &View) -> u32 {
    let bits = |one: &Segment| {
        let inside = &problem.weights[one.after + 1..=one.until];
        let total: f64 = inside.iter().sum();
        let each = inside.iter().map(|weight| one.mass * weight / total).filter(|mass| *mass > 0.0);
        each.map(|mass| -mass * mass.log2()).sum::<f64>()
    };
    1 + view.segments.iter().map(bits).sum::<f64>().round() as u32
}

fn confirmed(view: &View, top: Segment, rounds: &[Round]) -> Next {
    let ours = |round: &&Round| round.kind == Kind::Confirm && round.has(top.after) && round.has(top.until);
    let confirmations: Vec<&Round> = rounds.iter().filter(ours).collect();
    let again = measure(Kind::Confirm, &[view.low, top.after, top.until, view.high]);
    let logs = differences(confirmations.iter().copied(), top.until, top.after);
    let Some(ratio) = ratio(&logs) else { return again };
    let found = Found { after: top.after, until: top.until, ratio, mass: top.mass };
    match ratio.ci95 {
        Some([low, high]) if low > 1.0 || high < 1.0 => Next::Found(found),
        _ if confirmations.len() < CONFIRMATIONS_MAX => again,
        _ => Next::Unconfirmed(found),
    }
}

/// The positions in order, each once.
fn measure(kind: Kind, positions: &[usize]) -> Next {
    let mut positions = positions.to_vec();
    positions.dedup();
    Next::Measure { kind, positions }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testkit::{Draws, World};

    /// Searches to the end; what was found, and the positions that were built.
    fn search(world: &World, sd: f64, broken: &[usize], seed: u64) -> (Next, BTreeSet<usize>) {
        let (found, rounds) = searched(world, sd, broken, seed);
        let positions = rounds.iter().flat_map(|round| round.sessions.iter().flatten());
        (found, positions.map(|(position, _)| *position).collect())
    }

    /// The same with all rounds.
    fn searched(world: &World, sd: f64, broken: &[usize], seed: u64) -> (Next, Vec<Round>) {
        let problem = Problem::uniform(world.levels.len());
        let (mut draws, mut rounds, mut failed) = (Draws(seed), Vec::new(), BTreeSet::new());
        for _ in 0..60 {
            let Next::Measure { kind, positions } = next(&problem, &rounds, &failed) else { break };
            match positions.iter().find(|position| broken.contains(position)) {
                Some(position) => drop(failed.insert(*position)),
                None => rounds.push(world.round(kind, &positions, sd, &mut draws)),
            }
        }
        (next(&problem, &rounds, &failed), rounds)
    }

    fn place(next: &Next) -> Option<(usize, usize)> {
        match next {
            Next::Found(found) => Some((found.after, found.until)),
            _ => None,
        }
    }

    #[test]
    fn finds_a_step_and_its_size() {
        let (found, built) = search(&World::step(128, 77, 0.02), 0.003, &[], 1);
        assert_eq!(place(&found), Some((76, 77)), "{found:?}");
        let Next::Found(found) = found else { panic!("{found:?}") };
        assert!((found.ratio.ratio - 0.02f64.exp()).abs() < 0.005 && found.mass > ENOUGH, "{found:?}");
        assert!(built.len() <= 11, "{built:?}");
    }

    #[test]
    fn neighbours_are_confirmed_too() {
        let problem = Problem::uniform(2);
        let world = World::step(1, 1, -0.02);
        let ends = world.round(Kind::Ends, &[0, 1], 0.003, &mut Draws(1));
        let asked = next(&problem, &[ends], &BTreeSet::new());
        assert_eq!(asked, Next::Measure { kind: Kind::Confirm, positions: vec![0, 1] });
        assert_eq!(place(&search(&world, 0.003, &[], 1).0), Some((0, 1)));
    }

    #[test]
    fn what_does_not_build_is_named_with_the_step() {
        let (found, _) = search(&World::step(16, 7, 0.02), 0.003, &[6, 7, 8], 1);
        assert_eq!(place(&found), Some((5, 9)), "{found:?}");
        let everything: Vec<usize> = (1..16).collect();
        assert_eq!(place(&search(&World::step(16, 7, 0.02), 0.003, &everything, 1).0), Some((0, 16)));
    }

    #[test]
    fn of_two_changes_the_larger_is_found_and_the_other_told() {
        let world = World::stairs(64, &[(10, 0.02), (50, 0.03)]);
        let problem = Problem::uniform(65);
        let (mut draws, mut rounds) = (Draws(3), Vec::new());
        while let Next::Measure { kind, positions } = next(&problem, &rounds, &BTreeSet::new()) {
            rounds.push(world.round(kind, &positions, 0.003, &mut draws));
        }
        assert_eq!(place(&next(&problem, &rounds, &BTreeSet::new())), Some((49, 50)));
        let found = view(&problem, &rounds);
        assert!(found.others.len() == 1 && found.others[0].after < 10 && found.others[0].until >= 10);
    }

    /// What lies between the ends is many times their difference: the change is found, and its repair told.
    #[test]
    fn a_change_and_its_repair_are_found_where_the_ends_differ_by_little() {
        for (down, up) in [(-0.4, 0.44), (-0.4, 0.38), (0.2, -0.21)] {
            let world = World::stairs(64, &[(20, down), (45, up)]);
            let (found, rounds) = searched(&world, 0.003, &[], 2);
            assert_eq!(place(&found), Some((19, 20)), "{down} {up}: {found:?}");
            let Next::Found(found) = found else { panic!("{found:?}") };
            assert!((found.ratio.ratio.ln() - down).abs() < 0.005, "{found:?}");
            let others = view(&Problem::uniform(65), &rounds).others;
            assert!(others.len() == 1 && others[0].after < 45 && others[0].until >= 45, "{others:?}");
        }
    }

    #[test]
    fn each_bit_is_a_round() {
        let problem = Problem::uniform(17);
        assert_eq!(rounds_left(&problem, &view(&problem, &[])), 1 + 4);
        let known = World::step(1, 1, 0.02).round(Kind::Ends, &[0, 1], 0.003, &mut Draws(1));
        assert_eq!(rounds_left(&Problem::uniform(2), &view(&Problem::uniform(2), &[known])), 1);
    }

    #[test]
    fn equal_neighbours_are_not_confirmed() {
        let problem = Problem::uniform(2);
        let world = World::step(1, 1, 0.0);
        let mut draws = Draws(4);
        let mut rounds = vec![world.round(Kind::Ends, &[0, 1], 0.003, &mut draws)];
        rounds.extend((0..3).map(|_| world.round(Kind::Confirm, &[0, 1], 0.003, &mut draws)));
        assert!(matches!(next(&problem, &rounds, &BTreeSet::new()), Next::Unconfirmed(_)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Without noise the step is always found, and only the way to it is built.
        #[test]
        fn without_noise_it_is_bisection(until in 1_usize..200, place_of in 0.0..1.0_f64, down: bool) {
            let step = 1 + (place_of * until as f64) as usize;
            let world = World::step(until, step, if down { -0.02 } else { 0.02 });
            let (found, built) = search(&world, 0.0, &[], 1);
            prop_assert_eq!(place(&found), Some((step - 1, step)));
            prop_assert!(built.len() as f64 <= (until as f64).log2().ceil() + 3.0, "{:?}", built);
        }

        /// The same rounds give the same next step: a search goes on after an interruption as if there had been none.
        #[test]
        fn a_position_to_measure_is_whole(until in 2_usize..64, broken in prop::collection::btree_set(1_usize..64, 0..40)) {
            let world = World::step(until, until, 0.02);
            let ends = world.round(Kind::Ends, &[0, until], 0.003, &mut Draws(1));
            match next(&Problem::uniform(until + 1), &[ends], &broken) {
                Next::Measure { positions, .. } => {
                    prop_assert!(positions.iter().all(|one| *one <= until));
                    prop_assert!(!positions.iter().any(|one| *one != until && broken.contains(one)));
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
