//! Student's t on session values: the interval comes from the spread between sessions.
//!
//! Blocks of one session share its memory and data layout, so they are not independent evidence of the ratio;
//! sessions are (Kalibera & Jones 2013 call this the highest level with non-negligible variance). A session
//! may resemble the one before, because the load of other guests on a shared machine changes over minutes. So
//! from the thirteenth on, sessions are joined in the order in which they ran into twelve batches, and the
//! spread between batches is used (Conway 1963):
//!
//! ```text
//!   sessions   1 2 │ 3 4 │ 5 6 │ …          s² = Σ size · (mean of batch - mean)² / (batches - 1)
//! ```
//!
//! For independent sessions this is exactly Student's t with eleven degrees of freedom, for any sizes of the
//! batches.

use crate::dist::{t_critical, t_tail};
use crate::robust::mean;

/// The number of batches of neighbouring sessions, if there are more sessions than that.
const BATCHES_MAX: usize = 12;

/// The least standard error. No clock measures a ratio better than this; with the zero spread of a virtual
/// clock it prevents a division by zero.
const STANDARD_ERROR_MIN: f64 = 1e-6;

/// Mean of session values and its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Means {
    /// Mean of ln ratio.
    pub mean: f64,
    /// Sd between sessions.
    pub sd: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
}

/// `None` for fewer than two values: one value has no spread.
pub(crate) fn means(values: &[f64]) -> Option<Means> {
    let freedom = freedom(values.len());
    let mean = mean(values);
    let squares: f64 = batches(values).map(|(size, batch)| size * (batch - mean).powi(2)).sum();
    let sd = (squares / freedom).sqrt();
    let standard_error = (sd / (values.len() as f64).sqrt()).max(STANDARD_ERROR_MIN);
    (freedom > 0.0).then_some(Means { mean, sd, standard_error, freedom })
}

/// Degrees of freedom of so many sessions; 0 below two.
pub(crate) fn freedom(sessions: usize) -> f64 {
    sessions.min(BATCHES_MAX).saturating_sub(1) as f64
}

/// Sizes and means.
fn batches(values: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let count = values.len().min(BATCHES_MAX);
    (0..count).map(move |batch| {
        let edge = |number: usize| number * values.len() / count;
        let batch = &values[edge(batch)..edge(batch + 1)];
        (batch.len() as f64, mean(batch))
    })
}

impl Means {
    /// Half-width of the interval that misses with probability `two_sided`.
    pub fn half_width(&self, two_sided: f64) -> f64 {
        t_critical(two_sided, self.freedom) * self.standard_error
    }

    /// One-sided p of "the mean is at least `edge`".
    pub fn p_below(&self, edge: f64) -> f64 {
        let t = (edge - self.mean) / self.standard_error;
        if t >= 0.0 { t_tail(t, self.freedom) } else { 1.0 - t_tail(-t, self.freedom) }
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
    use crate::testkit::Rng;

    #[test]
    fn agrees_with_a_worked_example() {
        let means = means(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((means.half_width(0.05) - 1.9633).abs() < 1e-3);
        assert!((means.p_below(0.0) + 0.00662 - 1.0).abs() < 1e-4);
        assert!((means.p_below(6.0) - 0.00662).abs() < 1e-4);
    }

    #[test]
    fn nothing_is_dropped_for_its_value() {
        let mut values: Vec<f64> = (0..12).map(|n| f64::from(n) * 1e-3).collect();
        let calm = means(&values).unwrap();
        values[11] = 0.2;
        let wild = means(&values).unwrap();
        assert!(wild.mean > calm.mean + 0.015 && wild.sd > 10.0 * calm.sd);
    }

    #[test]
    fn batches_hold_their_level_and_know_of_neighbours() {
        let mut rng = Rng::new(2);
        let mut covers = |sessions: usize, serial: f64| {
            let held = (0..4000).filter(|_| {
                let mut last = rng.normal();
                let values: Vec<f64> = (0..sessions)
                    .map(|_| {
                        last = serial * last + (1.0 - serial * serial).sqrt() * rng.normal();
                        last
                    })
                    .collect();
                let found = means(&values).unwrap();
                found.mean.abs() <= found.half_width(0.05)
            });
            held.count() as f64 / 4000.0
        };
        let independent = [12, 13, 18, 60].map(|sessions| covers(sessions, 0.0));
        assert!(independent.iter().all(|held| (held - 0.95).abs() < 0.012), "{independent:?}");
        // Sixty sessions that each have half of the one before.
        let drifting = covers(60, 0.5);
        assert!(drifting > 0.90, "{drifting}");
    }

    #[test]
    fn a_virtual_clock_without_spread_is_no_trouble() {
        let still = means(&[0.0; 4]).unwrap();
        assert_eq!(still.p_below(0.0), 0.5);
        let moved = means(&[0.03; 4]).unwrap();
        assert!(1.0 - moved.p_below(0.0) < 1e-9 && moved.half_width(0.05) < 1e-5);
        assert!(means(&[0.5]).is_none() && ratio_ci95(&[]).is_none());
    }
}
