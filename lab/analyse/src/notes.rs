//! Notes beside a verdict: where its evidence came from, and what the checks that assume less say.

use humdrum_model::{Place, Results, TestInfo, Verdict};

use crate::estimate::Estimate;
use crate::resample::{Draws, bootstrap_half_width, sign_flip_floor, sign_flip_p};

/// Sessions up to which the bootstrap is run as a check even without a difference.
const FEW_SESSIONS: usize = 5;
/// Times by which the bootstrap's interval must be the wider one to be worth a note.
const DISAGREEMENT: f64 = 1.5;

/// Which sessions spoke, where that is not the rule.
pub(crate) fn origin_note(found: &Estimate) -> Option<String> {
    if found.evidence.screened {
        return Some("settled by screening: boring and narrow".to_owned());
    }
    found.evidence.pooled.then(|| "fewer than three sessions that count".to_owned())
}

/// Where the idle side of a test that writes could not be stopped in place.
pub(crate) fn awake_note(results: &Results, test: &TestInfo, subject: usize) -> Option<String> {
    let external = |number: usize| {
        results.plan.subjects.get(number).is_some_and(|one| matches!(one.place, Place::External(_)))
    };
    (test.writes && (external(0) || external(subject))).then(|| {
        "a server that humdrum did not start cannot be stopped while the other has its turn: what it does in the \
         background is partly on the other's clock"
            .to_owned()
    })
}

/// Where bootstrap or sign flips disagree with the t interval by a lot, or cannot say.
pub(crate) fn check_notes(found: &Estimate, verdict: Verdict, alpha: f64, draws: &mut Draws) -> Vec<String> {
    let difference = matches!(verdict, Verdict::Regression | Verdict::Improvement);
    let sessions = found.evidence.sessions.len();
    let mut notes = Vec::new();
    if sessions < 2 || !(difference || sessions <= FEW_SESSIONS) {
        return notes;
    }
    let boot = bootstrap_half_width(&found.evidence.sessions, draws).unwrap_or(0.0);
    if boot > DISAGREEMENT * found.half {
        notes.push(format!(
            "bootstrap over sessions and blocks gives a wider interval: ±{:.2} %",
            100.0 * boot
        ));
    }
    if difference {
        notes.extend(sign_flip_note(found, alpha, draws));
    }
    notes
}

fn sign_flip_note(found: &Estimate, alpha: f64, draws: &mut Draws) -> Option<String> {
    let values = found.evidence.values();
    let floor = sign_flip_floor(values.len());
    if floor > alpha {
        let sessions = values.len();
        return Some(format!(
            "sign-flip check impossible: {sessions} sessions cannot give a p below {floor:.3}"
        ));
    }
    let p = sign_flip_p(&values, draws);
    (p > alpha).then(|| format!("sign-flip check does not confirm it: p = {p:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::estimate;

    fn notes(sessions: u32, verdict: Verdict) -> Vec<String> {
        check_notes(&estimate(-0.03, 0.002, sessions, true), verdict, 0.05, &mut Draws::new(1, "t"))
    }

    #[test]
    fn few_sessions_are_told_that_signs_cannot_speak() {
        let told = notes(4, Verdict::Regression);
        assert_eq!(told, ["sign-flip check impossible: 4 sessions cannot give a p below 0.125"]);
        assert!(notes(9, Verdict::Regression).is_empty());
        assert!(notes(9, Verdict::Boring).is_empty());
    }

    #[test]
    fn scattered_blocks_are_told_of() {
        let mut found = estimate(0.0, 0.001, 4, true);
        found
            .evidence
            .sessions
            .iter_mut()
            .enumerate()
            .for_each(|(i, s)| s.log_ratios = vec![0.1 * i as f64, -0.1]);
        let told = check_notes(&found, Verdict::Boring, 0.05, &mut Draws::new(1, "t"));
        assert!(told.len() == 1 && told[0].starts_with("bootstrap"), "{told:?}");
    }
}
