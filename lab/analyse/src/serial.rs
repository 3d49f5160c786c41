//! Sessions that resemble the one before, and so tell less than as many independent ones.
//!
//! Neighbours on a shared machine come and go over minutes, and a release that waits for memory more than another is
//! moved by them: the values of its sessions drift. Student's t would take each for news.
//!
//! ```text
//!   ln ratio │    ·· ·
//!            │  ··    ·      ·      r: the correlation of sessions with the next, by ranks, so that a wild one makes none
//!            │ ·       ·· ··· ·     n sessions count as n (1 - r) / (1 + r)      (Bayley & Hammersley 1946)
//!            └───────────────────
//! ```
//!
//! Only where chance does not explain it (the rank version of von Neumann's ratio, Bartels 1982): between equal servers r is
//! noise, and to correct for noise would widen all intervals and mend none.

use crate::dist::normal_critical;
use crate::robust::{mean, ranks};

/// Fewer sessions have an r by chance.
const SESSIONS_MIN: usize = 12;
/// Chance of believing an r where there is none: between equal servers one test of a hundred then has a wider interval than
/// it needs. At 5 % fewer drifts are missed, and the median interval of an A/A run is wider by 3 %.
const LEVEL: f64 = 0.01;
/// A drift that is seen a piece of only looks like a line, and r like 1.
const R_MAX: f64 = 0.8;

/// Correlation of sessions, in their order, with the next; 0 where chance explains it.
pub(crate) fn correlation_with_next(values: &[f64]) -> f64 {
    if values.len() < SESSIONS_MIN {
        return 0.0;
    }
    let (count, ranks) = (values.len() as f64, ranks(values));
    let middle = mean(&ranks);
    let beside: f64 = ranks.windows(2).map(|pair| (pair[0] - middle) * (pair[1] - middle)).sum();
    // Of independent sessions it has about mean -1/n, which is taken off here, and variance 1/n. Equal ones have none.
    let r = beside / ranks.iter().map(|rank| (rank - middle).powi(2)).sum::<f64>() + 1.0 / count;
    let believed = r * count.sqrt() > normal_critical(LEVEL);
    if believed { r.clamp(0.0, R_MAX) } else { 0.0 }
}

/// Part of the sessions that counts, where each is correlated with the next by `r`.
pub(crate) fn independent(r: f64) -> f64 {
    (1.0 - r) / (1.0 + r)
}

/// Where it made the interval wider.
pub(crate) fn note(values: &[f64]) -> Option<String> {
    let r = correlation_with_next(values);
    (r > 0.0).then(|| {
        format!(
            "sessions resemble the one before (correlation {r:.2}), as where a ratio drifts: {} count as {:.0} in the interval",
            values.len(),
            values.len() as f64 * independent(r)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::means;
    use crate::testkit::Rng;

    /// Sessions each of which has `r` of the one before.
    fn drifting(rng: &mut Rng, r: f64, sessions: usize) -> Vec<f64> {
        let mut last = rng.normal();
        let next = |_| {
            last = r * last + (1.0 - r * r).sqrt() * rng.normal();
            last
        };
        (0..sessions).map(next).collect()
    }

    #[test]
    fn chance_is_seldom_believed() {
        let mut rng = Rng::new(1);
        for sessions in [12, 18, 60] {
            let believed = |_: &u32| correlation_with_next(&drifting(&mut rng, 0.0, sessions)) > 0.0;
            let count = (0..2000).filter(believed).count();
            // 1 %, and three standard errors.
            assert!(count <= 34, "{count} of 2000 with {sessions} sessions");
        }
    }

    #[test]
    fn a_drift_is_seen_and_paid_for() {
        let mut rng = Rng::new(2);
        let covers = |counting: bool, rng: &mut Rng| {
            let held = (0..1000).filter(|_| {
                let values = drifting(rng, 0.5, 60);
                let share = independent(if counting { correlation_with_next(&values) } else { 0.0 });
                let found = means(&values).unwrap().counting(share);
                found.mean.abs() <= found.half_width(0.05)
            });
            held.count() as f64 / 1000.0
        };
        let (before, after) = (covers(false, &mut rng), covers(true, &mut rng));
        assert!(before < 0.80 && after > 0.90, "{before} {after}");
    }

    #[test]
    fn wild_sessions_and_equal_ones_are_no_drift() {
        let mut values: Vec<f64> = (0..20).map(|n| if n % 2 == 0 { 0.001 } else { -0.001 }).collect();
        (values[7], values[8]) = (3.0, 3.1);
        assert_eq!(correlation_with_next(&values), 0.0);
        assert_eq!(correlation_with_next(&[0.1; 30]), 0.0);
        let line: Vec<f64> = (0..11).map(f64::from).collect();
        assert_eq!(correlation_with_next(&line), 0.0, "too few");
    }
}
