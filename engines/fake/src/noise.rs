//! Random noise without state: every factor is a pure function of the subject and its work, so that a resumed
//! run measures the same as an uninterrupted one.

use humdrum_contract::Param;
use humdrum_model::{FNV1A, fnv1a};

/// A hash of everything that may differ between two operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u64);

impl Key {
    /// Of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self(fnv1a(FNV1A, text.as_bytes()))
    }

    /// This and that.
    #[must_use]
    pub(crate) fn and(self, other: u64) -> Self {
        Self(mix(self.0 ^ mix(other)))
    }

    /// This and a statement's parameters.
    #[must_use]
    pub(crate) fn and_params(self, params: &[Param<'_>]) -> Self {
        params.iter().fold(self, |key, param| match param {
            Param::Int(number) => key.and(u64::from(number.cast_unsigned())),
            Param::Long(number) => key.and(number.cast_unsigned()),
            Param::Bool(value) => key.and(u64::from(*value)),
            Param::Text(text) => key.and(Self::of(text).0),
            Param::Null => key,
        })
    }

    /// As a number.
    pub(crate) fn number(self) -> u64 {
        mix(self.0)
    }

    /// Uniform in (0, 1).
    fn uniform(self, draw: u64) -> f64 {
        ((self.and(draw).number() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// A factor around 1 with a normal spread of `sd`.
    pub(crate) fn normal_factor(self, sd: f64) -> f64 {
        if sd == 0.0 {
            return 1.0;
        }
        let radius = (-2.0 * self.uniform(1).ln()).sqrt();
        (sd * radius * (std::f64::consts::TAU * self.uniform(2)).cos()).exp()
    }

    /// A factor around 1 with the spread of real operations: Laplace, and one in 500 is far slower.
    pub(crate) fn heavy_factor(self, spread: f64) -> f64 {
        if spread == 0.0 {
            return 1.0;
        }
        let centred = self.uniform(3) - 0.5;
        let laplace = -(1.0 - 2.0 * centred.abs()).ln() * centred.signum() / std::f64::consts::SQRT_2;
        let tail = if self.uniform(4) < 0.002 { 1.0 + 20.0 * spread } else { 1.0 };
        // Bounded: with an outrageous spread a single operation must not outlast every timeout.
        (spread * laplace).clamp(-5.0, 5.0).exp() * tail
    }
}

/// One step of splitmix64.
fn mix(input: u64) -> u64 {
    let mut z = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(factor: impl Fn(Key) -> f64) -> (f64, f64) {
        let logs: Vec<f64> = (0..20_000).map(|n| factor(Key::of("x").and(n)).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64;
        (mean, variance.sqrt())
    }

    #[test]
    fn factors_have_the_spread_asked_for() {
        let (mean, sd) = spread(|key| key.normal_factor(0.01));
        assert!(mean.abs() < 0.0005 && (sd - 0.01).abs() < 0.0005, "{mean} {sd}");
        let (mean, sd) = spread(|key| key.heavy_factor(0.05));
        assert!(mean.abs() < 0.005 && (0.045..0.08).contains(&sd), "{mean} {sd}");
    }

    #[test]
    fn same_key_same_factor() {
        let key = |id| Key::of("a").and_params(&[Param::Int(id), Param::Text("t")]);
        assert_eq!(key(1).heavy_factor(0.1), key(1).heavy_factor(0.1));
        assert_ne!(key(1).heavy_factor(0.1), key(2).heavy_factor(0.1));
        assert_eq!(key(1).heavy_factor(0.0), 1.0);
    }
}
