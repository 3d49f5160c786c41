//! One (test, subject): the ratio, its interval, its p, and whether it is settled.

use humdrum_model::{Design, Stage};

use crate::band::Band;
use crate::dist::normal_critical;
use crate::evidence::{CI_LEVEL, Evidence, confirmation, screening};
use crate::ratio::SessionValue;

/// Confirmation sessions from which on a test may stop early.
const STOP_MIN: usize = 4;
/// An effect this many times its half-width is known well enough, whatever the target.
const LARGE_EFFECT: f64 = 100.0;

/// What is fixed for the run and needed for every estimate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    /// The design.
    pub design: &'a Design,
    /// Tests times subjects.
    pub family: usize,
    /// Nothing more will be measured.
    pub finished: bool,
}

/// The ratio of one (test, subject) as known now; everything in ln units.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// Mean of the session values.
    pub mean: f64,
    /// Sd between sessions; `None` for a single session.
    pub sd: Option<f64>,
    /// Half-width of the reported interval.
    pub half: f64,
    /// Half-width at the Bonferroni level of the family, for stopping early.
    pub half_family: f64,
    /// p of "no change", valid under repeated looks; `None` for a single session.
    pub p: Option<f64>,
    /// The planned number of sessions is reached.
    pub capped: bool,
    /// No further session is needed for this subject.
    pub settled: bool,
    /// What it was made from.
    pub evidence: Evidence,
}

/// `None` before the first session.
///
/// A test that was not settled when the run finished was cut short by the budget, not by its data; its last look
/// may spend all the error that is left. One that was settled keeps the look at which it was.
pub(crate) fn estimate(values: &[SessionValue], band: &Band, rules: &Rules<'_>) -> Option<Estimate> {
    if !values.iter().any(|value| value.stage == Stage::Confirmation)
        && let Some(mut screened) = screening(rules.design, values).and_then(|found| measure(found, rules))
        && is_boring(&screened, band)
    {
        screened.settled = true;
        return Some(screened);
    }
    let mut now = measure(confirmation(rules.design, values, false), rules)?;
    now.settled = is_settled(&now, band, rules.design);
    if now.settled || !rules.finished {
        return Some(now);
    }
    measure(confirmation(rules.design, values, true), rules)
}

fn measure(evidence: Evidence, rules: &Rules<'_>) -> Option<Estimate> {
    let capped = evidence.look.last && evidence.look.sessions >= evidence.look.planned && !evidence.screened;
    let Some(means) = evidence.means() else { return single(evidence, rules) };
    let half = means.half_width(evidence.nominal(CI_LEVEL));
    let half_family = means.half_width(evidence.nominal(rules.design.alpha / rules.family as f64));
    Some(Estimate {
        mean: means.mean,
        sd: Some(means.sd),
        half,
        half_family,
        p: Some(evidence.repeated_p(means.p())),
        capped,
        settled: false,
        evidence,
    })
}

/// One session: its own scatter and the scatter between sessions that planning assumed. No p, so no verdict.
fn single(evidence: Evidence, rules: &Rules<'_>) -> Option<Estimate> {
    let session = evidence.sessions.first()?;
    let within = if session.standard_error.is_finite() { session.standard_error } else { 0.0 };
    let half = normal_critical(0.5 * CI_LEVEL) * within.hypot(rules.design.assumed_session_sd);
    Some(Estimate {
        mean: session.value,
        sd: None,
        half,
        half_family: f64::INFINITY,
        p: None,
        capped: false,
        settled: false,
        evidence,
    })
}

/// The cap is reached, or what is known will do.
fn is_settled(now: &Estimate, band: &Band, design: &Design) -> bool {
    if now.evidence.sessions.is_empty() || now.evidence.pooled {
        return false;
    }
    if now.capped {
        return true;
    }
    let enough = now.evidence.sessions.len() >= STOP_MIN && design.confirmation_sessions > 0;
    let narrow = now.half <= band.target_half_width.max(now.mean.abs() / LARGE_EFFECT);
    enough && (is_boring(now, band) || narrow && band.is_beyond(now.mean, now.half_family))
}

fn is_boring(now: &Estimate, band: &Band) -> bool {
    now.half <= band.target_half_width && band.holds(now.mean, now.half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::design;

    fn values(stage: Stage, values: &[f64]) -> Vec<SessionValue> {
        let value = |(number, &value): (usize, &f64)| SessionValue {
            number: number as u32,
            stage,
            value,
            standard_error: 0.001,
            log_ratios: vec![value],
            blocks: 1,
        };
        values.iter().enumerate().map(value).collect()
    }

    fn run(values: &[SessionValue], screening: u32, finished: bool) -> Estimate {
        let design = design(screening, 9);
        let rules = Rules { design: &design, family: 22, finished };
        estimate(values, &Band::new(&design, false, None), &rules).unwrap()
    }

    #[test]
    fn a_large_effect_stops_early_and_a_quiet_one_as_boring() {
        let large = values(Stage::Confirmation, &[0.70, 0.701, 0.699, 0.70]);
        assert!(run(&large, 0, false).settled);
        let quiet = values(Stage::Confirmation, &[0.0001, -0.0001, 0.0, 0.0002]);
        assert!(run(&quiet, 0, false).settled);
        let unclear = values(Stage::Confirmation, &[0.02, 0.01, 0.015, 0.012]);
        assert!(!run(&unclear, 0, false).settled);
        assert!(!run(&large[..3], 0, false).settled);
    }

    #[test]
    fn screening_ends_only_what_is_boring() {
        let quiet = values(Stage::Screening, &[0.0001, -0.0001, 0.0]);
        let found = run(&quiet, 3, false);
        assert!(found.settled && found.evidence.screened);
        let large = values(Stage::Screening, &[0.70, 0.701, 0.699]);
        assert!(!run(&large, 3, false).settled);
    }

    #[test]
    fn what_the_budget_cut_short_may_spend_the_rest() {
        let some = values(Stage::Confirmation, &[0.02, 0.01, 0.015, 0.012]);
        let (running, finished) = (run(&some, 0, false), run(&some, 0, true));
        assert!(finished.half < 0.5 * running.half);
        assert!(finished.p.unwrap() <= running.p.unwrap());
    }

    #[test]
    fn one_session_rests_on_the_assumption_and_has_no_p() {
        let found = run(&values(Stage::Confirmation, &[0.3]), 0, true);
        assert!(found.p.is_none() && found.half > 0.005 && !found.settled);
    }
}
