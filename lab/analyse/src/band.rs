//! The band ±δ of changes that do not matter.

use humdrum_model::Design;

/// Changes that do not matter, as ln ratios: from ln(1 - δ) to ln(1 + δ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Band {
    /// The fraction.
    pub delta: f64,
    /// Half-width that is narrow enough: the plan's, and wider for tests that write by as much as their δ is.
    pub target_half_width: f64,
    low: f64,
    high: f64,
}

impl Band {
    /// δ of a test, raised to what the host's A/A run showed beyond its own intervals (ln units): error that the
    /// intervals do not know of must not become a verdict.
    pub fn new(design: &Design, writes: bool, excess: Option<f64>) -> Self {
        let wanted = if writes { design.delta_writes } else { design.delta };
        let delta = wanted.max(excess.map_or(0.0, f64::exp_m1)).clamp(0.0, 0.999);
        let target_half_width = design.target_half_width * wanted / design.delta;
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
}
