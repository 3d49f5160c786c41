//! Whole searches of made-up histories.

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
fn a_round_that_the_host_disturbed_is_measured_again_and_skips_nothing() {
    let world = World::step(16, 7, 0.02);
    let (problem, mut draws) = (Problem::uniform(17), Draws(1));
    let nothing = |kind| Round { kind, sessions: Vec::new() };
    let mut rounds = vec![nothing(Kind::Ends)];
    let mut disturbed = 0;
    while let Next::Measure { kind, positions } = next(&problem, &rounds, &BTreeSet::new()) {
        let undisturbed = world.round(kind, &positions, 0.003, &mut draws);
        if rounds.len().is_multiple_of(2) {
            disturbed += 1;
            rounds.push(nothing(kind));
        } else {
            rounds.push(undisturbed);
        }
    }
    assert!(disturbed > 3, "{disturbed}");
    assert_eq!(place(&next(&problem, &rounds, &BTreeSet::new())), Some((6, 7)));
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
    assert_eq!(rounds_left(&problem, &view(&problem, &[]), &[]), 1 + 4);
    let known = World::step(1, 1, 0.02).round(Kind::Ends, &[0, 1], 0.003, &mut Draws(1));
    let two = Problem::uniform(2);
    let seen = view(&two, &[known]);
    assert_eq!(rounds_left(&two, &seen, &[]), 1);
    let confirmed = Round { kind: Kind::Confirm, sessions: Vec::new() };
    let several = Problem { confirmations: 4, ..two };
    assert_eq!(rounds_left(&several, &seen, &[confirmed]), 3);
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

#[test]
fn several_confirmations_are_judged_by_the_spread_between_them() {
    let problem = Problem { confirmations: 4, ..Problem::uniform(2) };
    let world = World::step(1, 1, -0.02);
    let (mut draws, mut rounds) = (Draws(5), vec![world.round(Kind::Ends, &[0, 1], 0.003, &mut Draws(1))]);
    while let Next::Measure { kind, positions } = next(&problem, &rounds, &BTreeSet::new()) {
        assert_eq!((kind, &positions[..]), (Kind::Confirm, &[0, 1][..]));
        rounds.push(world.round(kind, &positions, 0.003, &mut draws));
    }
    assert_eq!(rounds.len(), 1 + 4);
    let Next::Found(found) = next(&problem, &rounds, &BTreeSet::new()) else { panic!("not found") };
    let means: Vec<f64> = rounds[1..]
        .iter()
        .map(|round| {
            let logs = differences([round], 1, 0);
            logs.iter().sum::<f64>() / logs.len() as f64
        })
        .collect();
    assert_eq!(Some(found.ratio), ratio(&means));
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
