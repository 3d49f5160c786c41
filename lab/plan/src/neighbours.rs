//! Which subjects share a session. Servers that are up side by side disturb each other where they have work of their own:
//! after writes, and in stores of keys and values. A server that is stopped in place sees time jump when it is woken, and
//! does at once what its timers have put off. The more subjects there are, the longer each of them is stopped. So each
//! session of such a plan has the base and two others: an incomplete block design.
//!
//! ```text
//!   session 0   base 3 1      the others are dealt from a shuffled pack, a new one when it is used up:
//!   session 1   base 4 2        3 1 │ 4 2 │ 5   4 │ 2 1 │ 5 3 │ …
//!   session 2   base 5 4                     ▲ the second pack begins; had it begun with 5, its first two would change places
//! ```

use humdrum_model::{Incomplete, Interface, TestInfo, Timings};

use crate::order::{cell_seed, shuffle};

/// Subjects of a session beside the base. One more would be stopped for three quarters of the time.
const OTHERS: usize = 2;

/// How the subjects of a plan are spread over sessions; `timings` are theirs, in order. `None` where every session has all
/// of them: there are at most three, or the tests only read, and an idle server has nothing to do.
pub(crate) fn incomplete(
    interface: Interface,
    tests: &[TestInfo],
    timings: &[Timings],
) -> Option<Incomplete> {
    let has_own_work = interface == Interface::Kv || tests.iter().any(|test| test.writes);
    let (base, others) = timings.split_first()?;
    if !has_own_work || others.len() <= OTHERS {
        return None;
    }
    let share = OTHERS as f64 / others.len() as f64;
    let others: Timings = others.iter().copied().sum();
    Some(Incomplete {
        subjects: 1 + OTHERS as u32,
        of: timings.len() as u32,
        timings: [*base, others.times(share)].into_iter().sum(),
    })
}

/// The subjects of a session, in order. The base, 0, is in all sessions. At any time, every other subject has been in as
/// many sessions as any other one, give or take one.
pub fn neighbours(seed: u64, incomplete: &Incomplete, session: u32) -> Vec<usize> {
    let others = incomplete.of.saturating_sub(1) as usize;
    if others <= OTHERS {
        return (0..=others).collect();
    }
    let first = session as usize * OTHERS;
    let dealt = (first..first + OTHERS).map(|card| pack(seed, others, card / others)[card % others]);
    let mut chosen: Vec<usize> = std::iter::once(0).chain(dealt).collect();
    chosen.sort_unstable();
    chosen
}

/// One pack: every other subject once.
fn pack(seed: u64, others: usize, number: usize) -> Vec<usize> {
    let mut cards: Vec<usize> = (1..=others).collect();
    shuffle(&mut cards, cell_seed(seed, "neighbours", number as u32));
    // The first card shares a session with the last one of the pack before, which began with a whole session.
    let shares = !(number * others).is_multiple_of(OTHERS);
    if shares && pack(seed, others, number - 1).last() == cards.first() {
        cards.swap(0, 1);
    }
    cards
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use humdrum_model::Phase;
    use proptest::prelude::*;

    use super::*;

    fn of(subjects: u32) -> Incomplete {
        Incomplete { subjects: 3, of: subjects, timings: Timings::NONE }
    }

    fn test(writes: bool) -> TestInfo {
        TestInfo {
            name: "t".into(),
            group: "g".into(),
            operation: "one".into(),
            statements: 1,
            writes,
            long: false,
            phase: Phase::Aged,
            ..TestInfo::default()
        }
    }

    #[test]
    fn only_many_subjects_with_work_of_their_own_are_spread() {
        let spread = |interface, writes: &[bool], subjects| {
            let tests: Vec<TestInfo> = writes.iter().map(|writes| test(*writes)).collect();
            incomplete(interface, &tests, &vec![Timings::before_they_were_told(); subjects])
        };
        assert_eq!(spread(Interface::Sql, &[false, false], 11), None);
        assert_eq!(spread(Interface::Sql, &[false, true], 3), None);
        let eleven = spread(Interface::Sql, &[false, true], 11).expect("they are spread");
        assert_eq!((eleven.subjects, eleven.of), (3, 11));
        assert!((eleven.timings.restart_seconds - 3.0).abs() < 1e-9, "{eleven:?}");
        assert!(spread(Interface::Kv, &[false], 4).is_some());
    }

    #[test]
    fn all_meet_now_and_then() {
        let met: BTreeSet<(usize, usize)> = (0..400)
            .map(|session| neighbours(1, &of(11), session))
            .map(|subjects| (subjects[1], subjects[2]))
            .collect();
        assert_eq!(met.len(), 10 * 9 / 2);
    }

    #[test]
    fn seeds_differ() {
        let first = |seed| (0..10).map(|session| neighbours(seed, &of(11), session)).collect::<Vec<_>>();
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }

    proptest! {
        #[test]
        fn the_base_and_two_others(seed: u64, subjects in 4_u32..17, session in 0_u32..1000) {
            let found = neighbours(seed, &of(subjects), session);
            prop_assert_eq!((found.len(), found[0]), (3, 0));
            prop_assert!(found[1] < found[2] && found[2] < subjects as usize, "{:?}", found);
        }

        #[test]
        fn balanced_at_any_time(seed: u64, subjects in 4_u32..17) {
            let mut counts = vec![0_u32; subjects as usize];
            for session in 0..120 {
                neighbours(seed, &of(subjects), session).into_iter().for_each(|subject| counts[subject] += 1);
                let others = &counts[1..];
                let (least, most) = (others.iter().min(), others.iter().max());
                prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{:?}", counts);
            }
        }
    }
}
