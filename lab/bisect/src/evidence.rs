//! How well a shape of levels explains what was measured.
//!
//! The model: in a session, the level of a position is Δ · x + noise, where x is 0 before the step and 1 from it on. The
//! noise is normal with an unknown spread s in each session, and a further part with the variance ρ · s² that all sessions
//! of a round share: the luck of the hour, and a release that is itself a little off. Neither Δ nor s nor ρ is known, so
//! the likelihood is averaged over them: Δ flat, 1/s (a scale), ρ from a short list. The averages over Δ and s have closed
//! forms, and what is left is a likelihood with the tails of Student's t, with as many degrees of freedom as were measured.
//!
//! ```text
//!   ∫∫ likelihood dΔ ds/s  ∝  Π w^(k-1)/2 · C^-1/2 · (W + A - B²/C)^-(N-1)/2
//!
//!   w = 1 / (1/sessions + ρ)   weight of a round's k means        W  squares within rounds
//!   A = Σ w z·z, B = Σ w z·x, C = Σ w x·x                         z, x  means and shape, centred in their round
//! ```

use std::collections::BTreeSet;

use crate::round::Group;

/// Variances that sessions of one round share, in units of the variance of one session. Runs of an hour apart differed by
/// none to about the spread of a session (docs/host-effects.md); each has the same weight.
const SHARED: [f64; 4] = [0.0, 0.1, 0.3, 1.0];

/// A spread that no clock undercuts, as one observation: a virtual clock has none at all.
const SPREAD_MIN: f64 = 1e-4;
/// Below it, a centred square is what rounding leaves of none.
const FLAT: f64 = 1e-9;

/// Groups, with the sums that do not depend on a shape.
pub(crate) struct Evidence {
    groups: Vec<Group>,
    /// For each of [`SHARED`].
    sums: [Sums; SHARED.len()],
    /// Values that were measured, less those that means and Δ use up.
    freedom: f64,
}

/// What one ρ makes of the groups.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// w of each group.
    weights: Vec<f64>,
    /// Ln of Π w^(k-1)/2.
    log_weight: f64,
    /// W + A.
    squares: f64,
}

impl Evidence {
    /// Of these groups.
    pub fn new(groups: Vec<Group>) -> Self {
        let values: f64 = groups.iter().map(|group| free(group) * group.count).sum();
        // One value more for the least spread, one less for Δ.
        Self { sums: SHARED.map(|shared| Sums::of(&groups, shared)), freedom: values, groups }
    }

    /// Measured positions, ascending.
    pub fn positions(&self) -> BTreeSet<usize> {
        self.groups.iter().flat_map(|group| group.positions.iter().copied()).collect()
    }

    /// Ln of the likelihood if position p has the level Δ · shape(p), averaged over Δ and all spreads.
    pub fn log(&self, shape: impl Fn(usize) -> f64) -> f64 {
        self.pair(shape, |_| 0.0).log([1.0, 0.0])
    }

    /// Two shapes, for the likelihoods of their sums.
    pub fn pair(&self, first: impl Fn(usize) -> f64, second: impl Fn(usize) -> f64) -> Pair<'_> {
        let mut products = [Products::default(); SHARED.len()];
        for (number, group) in self.groups.iter().enumerate() {
            let own = Products::of(group, &first, &second);
            for (all, sums) in products.iter_mut().zip(&self.sums) {
                all.add(&own, sums.weights[number]);
            }
        }
        Pair { evidence: self, products }
    }
}

/// Two shapes and what they have in common with what was measured.
pub(crate) struct Pair<'e> {
    evidence: &'e Evidence,
    /// For each of [`SHARED`].
    products: [Products; SHARED.len()],
}

impl Pair<'_> {
    /// As `Evidence::log`, for the shape that is the sum of so much of the first and so much of the second.
    pub fn log(&self, [first, second]: [f64; 2]) -> f64 {
        let mut logs = [0.0; SHARED.len()];
        for ((log, sums), products) in logs.iter_mut().zip(&self.evidence.sums).zip(&self.products) {
            let [z_first, z_second] = products.z;
            let [squared, both, second_squared] = products.x;
            let b = first * z_first + second * z_second;
            let c = first * first * squared + 2.0 * first * second * both + second * second * second_squared;
            // A shape that is flat wherever something was measured explains nothing.
            let (explained, flat) = if c > FLAT { (b * b / c, 0.5 * c.ln()) } else { (0.0, 0.0) };
            let left = SPREAD_MIN * SPREAD_MIN + (sums.squares - explained).max(0.0);
            *log = sums.log_weight - flat - 0.5 * self.evidence.freedom * left.ln();
        }
        log_sum(&logs) - (SHARED.len() as f64).ln()
    }
}

/// Products of two shapes x and y with the means z, and with each other, all centred.
#[derive(Clone, Copy, Debug, Default)]
struct Products {
    /// z·x and z·y.
    z: [f64; 2],
    /// x·x, x·y and y·y.
    x: [f64; 3],
}

impl Products {
    /// Of one group; z is centred, so that only products of shapes need their means.
    fn of(group: &Group, first: &impl Fn(usize) -> f64, second: &impl Fn(usize) -> f64) -> Self {
        let (mut all, mut sums) = (Self::default(), [0.0; 2]);
        for (position, mean) in group.positions.iter().zip(&group.means) {
            let (x, y) = (first(*position), second(*position));
            all.add(&Self { z: [mean * x, mean * y], x: [x * x, x * y, y * y] }, 1.0);
            sums = [sums[0] + x, sums[1] + y];
        }
        let [x, y] = sums;
        all.add(&Self { z: [0.0; 2], x: [x * x, x * y, y * y] }, -1.0 / group.positions.len() as f64);
        all
    }

    fn add(&mut self, other: &Self, weight: f64) {
        self.z.iter_mut().zip(other.z).for_each(|(sum, one)| *sum += weight * one);
        self.x.iter_mut().zip(other.x).for_each(|(sum, one)| *sum += weight * one);
    }
}

impl Sums {
    fn of(groups: &[Group], shared: f64) -> Self {
        let mut sums = Self::default();
        for group in groups {
            let weight = 1.0 / (1.0 / group.count + shared);
            let means: f64 = group.means.iter().map(|mean| mean * mean).sum();
            sums.log_weight += 0.5 * free(group) * weight.ln();
            sums.squares += group.within + weight * means;
            sums.weights.push(weight);
        }
        sums
    }
}

/// Levels of a session that its own height leaves free.
fn free(group: &Group) -> f64 {
    group.positions.len() as f64 - 1.0
}

/// Ln of a sum of exponentials.
pub(crate) fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::{centred, groups};
    use crate::testkit::{World, rounds_at};

    #[test]
    fn the_true_side_explains_more() {
        let world = World::step(8, 5, 0.02);
        let rounds = rounds_at(&world, 0.003, &[3], 1);
        let evidence = Evidence::new(groups(&rounds, 0, 8));
        let at = |step: usize| evidence.log(|position| f64::from(u8::from(position >= step)));
        assert!(at(5) > at(2) + 10.0, "{} {}", at(5), at(2));
        assert_eq!(at(4), at(8), "nothing was measured between them");
    }

    /// Four values in two sessions: the integrals over Δ and ln s, by a sum over a fine grid.
    #[test]
    fn the_closed_form_is_the_integral() {
        let session = |at: f64| vec![(0, 0.0), (1, at), (2, 0.9)];
        let round = crate::Round { kind: crate::Kind::Candidate, sessions: vec![session(0.1), session(0.3)] };
        let groups = groups(&[round], 0, 2);
        let log_integral = |shape: &dyn Fn(usize) -> f64| {
            let x = centred(groups[0].positions.iter().map(|position| shape(*position)).collect());
            let mut sum = 0.0;
            for ln_s in (0..800).map(|step| -6.0 + 0.015 * f64::from(step)) {
                for delta in (0..800).map(|step| -20.0 + 0.05 * f64::from(step)) {
                    let s2 = (2.0_f64 * ln_s).exp();
                    let left = |(z, x): (&f64, &f64)| (z - delta * x).powi(2);
                    let means: f64 = groups[0].means.iter().zip(&x).map(left).sum();
                    let squares = groups[0].within + means * groups[0].count + SPREAD_MIN * SPREAD_MIN;
                    sum += (-0.5 * squares / s2).exp() * s2.powf(-2.5);
                }
            }
            sum.ln()
        };
        let shapes: [fn(usize) -> f64; 2] =
            [|position| f64::from(u8::from(position >= 1)), |position| f64::from(u8::from(position >= 2))];
        let closed = shapes.map(|shape| Evidence::new(groups.clone()).log_without_shared(shape));
        let summed = shapes.map(|shape| log_integral(&shape));
        assert!(((closed[0] - closed[1]) - (summed[0] - summed[1])).abs() < 0.02, "{closed:?} {summed:?}");
    }

    impl Evidence {
        fn log_without_shared(mut self, shape: fn(usize) -> f64) -> f64 {
            self.sums = [(); SHARED.len()].map(|()| Sums::of(&self.groups, 0.0));
            self.log(shape)
        }
    }

    #[test]
    fn sums_of_logs_do_not_overflow() {
        assert!((log_sum(&[-1e4, -1e4]) - (2f64.ln() - 1e4)).abs() < 1e-9);
        assert_eq!(log_sum(&[f64::NEG_INFINITY]), f64::NEG_INFINITY);
    }
}
