//! Checks that assume less than the t interval: a hierarchical bootstrap and a sign-flip permutation test.
//!
//! Neither decides. Where one disagrees with the t interval by a lot, the result says so. All draws come from the
//! run's seed, so a report made twice says the same twice.

use crate::ratio::SessionValue;
use crate::robust::{mean, quantile, winsorised};

/// Resamples of the bootstrap.
const RESAMPLES: usize = 500;
/// Sessions up to which all sign patterns are tried.
const EXACT_MAX: usize = 14;
/// Sign patterns drawn beyond that.
const DRAWS: u32 = 10_000;

/// SplitMix64 (Steele, Lea & Flood 2014): small, seeded, good enough to pick indices.
pub(crate) struct Draws(u64);

impl Draws {
    /// Draws that depend on the run's seed and the test's name only.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a: a name's bytes folded into the seed.
        Self(name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// An index below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }
}

/// Half the width of the 95 % percentile interval of the mean, resampling sessions and blocks within them.
/// Widened by √(n / (n - 1)), as resampled sessions scatter too little by that factor. `None` below two.
pub(crate) fn bootstrap_half_width(sessions: &[SessionValue], draws: &mut Draws) -> Option<f64> {
    let freedom = sessions.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let blocks: Vec<Vec<f64>> = sessions.iter().map(|session| winsorised(&session.log_ratios)).collect();
    let means: Vec<f64> = (0..RESAMPLES).map(|_| resampled(&blocks, draws)).collect();
    let width = quantile(&means, 0.975)? - quantile(&means, 0.025)?;
    Some(0.5 * width * (sessions.len() as f64 / freedom).sqrt())
}

fn resampled(blocks: &[Vec<f64>], draws: &mut Draws) -> f64 {
    let session = |_| {
        let session = &blocks[draws.below(blocks.len())];
        let sum: f64 = (0..session.len()).map(|_| session[draws.below(session.len())]).sum();
        sum / session.len() as f64
    };
    (0..blocks.len()).map(session).sum::<f64>() / blocks.len() as f64
}

/// p of "signs are a coin's": the share of sign patterns whose mean is at least as far from zero.
pub(crate) fn sign_flip_p(values: &[f64], draws: &mut Draws) -> f64 {
    let observed = mean(values).abs() * (1.0 - 1e-12);
    let far = |signs: u64| {
        let flipped = values
            .iter()
            .enumerate()
            .map(|(i, value)| if signs >> (i % 64) & 1 == 1 { -value } else { *value });
        (flipped.sum::<f64>() / values.len() as f64).abs() >= observed
    };
    if values.len() <= EXACT_MAX {
        let patterns = 1u64 << values.len();
        return (0..patterns).filter(|&signs| far(signs)).count() as f64 / patterns as f64;
    }
    // The observed pattern counts as one draw, so that p is never zero.
    let hits = (0..DRAWS).filter(|_| far(draws.next())).count();
    (hits + 1) as f64 / f64::from(DRAWS + 1)
}

/// The smallest p that sign-flipping can reach.
pub(crate) fn sign_flip_floor(sessions: usize) -> f64 {
    if sessions <= EXACT_MAX { 2.0 / (1u64 << sessions) as f64 } else { 1.0 / f64::from(DRAWS + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::means;
    use crate::testkit::Rng;
    use humdrum_model::Stage;

    fn sessions(rng: &mut Rng, count: u32) -> Vec<SessionValue> {
        let session = |number| {
            let luck = 0.003 * rng.normal();
            let log_ratios: Vec<f64> = (0..100).map(|_| luck + 0.005 * rng.normal()).collect();
            let value = mean(&log_ratios);
            SessionValue {
                number,
                stage: Stage::Confirmation,
                value,
                standard_error: 0.0,
                log_ratios,
                blocks: 100,
            }
        };
        (0..count).map(session).collect()
    }

    #[test]
    fn the_bootstrap_agrees_with_t_where_both_are_good() {
        let mut rng = Rng::new(8);
        let sessions = sessions(&mut rng, 40);
        let values: Vec<f64> = sessions.iter().map(|session| session.value).collect();
        let boot = bootstrap_half_width(&sessions, &mut Draws::new(1, "t")).unwrap();
        let ratio = boot / means(&values).unwrap().half_width(0.05);
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
        assert_eq!(boot, bootstrap_half_width(&sessions, &mut Draws::new(1, "t")).unwrap());
    }

    #[test]
    fn sign_flips_are_counted_exactly() {
        let mut draws = Draws::new(1, "t");
        assert_eq!(sign_flip_p(&[1.0, 2.0, 3.0], &mut draws), 0.25);
        assert_eq!(sign_flip_p(&[1.0; 9], &mut draws), sign_flip_floor(9));
        assert!(sign_flip_p(&[1.0; 20], &mut draws) < 1e-3);
        assert!(sign_flip_p(&[0.0; 5], &mut draws) == 1.0);
    }
}
