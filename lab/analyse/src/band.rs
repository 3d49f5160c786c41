//! The band ±δ of changes that do not matter.

use humdrum_model::Design;

/// Changes that do not matter, as ln ratios: from ln(1 - δ) to ln(1 + δ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Band {
    /// The fraction.
    pub delta: f64,
    /// Half-width that is narrow enough: the plan's; for tests that write, wider by the same factor as their
    /// δ.
    pub target_half_width: f64,
    /// ln(1 - δ).
    pub low: f64,
    /// ln(1 + δ).
    pub high: f64,
}

impl Band {
    /// δ of a test, raised by the A/A excess of the host (ln units), so that an error that intervals do not
    /// contain does not become a verdict.
    pub fn new(design: &Design, writes: bool, excess: Option<f64>) -> Self {
        let wanted = if writes { design.delta_writes } else { design.delta };
        let delta = wanted.max(excess.map_or(0.0, f64::exp_m1));
        Self::of(delta, design.target_half_width * wanted / design.delta)
    }

    /// The band of a given δ.
    pub fn of(delta: f64, target_half_width: f64) -> Self {
        let delta = delta.clamp(0.0, 0.999);
        Self { delta, target_half_width, low: (1.0 - delta).ln(), high: (1.0 + delta).ln() }
    }

    /// The whole interval lies inside: equivalence shown.
    pub fn holds(&self, mean: f64, half: f64) -> bool {
        mean - half > self.low && mean + half < self.high
    }

    /// The whole interval lies below: slower by more than δ.
    pub fn is_slower(&self, mean: f64, half: f64) -> bool {
        mean + half < self.low
    }

    /// The whole interval lies above: faster by more than δ.
    pub fn is_faster(&self, mean: f64, half: f64) -> bool {
        mean - half > self.high
    }

    /// The whole interval lies on one side.
    pub fn is_beyond(&self, mean: f64, half: f64) -> bool {
        self.is_slower(mean, half) || self.is_faster(mean, half)
    }

    /// ln distance from `mean` to the nearest edge: the half-width that would just decide.
    pub fn distance(&self, mean: f64) -> f64 {
        (mean - self.low).abs().min((mean - self.high).abs())
    }

    /// The largest half-width with which anything can be boring.
    pub fn widest(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::design;
    use proptest::prelude::*;

    #[test]
    fn writes_need_not_be_known_more_narrowly_than_they_matter() {
        let target = |writes| Band::new(&design(3, 9), writes, None).target_half_width;
        assert_eq!((target(false), target(true)), (0.005, 0.01));
    }

    #[test]
    fn unexplained_error_raises_delta() {
        let raised = Band::new(&design(3, 9), false, Some(0.02));
        assert!((raised.delta - 0.0202).abs() < 1e-4);
        assert_eq!(Band::new(&design(3, 9), true, Some(0.005)).delta, 0.02);
    }

    proptest! {
        #[test]
        fn boring_and_difference_exclude_each_other(mean in -0.1..0.1f64, half in 0.0..0.1f64) {
            let band = Band::new(&design(3, 9), false, None);
            prop_assert!(!(band.holds(mean, half) && band.is_beyond(mean, half)));
            prop_assert!(!(band.is_slower(mean, half) && band.is_faster(mean, half)));
        }
    }
}
