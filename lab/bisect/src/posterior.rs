//! Where the step probably is.
//!
//! ```text
//!   positions   0 · · · 4 · 6 · · · · · 12       measured: 0 4 6 12
//!   segments    (  0…4  ](4…6](   6…12   ]       the step may be at any position of a segment: no measurement tells them apart
//! ```

use crate::evidence::{Evidence, log_sum};
use crate::round::{Round, groups};

/// Positions between two neighbouring measured ones, and the probability that one of them is the first that is bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The last position before them, measured.
    pub after: usize,
    /// The last of them, measured.
    pub until: usize,
    /// Prior probability.
    pub prior: f64,
    /// Probability.
    pub mass: f64,
}

/// The segments of a range with one step. `weights` are those of all positions before anything was measured.
pub fn segments(rounds: &[Round], weights: &[f64], low: usize, high: usize) -> Vec<Segment> {
    segments_of(&Evidence::new(groups(rounds, low, high)), weights, low, high)
}

pub(crate) fn segments_of(evidence: &Evidence, weights: &[f64], low: usize, high: usize) -> Vec<Segment> {
    let edges = edges(evidence, low, high);
    let total: f64 = weights[low + 1..=high].iter().sum();
    let log = |edge: &[usize]| evidence.log(|position| step(position, edge[1]));
    let priors: Vec<f64> =
        edges.windows(2).map(|edge| weights[edge[0] + 1..=edge[1]].iter().sum::<f64>() / total).collect();
    let logs: Vec<f64> = edges.windows(2).zip(&priors).map(|(edge, prior)| prior.ln() + log(edge)).collect();
    let all = log_sum(&logs);
    let segment = |(edge, (log, prior)): (&[usize], (&f64, &f64))| Segment {
        after: edge[0],
        until: edge[1],
        prior: *prior,
        mass: (log - all).exp(),
    };
    edges.windows(2).zip(logs.iter().zip(&priors)).map(segment).collect()
}

/// Measured positions, both ends included.
fn edges(evidence: &Evidence, low: usize, high: usize) -> Vec<usize> {
    let mut edges = evidence.positions();
    edges.extend([low, high]);
    edges.into_iter().collect()
}

/// The level of a position beside a step of 1.
pub(crate) fn step(position: usize, first_bad: usize) -> f64 {
    f64::from(u8::from(position >= first_bad))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testkit::{World, rounds_at};

    #[test]
    fn before_any_round_it_is_the_prior() {
        let found = segments(&[], &[0.0, 1.0, 1.0, 2.0], 0, 3);
        assert_eq!(found, [Segment { after: 0, until: 3, prior: 1.0, mass: 1.0 }]);
    }

    #[test]
    fn a_step_is_where_it_is() {
        let rounds = rounds_at(&World::step(16, 11, 0.02), 0.003, &[8, 12], 3);
        let found = segments(&rounds, &[1.0; 17], 0, 16);
        assert_eq!(found.len(), 3);
        assert!(found[1].mass > 0.99 && (found[1].after, found[1].until) == (8, 12), "{found:?}");
    }

    proptest! {
        #[test]
        fn masses_add_up_and_cover_the_range(
            at in prop::collection::vec(1_usize..32, 0..6), step in 1_usize..=32, seed: u64,
        ) {
            let rounds = rounds_at(&World::step(32, step, 0.02), 0.01, &at, seed);
            let found = segments(&rounds, &[1.0; 33], 0, 32);
            prop_assert!((found.iter().map(|one| one.mass).sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!((found.iter().map(|one| one.prior).sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(found.windows(2).all(|two| two[0].until == two[1].after));
        }

        /// Only differences within a session count: the host's mood does not.
        #[test]
        fn a_session_may_have_any_height(height in -10.0..10.0_f64, seed: u64) {
            let rounds = rounds_at(&World::step(32, 20, 0.02), 0.003, &[16, 24], seed);
            let mut higher = rounds.clone();
            for (number, session) in higher.iter_mut().flat_map(|round| &mut round.sessions).enumerate() {
                session.iter_mut().for_each(|(_, level)| *level += height * number as f64);
            }
            let [before, after] = [&rounds, &higher].map(|rounds| segments(rounds, &[1.0; 33], 0, 32));
            prop_assert!(before.iter().zip(&after).all(|(a, b)| (a.mass - b.mass).abs() < 1e-6));
        }
    }
}
