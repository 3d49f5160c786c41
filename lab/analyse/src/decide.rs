//! All decision rules: what a regression is, when a test stops, and what would decide an undecided one. Every
//! choice that depends on measured values is in this file.
//!
//! ```text
//!              low = ln(1 - δ)      0      high = ln(1 + δ)
//!   ├───●───┤      ╎                ╎        ╎                  regression: θ ≥ low is rejected
//!                  ╎      ├────●────┤        ╎                  boring: θ ≤ low and θ ≥ high are rejected
//!            ├─────╎──●─────┤       ╎        ╎                  inconclusive
//! ```
//!
//! Both directions share α, so that a verdict always agrees with the interval that is shown. p values, looks
//! and the correction for many tests refer to these hypotheses and not to "θ = 0".

use humdrum_model::{Blame, Design, Judging, Verdict};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::band::Band;
use crate::dist::normal_critical;
use crate::estimate::Estimate;
use crate::evidence::CI_LEVEL;
use crate::family::{benjamini_hochberg, holm};
use crate::interval::Means;

/// Confirmation sessions from which on a test may stop early.
const STOP_MIN: usize = 4;
/// An effect this many times its half-width is known well enough, whatever the target.
const LARGE_EFFECT: f64 = 100.0;
/// Two-sided p below which chance does not explain which subject's slices a rule hit.
const UNEVEN_P: f64 = 0.01;
/// Parts of δ. A carry-over matters if it is significant and may exceed the first part, or if it may reach
/// the second. A change in the first quarter of slices alone moves the whole by a quarter of it, so 2 δ moves
/// it by δ/2.
const CARRY_OVER: [f64; 2] = [0.5, 2.0];
/// If a test would take longer than this on a host, the host cannot decide it.
const SECONDS_MAX: f64 = 86_400.0;

/// How p values are corrected for the number of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Correction {
    /// Benjamini & Hochberg: of the alarms of a report, one in twenty may be false.
    #[default]
    Report,
    /// Holm: of runs in a gate, one in twenty may have a false alarm, whatever else has changed.
    Gate,
}

impl Correction {
    /// The one that a run is judged with.
    pub(crate) fn of(judging: &Judging) -> Self {
        if judging.gate { Self::Gate } else { Self::Report }
    }

    /// Adjusted p values, in the order given.
    pub(crate) fn adjust(self, p: &[f64]) -> Vec<f64> {
        match self {
            Self::Report => benjamini_hochberg(p),
            Self::Gate => holm(p),
        }
    }
}

/// Marginal p of "the change is at most δ in either direction": the smaller of the two one-sided ones, doubled.
pub(crate) fn margin_p(means: &Means, band: &Band) -> f64 {
    let slower = means.p_below(band.low);
    let faster = 1.0 - means.p_below(band.high);
    (2.0 * slower.min(faster)).clamp(0.0, 1.0)
}

/// The verdict on one estimate. Few sessions make wide intervals, so they need no rule of their own. One
/// session alone decides nothing, because its interval rests on an assumption.
pub(crate) fn judge(estimate: &Estimate, p_adjusted: Option<f64>, alpha: f64, band: &Band) -> Verdict {
    judge_mean(estimate.mean, estimate.half, p_adjusted, alpha, band)
}

/// The verdict on a mean and its half-width.
pub(crate) fn judge_mean(mean: f64, half: f64, p_adjusted: Option<f64>, alpha: f64, band: &Band) -> Verdict {
    let Some(p) = p_adjusted else { return Verdict::Inconclusive };
    match () {
        () if p <= alpha && mean < band.low => Verdict::Regression,
        () if p <= alpha && mean > band.high => Verdict::Improvement,
        () if band.holds(mean, half) => Verdict::Boring,
        () => Verdict::Inconclusive,
    }
}

/// The verdict on several runs together. If a run has a carry-over that matters, or uneven discarding, every
/// run must have the same verdict by itself, by the rules for these cases.
pub(crate) fn over_runs(verdict: Verdict, own: &[Option<Verdict>], is_doubtful: bool) -> Verdict {
    let shared = own.iter().all(|one| *one == Some(verdict));
    if is_doubtful && !shared { Verdict::Inconclusive } else { verdict }
}

/// Whether discarding hit one side more often than the other.
pub(crate) fn is_uneven(found: &Blame) -> bool {
    found.p <= UNEVEN_P
}

/// The verdict after uneven discarding: inconclusive if another verdict follows with the discarded blocks put
/// back.
pub(crate) fn with_uneven(verdict: Verdict, put_back: Option<&Estimate>, band: &Band) -> Verdict {
    let same = put_back.is_some_and(|all| match verdict {
        Verdict::Regression => band.is_slower(all.mean, all.half),
        Verdict::Improvement => band.is_faster(all.mean, all.half),
        _ => band.holds(all.mean, all.half),
    });
    if same { verdict } else { Verdict::Inconclusive }
}

/// Whether the end of slices differs from their beginning by what matters, or may differ so.
pub(crate) fn carries_over(mean: f64, half: f64, band: &Band) -> bool {
    let size = mean.abs();
    let shown = is_shown(mean, half) && size + half > CARRY_OVER[0] * band.delta;
    shown || size + half > CARRY_OVER[1] * band.delta
}

/// Whether an interval excludes no difference.
pub(crate) fn is_shown(mean: f64, half: f64) -> bool {
    mean.abs() > half
}

/// The verdict after a carry-over that matters: never boring, and a change must also show in the deciding
/// part of slices.
pub(crate) fn with_carry_over(verdict: Verdict, part: &Estimate, band: &Band) -> Verdict {
    match verdict {
        Verdict::Regression if band.is_slower(part.mean, part.half) => verdict,
        Verdict::Improvement if band.is_faster(part.mean, part.half) => verdict,
        _ => Verdict::Inconclusive,
    }
}

/// Whether the interval for another run gives the same verdict.
pub(crate) fn bears_out(verdict: Option<Verdict>, [low, high]: [f64; 2], band: &Band) -> bool {
    let (mean, half) = (0.5 * (low + high), 0.5 * (high - low));
    match verdict {
        Some(Verdict::Regression) => band.is_slower(mean, half),
        Some(Verdict::Improvement) => band.is_faster(mean, half),
        Some(Verdict::Boring) => band.holds(mean, half),
        _ => true,
    }
}

/// Whether no further session is needed: the cap is reached, or the estimate is precise enough.
pub(crate) fn is_settled(now: &Estimate, band: &Band, design: &Design) -> bool {
    if now.evidence.sessions.is_empty() || now.evidence.pooled {
        return false;
    }
    if now.capped {
        return true;
    }
    let count = now.evidence.sessions.len();
    let enough = is_look(count) && design.confirmation_sessions > 0;
    let narrow = now.half <= band.target_half_width.max(now.mean.abs() / LARGE_EFFECT);
    enough && (is_boring(now, band) || narrow && band.is_beyond(now.mean, now.half_family))
}

/// Whether a test may stop after this many sessions: after each up to the eighth, each second one up to the
/// sixteenth, each fourth up to the thirty-second, and so on. Levels are computed for a look after every
/// session, with normal data. With few sessions the statistic is Student's t, whose looks correlate less, so
/// using every look would exceed the error rate.
fn is_look(sessions: usize) -> bool {
    let step = (sessions.next_power_of_two() / 8).max(1);
    sessions >= STOP_MIN && sessions.is_multiple_of(step)
}

/// Whether the test is shown to be boring, with an interval as narrow as planned.
pub(crate) fn is_boring(now: &Estimate, band: &Band) -> bool {
    now.half <= band.target_half_width && band.holds(now.mean, now.half)
}

/// A sentence that says what would decide the test. The number of further sessions comes from the scatter so
/// far, their time from `pace`, the seconds of a session of this test so far.
pub(crate) fn advice(estimate: &Estimate, verdict: Verdict, band: &Band, pace: f64) -> Option<String> {
    if verdict != Verdict::Inconclusive {
        return None;
    }
    let Some(sd) = estimate.sd else {
        return Some("one session alone decides nothing: measure with --sessions 4".to_owned());
    };
    let seconds = |sd: f64, distance: f64| pace * missing(estimate, sd, distance);
    if seconds(sd_at_least(sd, estimate.freedom), band.widest()) > SECONDS_MAX {
        return Some(format!(
            "not on this host: sessions differ by {:.1} % (sd), and a day of them would not decide; see humdrum doctor",
            100.0 * sd
        ));
    }
    let sessions = missing(estimate, sd, band.distance(estimate.mean));
    if pace * sessions > SECONDS_MAX {
        return Some(
            "the change is too near to δ: a day of sessions would not tell on which side of it".to_owned(),
        );
    }
    let noun = if sessions > 1.0 { "sessions" } else { "session" };
    Some(format!("about {sessions:.0} more {noun} ({}) would decide", duration(pace * sessions)))
}

/// The number of further sessions for a half-width of `distance`.
pub(crate) fn missing(estimate: &Estimate, sd: f64, distance: f64) -> f64 {
    let wanted = (normal_critical(0.5 * CI_LEVEL) * sd / distance.max(1e-9)).powi(2) * 1.1 + 2.0;
    (wanted - estimate.evidence.sessions.len() as f64).ceil().max(1.0)
}

/// Lower 95 % bound of a standard deviation that is known with `freedom`.
fn sd_at_least(sd: f64, freedom: f64) -> f64 {
    let quantile = ChiSquared::new(freedom.max(1.0)).map_or(f64::INFINITY, |chi| chi.inverse_cdf(0.95));
    sd * (freedom.max(1.0) / quantile).sqrt()
}

fn duration(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{:.0} s", seconds.max(1.0)),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
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
        assert_eq!(judged(0.012, 0.005, 0.4), Verdict::Inconclusive);
        assert_eq!(judged(-0.03, 0.005, 0.06), Verdict::Inconclusive);
        assert_eq!(judged(0.0, 0.03, 0.9), Verdict::Inconclusive);
        assert_eq!(judge(&estimate(0.5, 0.01, 1, false), None, 0.05, &band), Verdict::Inconclusive);
    }

    #[test]
    fn p_is_of_the_margin_that_a_verdict_claims_to_have_passed() {
        let band = band();
        let means = |mean| Means { mean, sd: 0.003, standard_error: 0.001, freedom: 8.0 };
        assert!(
            (margin_p(&means(band.low), &band) - 1.0).abs() < 1e-9,
            "on the margin, each side has a half"
        );
        assert_eq!(margin_p(&means(0.0), &band), 1.0);
        // Two and a third standard errors beyond it are 5 % of both tails of t with eight degrees of freedom.
        assert!((margin_p(&means(band.low - 0.002306), &band) - 0.05).abs() < 1e-3);
        assert!((margin_p(&means(band.high + 0.002306), &band) - 0.05).abs() < 1e-3);
    }

    #[test]
    fn advice_says_how_many_more_and_how_long() {
        let told = |mean, half, pace| {
            advice(&estimate(mean, half, 9, true), Verdict::Inconclusive, &band(), pace).unwrap()
        };
        let note = told(0.004, 0.007, 4.0);
        assert!(note.starts_with("about ") && note.ends_with(" s) would decide"), "{note}");
        assert!(told(0.0, 0.5, 30.0).starts_with("not on this host"));
        assert!(told(0.00995, 0.004, 30.0).starts_with("the change is too near to δ"));
        assert!(advice(&estimate(0.0, 0.001, 9, true), Verdict::Boring, &band(), 4.0).is_none());
    }

    #[test]
    fn looks_grow_rarer() {
        let looks: Vec<usize> = (0..=40).filter(|sessions| is_look(*sessions)).collect();
        assert_eq!(looks, [4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40]);
    }

    #[test]
    fn what_few_sessions_scatter_by_may_be_chance() {
        assert!(sd_at_least(0.01, 3.0) < 0.0065 && sd_at_least(0.01, 11.0) > 0.007);
    }

    proptest! {
        #[test]
        fn a_swap_of_base_and_subject_swaps_the_verdict(mean in 0.012..0.1f64, half in 0.0..0.001f64) {
            let there = judge(&estimate(mean, half, 9, true), Some(0.001), 0.05, &band());
            let back = judge(&estimate(-mean, half, 9, true), Some(0.001), 0.05, &band());
            prop_assert_eq!((there, back), (Verdict::Improvement, Verdict::Regression));
        }

        /// The p of the margin passes exactly where the interval at that level lies beyond it.
        #[test]
        fn p_and_interval_agree(mean in -0.05..0.05f64, error in 1e-4..0.01f64, freedom in 1u32..12) {
            let means = Means { mean, sd: error, standard_error: error, freedom: f64::from(freedom) };
            let (p, half) = (margin_p(&means, &band()), means.half_width(0.05));
            prop_assume!((p - 0.05).abs() > 1e-6);
            prop_assert_eq!(p <= 0.05, band().is_beyond(mean, half));
        }
    }
}
