//! Computes the estimate of one (test, subject) from its sessions.

use humdrum_model::Stage;

use crate::band::Band;
use crate::decide::{is_boring, is_settled, margin_p};
use crate::dist::normal_critical;
use crate::estimate::{Estimate, Rules};
use crate::evidence::{CI_LEVEL, Evidence, confirmation, screening};
use crate::interval::Means;
use crate::ratio::SessionValue;

/// `None` before the first session.
///
/// If a test was not settled when the run finished, the budget ended it and not its data, so its last look
/// may spend all the error that is left. A settled test keeps the look at which it was settled.
pub(crate) fn estimate(values: &[SessionValue], band: &Band, rules: &Rules<'_>) -> Option<Estimate> {
    if !values.iter().any(|value| value.stage == Stage::Confirmation)
        && let Some(mut screened) =
            screening(rules.design, values).and_then(|found| measure(found, band, rules))
        && is_boring(&screened, band)
    {
        screened.settled = true;
        return Some(screened);
    }
    at_its_look(|last| measure(confirmation(rules.design, values, last), band, rules), band, rules)
}

/// The estimate at the look that counts; `look` is asked whether or not it is the last one.
pub(crate) fn at_its_look(
    look: impl Fn(bool) -> Option<Estimate>,
    band: &Band,
    rules: &Rules<'_>,
) -> Option<Estimate> {
    let mut now = look(false)?;
    now.settled = is_settled(&now, band, rules.design);
    if now.settled || !rules.finished { Some(now) } else { look(true) }
}

/// The estimate at a given look.
pub(crate) fn measure(evidence: Evidence, band: &Band, rules: &Rules<'_>) -> Option<Estimate> {
    match evidence.means() {
        Some(means) => Some(of_means(&means, evidence, band, rules)),
        None => single(evidence, rules),
    }
}

/// The same of means that were made from the evidence.
pub(crate) fn of_means(means: &Means, evidence: Evidence, band: &Band, rules: &Rules<'_>) -> Estimate {
    let capped = evidence.look.last && evidence.look.sessions >= evidence.look.planned && !evidence.screened;
    let half = means.half_width(evidence.nominal(CI_LEVEL));
    let half_family = means.half_width(evidence.nominal(rules.design.alpha / rules.family as f64));
    Estimate {
        mean: means.mean,
        sd: Some(means.sd),
        half,
        half_family,
        freedom: means.freedom,
        p: Some(evidence.repeated_p(margin_p(means, band))),
        capped,
        settled: false,
        evidence,
    }
}

/// The estimate of a single session, from its own scatter and the scatter between sessions that planning
/// assumed. It has no p, so no verdict.
fn single(evidence: Evidence, rules: &Rules<'_>) -> Option<Estimate> {
    let session = evidence.sessions.first()?;
    let within = if session.standard_error.is_finite() { session.standard_error } else { 0.0 };
    let between = if rules.design.is_planned() { rules.design.assumed_session_sd } else { f64::INFINITY };
    let half = normal_critical(0.5 * CI_LEVEL) * within.hypot(between);
    Some(Estimate {
        mean: session.value,
        sd: None,
        half,
        half_family: f64::INFINITY,
        freedom: 0.0,
        p: None,
        capped: false,
        settled: false,
        evidence,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{design, session_value};

    fn values(stage: Stage, values: &[f64]) -> Vec<SessionValue> {
        let value = |(number, &value): (usize, &f64)| session_value(number as u32, stage, value);
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
