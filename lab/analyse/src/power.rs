//! The smallest change that a design can detect, before and after measuring.
//!
//! Approximation: (t(1 - α/2) + t(0.8)) · sd / √sessions with the degrees of freedom of an interval, the
//! usual approximation of the noncentral t; from four sessions on it is within a few percent of the exact
//! value. A single session has no spread of its own, so the sd is taken as known and the normal distribution
//! is used.

use humdrum_model::Design;

use crate::dist::{normal_critical, t_critical};
use crate::evidence::CI_LEVEL;
use crate::interval::freedom;

/// Probability of detecting the change.
const POWER: f64 = 0.8;

/// Smallest true change, as a fraction, that a two-sided test at `alpha` tells from no change with 80 % power,
/// given `sessions` values with standard deviation `session_sd` (ln units). Infinite without sessions.
pub fn difference_detectable(session_sd: f64, sessions: u32, alpha: f64) -> f64 {
    let critical = match sessions {
        0 => return f64::INFINITY,
        1 => normal_critical(0.5 * alpha) + normal_critical(1.0 - POWER),
        n => {
            let freedom = freedom(n as usize);
            t_critical(alpha, freedom) + t_critical(2.0 * (1.0 - POWER), freedom)
        }
    };
    (critical * session_sd / f64::from(sessions).sqrt()).exp_m1()
}

/// The same for a design that runs to its end, with the sd that planning assumed.
pub fn planned_detectable(design: &Design) -> f64 {
    difference_detectable(design.assumed_session_sd, planned_sessions(design), design.alpha)
}

/// Half of the width of a reported interval, as a fraction, after a design that runs to its end with the sd that planning
/// assumed. Infinite below two sessions.
pub fn planned_half_width(design: &Design) -> f64 {
    match planned_sessions(design) {
        0 | 1 => f64::INFINITY,
        n => {
            let critical = t_critical(CI_LEVEL, freedom(n as usize));
            (critical * design.assumed_session_sd / f64::from(n).sqrt()).exp_m1()
        }
    }
}

fn planned_sessions(design: &Design) -> u32 {
    match design.confirmation_sessions {
        few @ 0..3 => few + design.screening_sessions,
        enough => enough,
    }
}

/// Smallest change that a design would call a regression or an improvement with 80 % power: the interval must
/// lie beyond ±δ, so δ is added.
pub fn verdict_detectable(design: &Design) -> f64 {
    design.delta + planned_detectable(design)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::means;
    use crate::testkit::{Rng, design};

    #[test]
    fn eighty_percent_of_such_changes_are_found() {
        let mut rng = Rng::new(5);
        for sessions in [4, 6, 12] {
            let change = difference_detectable(0.003, sessions, 0.05).ln_1p();
            let found = (0..4000).filter(|_| {
                let values: Vec<f64> = (0..sessions).map(|_| change + 0.003 * rng.normal()).collect();
                means(&values).unwrap().half_width(0.05) < means(&values).unwrap().mean.abs()
            });
            let power = found.count() as f64 / 4000.0;
            assert!((0.77..0.86).contains(&power), "{sessions} sessions: {power}");
        }
    }

    #[test]
    fn more_sessions_see_smaller_changes() {
        let seen: Vec<f64> = (2..20).map(|n| difference_detectable(0.003, n, 0.05)).collect();
        assert!(seen.windows(2).all(|pair| pair[1] < pair[0]));
        assert!(difference_detectable(0.003, 0, 0.05).is_infinite());
        let design = design(3, 9);
        assert!(planned_half_width(&design) < planned_detectable(&design));
        let sd = design.assumed_session_sd;
        // t(0.975) with 8 degrees of freedom.
        assert!((planned_half_width(&design).ln_1p() - 2.306 * sd / 3.0).abs() < 1e-5);
        assert!(planned_detectable(&design) < 0.005 && verdict_detectable(&design) > design.delta);
    }
}
