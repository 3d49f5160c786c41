//! Student's t on session values: the interval comes from the level that varies.
//!
//! Blocks of one session share its luck, so they are not independent evidence of the ratio; sessions are
//! (Kalibera & Jones 2013 call this the highest level with non-negligible variance).
//!
//! From ten sessions on the lowest and the highest tenth are dropped and Yuen's t is used. Now and then a session is off by
//! several times the usual spread (a neighbour's burst that lasted as long as the test, an unlucky place in memory),
//! and one such session in twenty would make the plain interval half as wide again. With none, trimming costs a few
//! percent of the width.

use crate::dist::{t_critical, t_two_sided};
use crate::robust::trimmed_by;

/// Fraction of sessions dropped at each end.
const TRIM: f64 = 0.1;

/// No clock measures a ratio better than a millionth: keeps a virtual clock's zero spread from dividing by zero.
const STANDARD_ERROR_MIN: f64 = 1e-6;

/// Mean of session values and what its error is known from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Means {
    /// Trimmed mean of ln ratio.
    pub mean: f64,
    /// Sd between sessions that leaves a plain mean the same standard error.
    pub sd: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Sessions that were not dropped, less one.
    pub freedom: f64,
}

/// `None` of fewer than two values: one value has no spread.
pub(crate) fn means(values: &[f64]) -> Option<Means> {
    let location = trimmed_by(TRIM, values)?;
    let freedom = (location.kept - 1) as f64;
    let sd = location.standard_error * (values.len() as f64).sqrt();
    let standard_error = location.standard_error.max(STANDARD_ERROR_MIN);
    (freedom > 0.0).then_some(Means { mean: location.mean, sd, standard_error, freedom })
}

impl Means {
    /// The same where a `share` of the sessions is independent evidence.
    pub fn counting(self, share: f64) -> Self {
        let wider = share.sqrt().recip();
        Self {
            sd: self.sd * wider,
            standard_error: self.standard_error * wider,
            freedom: (self.freedom * share).max(1.0),
            ..self
        }
    }

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
    fn one_wild_session_in_twelve_is_dropped() {
        let calm: Vec<f64> = (0..12).map(|n| f64::from(n) * 1e-3).collect();
        let mut wild = calm.clone();
        wild[11] = 0.2;
        assert_eq!(means(&calm), means(&wild));
        // Of fewer than ten, all count.
        assert!(means(&wild[3..]).unwrap().sd > 0.05);
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
