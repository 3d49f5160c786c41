//! Student's t on session values: the interval comes from the level that varies.
//!
//! Blocks of one session share its luck, so they are not independent evidence of the ratio; sessions are
//! (Kalibera & Jones 2013 call this the highest level with non-negligible variance).

use crate::dist::{t_critical, t_two_sided};
use crate::robust::{mean, sd};

/// No clock measures a ratio better than a millionth: keeps a virtual clock's zero spread from dividing by zero.
const STANDARD_ERROR_MIN: f64 = 1e-6;

/// Mean of session values and what its error is known from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Means {
    /// Mean of ln ratio.
    pub mean: f64,
    /// Sd between sessions.
    pub sd: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Sessions less one.
    pub freedom: f64,
}

/// `None` of fewer than two values: one value has no spread.
pub(crate) fn means(values: &[f64]) -> Option<Means> {
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let sd = sd(values);
    let standard_error = (sd / (values.len() as f64).sqrt()).max(STANDARD_ERROR_MIN);
    Some(Means { mean: mean(values), sd, standard_error, freedom })
}

impl Means {
    /// Half-width of the interval that misses with probability `two_sided`.
    pub fn half_width(&self, two_sided: f64) -> f64 {
        t_critical(two_sided, self.freedom) * self.standard_error
    }

    /// Two-sided p of "the mean is zero".
    pub fn p(&self) -> f64 {
        t_two_sided(self.mean / self.standard_error, self.freedom)
    }
}

/// 95 % interval of a ratio from ln ratios, one per session.
pub(crate) fn ratio_ci95(log_ratios: &[f64]) -> Option<(f64, [f64; 2])> {
    let means = means(log_ratios)?;
    let half = means.half_width(0.05);
    Some((means.mean.exp(), [(means.mean - half).exp(), (means.mean + half).exp()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_worked_example() {
        let means = means(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((means.half_width(0.05) - 1.9633).abs() < 1e-3);
        assert!((means.p() - 0.01324).abs() < 1e-4);
    }

    #[test]
    fn a_virtual_clock_without_spread_is_no_trouble() {
        let still = means(&[0.0; 4]).unwrap();
        assert_eq!(still.p(), 1.0);
        let moved = means(&[0.03; 4]).unwrap();
        assert!(moved.p() < 1e-9 && moved.half_width(0.05) < 1e-5);
        assert!(means_of_one_is_none());
    }

    fn means_of_one_is_none() -> bool {
        means(&[0.5]).is_none() && ratio_ci95(&[]).is_none()
    }
}
