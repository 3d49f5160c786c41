//! The verdict: what an interval and an adjusted p say against the band ±δ of changes that do not matter.

use humdrum_model::Verdict;

use crate::band::Band;
use crate::dist::normal_critical;
use crate::estimate::Estimate;

/// Factor of sessions beyond which "more of the same" is no advice any more.
const MORE_MAX: f64 = 4.0;

/// The verdict on one estimate. Few sessions make wide intervals, so they need no rule of their own, except
/// that one session alone decides nothing: its interval rests on an assumption.
pub(crate) fn judge(estimate: &Estimate, p_adjusted: Option<f64>, alpha: f64, band: &Band) -> Verdict {
    let Some(p) = p_adjusted else { return Verdict::Inconclusive };
    let (mean, half) = (estimate.mean, estimate.half);
    match () {
        () if p <= alpha && band.is_slower(mean, half) => Verdict::Regression,
        () if p <= alpha && band.is_faster(mean, half) => Verdict::Improvement,
        () if band.holds(mean, half) => Verdict::Boring,
        () if is_unstable(estimate, band) => Verdict::Unstable,
        () => Verdict::Inconclusive,
    }
}

/// The cap is reached, and the sessions scatter so much that four times as many would still not fit into a
/// band of ±δ around their mean.
fn is_unstable(estimate: &Estimate, band: &Band) -> bool {
    estimate.capped && estimate.half / MORE_MAX.sqrt() > band.delta
}

/// What would decide, for people. Sessions beyond those there are, from the scatter there is.
pub(crate) fn advice(estimate: &Estimate, verdict: Verdict, band: &Band) -> Option<String> {
    let sessions = estimate.evidence.sessions.len() as f64;
    let Some(sd) = estimate.sd else {
        return (verdict == Verdict::Inconclusive)
            .then(|| "one session alone decides nothing: measure with a larger --budget".to_owned());
    };
    match verdict {
        Verdict::Unstable => Some(format!(
            "sessions differ by {:.1} % (sd): {MORE_MAX} times as many would not decide; quieten the host (humdrum doctor)",
            100.0 * sd
        )),
        Verdict::Inconclusive => Some(more(estimate, sd, sessions, band)),
        Verdict::Regression | Verdict::Improvement | Verdict::Boring => None,
    }
}

fn more(estimate: &Estimate, sd: f64, sessions: f64, band: &Band) -> String {
    let wanted = (normal_critical(0.025) * sd / band.distance(estimate.mean).max(1e-9)).powi(2) * 1.1 + 2.0;
    let missing = (wanted - sessions).ceil().max(1.0);
    let shown = estimate.mean.abs() > estimate.half;
    let so_far = if shown { "a change is shown, but not on which side of δ it lies; " } else { "" };
    if missing > MORE_MAX * sessions.max(4.0) {
        return format!(
            "{so_far}the change is too near to δ: more than {:.0} further sessions would be needed",
            MORE_MAX * sessions
        );
    }
    let noun = if missing > 1.0 { "sessions" } else { "session" };
    format!("{so_far}about {missing:.0} more {noun} would decide")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{design, estimate};
    use proptest::prelude::*;

    fn band() -> Band {
        Band::new(&design(3, 9), false, None)
    }

    #[test]
    fn every_verdict_has_its_place() {
        let band = band();
        let judged = |mean, half, p| judge(&estimate(mean, half, 9, true), Some(p), 0.05, &band);
        assert_eq!(judged(-0.03, 0.005, 0.001), Verdict::Regression);
        assert_eq!(judged(0.03, 0.005, 0.001), Verdict::Improvement);
        assert_eq!(judged(0.001, 0.005, 0.8), Verdict::Boring);
        assert_eq!(judged(0.012, 0.005, 0.001), Verdict::Inconclusive);
        assert_eq!(judged(-0.03, 0.005, 0.06), Verdict::Inconclusive);
        assert_eq!(judged(0.0, 0.03, 0.9), Verdict::Unstable);
        assert_eq!(judge(&estimate(0.5, 0.01, 1, false), None, 0.05, &band), Verdict::Inconclusive);
    }

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

    #[test]
    fn advice_says_how_many_more() {
        let note = advice(&estimate(0.004, 0.007, 9, true), Verdict::Inconclusive, &band()).unwrap();
        assert!(note.starts_with("about ") && note.contains("more session"), "{note}");
        let note = advice(&estimate(0.0, 0.05, 9, true), Verdict::Unstable, &band()).unwrap();
        assert!(note.contains("humdrum doctor"));
        assert!(advice(&estimate(0.0, 0.001, 9, true), Verdict::Boring, &band()).is_none());
    }

    proptest! {
        #[test]
        fn boring_and_difference_exclude_each_other(mean in -0.1..0.1f64, half in 0.0..0.1f64) {
            let band = band();
            prop_assert!(!(band.holds(mean, half) && band.is_beyond(mean, half)));
            prop_assert!(!(band.is_slower(mean, half) && band.is_faster(mean, half)));
        }

        #[test]
        fn a_swap_of_base_and_subject_swaps_the_verdict(mean in 0.012..0.1f64, half in 0.0..0.001f64) {
            let there = judge(&estimate(mean, half, 9, true), Some(0.001), 0.05, &band());
            let back = judge(&estimate(-mean, half, 9, true), Some(0.001), 0.05, &band());
            prop_assert_eq!((there, back), (Verdict::Improvement, Verdict::Regression));
        }
    }
}
