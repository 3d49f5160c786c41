//! Two changes in one range: which pair of places explains what was measured, and whether two explain it better than one.
//!
//! ```text
//!   sizes  [0.5, 0.5]       [1, -0.2]          [-0.9, 1]            in units of the largest difference between two levels
//!          0 ─┐             0 ─┐               0 ─┐     ┌─
//!             └─┐              │   ┌─             │     │           a change and its repair: the ends need hardly differ
//!               └─             └───┘              └─────┘
//! ```

use std::sync::LazyLock;

use crate::evidence::{Evidence, log_sum};
use crate::posterior::{Segment, step};

/// Probability, before anything was measured, that the range holds a second change that matters.
const TWO_BEFORE: f64 = 0.1;
/// Sizes of the two, where the ends differ by at least half of the larger one: both in one direction, or one part of the
/// other back.
const STAIRS: [[f64; 2]; 9] = [
    [0.25, 0.75],
    [0.5, 0.5],
    [0.75, 0.25],
    [1.0, -0.2],
    [1.0, -1.0 / 3.0],
    [1.0, -0.5],
    [-0.2, 1.0],
    [-1.0 / 3.0, 1.0],
    [-0.5, 1.0],
];
/// The least difference of the ends beside a change that is repaired, but for none, in units of the change.
const ENDS_MIN: f64 = 0.02;
/// From one such difference to the next: a level that lies between two of them fits to a twentieth of the ends' difference.
const FINER: f64 = 1.1;
/// The smaller of two opposite changes is this part of the larger one, or more: it repairs it.
const REPAIR_MIN: f64 = 0.8;

/// Two changes: the segments that hold them, and their sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Two {
    pub first: Segment,
    pub second: Segment,
    /// In units of the largest difference between two of the three levels.
    pub sizes: [f64; 2],
    /// Probability that there are two changes rather than one.
    pub mass: f64,
}

impl Two {
    /// Whether the second takes back what the first brought: the ends differ by little beside what lies between them.
    pub fn is_repaired(&self) -> bool {
        let [first, second] = self.sizes.map(f64::abs);
        self.sizes[0] * self.sizes[1] < 0.0 && first.min(second) >= REPAIR_MIN * first.max(second)
    }

    /// Whether the first goes farther than the second in the direction of both together.
    pub fn first_is_larger(&self) -> bool {
        let [first, second] = self.sizes;
        if first + second < 0.0 { first <= second } else { first >= second }
    }
}

/// Sizes of two changes, each with its probability if there are two: half for all of [`STAIRS`], half for repairs, evenly over
/// the logarithm of the ends' difference.
fn sizes() -> &'static [([f64; 2], f64)] {
    static SIZES: LazyLock<Vec<([f64; 2], f64)>> = LazyLock::new(|| {
        let ends = std::iter::successors(Some(0.5 / FINER), |ends| Some(ends / FINER));
        let part = |ends: f64| [[1.0, ends - 1.0], [ends - 1.0, 1.0]];
        let mut repairs: Vec<[f64; 2]> = ends.take_while(|ends| *ends >= ENDS_MIN).flat_map(part).collect();
        repairs.push([1.0, -1.0]);
        let half = |all: &[[f64; 2]]| -> Vec<([f64; 2], f64)> {
            all.iter().map(|sizes| (*sizes, 0.5 / all.len() as f64)).collect()
        };
        [half(&STAIRS), half(&repairs)].concat()
    });
    &SIZES
}

/// The most probable pair of changes, with the probability that there are two; `None` if no position between the ends
/// was measured.
pub(crate) fn two_changes(evidence: &Evidence, segments: &[Segment]) -> Option<Two> {
    let one: Vec<f64> = segments
        .iter()
        .map(|one| one.prior.ln() + evidence.log(|position| step(position, one.until)))
        .collect();
    let mut all = Vec::new();
    let mut best: Option<(f64, Two)> = None;
    for (number, first) in segments.iter().enumerate() {
        for second in &segments[number + 1..] {
            let both = evidence
                .pair(|position| step(position, first.until), |position| step(position, second.until));
            // Both orders of the two changes.
            let place = 2.0 * first.prior * second.prior;
            for (sizes, prior) in sizes() {
                let log = (place * prior).ln() + both.log(*sizes);
                all.push(log);
                if best.is_none_or(|(most, _)| log > most) {
                    best = Some((log, Two { first: *first, second: *second, sizes: *sizes, mass: 0.0 }));
                }
            }
        }
    }
    let (_, best) = best?;
    let two = TWO_BEFORE.ln() + log_sum(&all);
    let one = (1.0 - TWO_BEFORE).ln() + log_sum(&one);
    Some(Two { mass: (two - log_sum(&[one, two])).exp(), ..best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posterior::segments_of;
    use crate::round::groups;
    use crate::testkit::{World, rounds_at};

    fn found(world: &World, at: &[usize]) -> Option<Two> {
        let rounds = rounds_at(world, 0.003, at, 5);
        let evidence = Evidence::new(groups(&rounds, 0, 16));
        two_changes(&evidence, &segments_of(&evidence, &[1.0; 17], 0, 16))
    }

    #[test]
    fn a_level_between_is_two_changes_and_noise_is_not() {
        let stairs = found(&World::stairs(16, &[(4, 0.01), (12, 0.01)]), &[8, 6]).unwrap();
        assert!(stairs.mass > 0.95 && stairs.sizes == [0.5, 0.5], "{stairs:?}");
        assert!(!stairs.is_repaired());
        let half_repaired = found(&World::stairs(16, &[(4, -0.03), (12, 0.05)]), &[8]).unwrap();
        assert!(half_repaired.mass > 0.95 && !half_repaired.is_repaired(), "{half_repaired:?}");
        let once = found(&World::step(16, 11, 0.02), &[8, 12]).unwrap();
        assert!(once.mass < 0.1, "{once:?}");
    }

    /// A third less within ends of which the second is faster by 4 %, and the same turned over.
    #[test]
    fn a_change_may_be_many_times_the_difference_of_the_ends() {
        for (down, up) in [(-0.4, 0.44), (0.4, -0.36), (-0.4, 0.36), (-0.4, 0.4), (0.4, -0.403)] {
            let two = found(&World::stairs(16, &[(4, down), (12, up)]), &[8, 2]).unwrap();
            assert!(two.mass > 0.99 && two.is_repaired(), "{down} {up}: {two:?}");
            assert_eq!((two.first.after, two.first.until, two.second.until), (2, 8, 16));
            assert_eq!(two.first_is_larger(), down.abs() > up.abs() || two.sizes == [1.0, -1.0], "{two:?}");
        }
    }

    #[test]
    fn sizes_have_one_unit_and_their_probabilities_add_up() {
        assert!((sizes().iter().map(|(_, prior)| prior).sum::<f64>() - 1.0).abs() < 1e-9);
        for ([first, second], _) in sizes() {
            let largest = first.abs().max(second.abs()).max((first + second).abs());
            assert!((largest - 1.0).abs() < 1e-9, "{first} {second}");
        }
    }

    #[test]
    fn without_a_position_between_there_is_no_second_change() {
        assert!(found(&World::step(16, 11, 0.02), &[]).is_none());
    }
}
