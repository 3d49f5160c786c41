//! Which sessions are evidence, and at which look: the two stages.
//!
//! Screening selects the tests that are measured further. The verdict of a selected test uses confirmation
//! sessions only, because sessions in which it was selected for a difference would overstate that difference.
//! Screening can also end a test, but only as *boring*. It has a tenth of the error rate for that, and
//! confirmation has the rest.

use humdrum_model::{Design, Stage};

use crate::interval::{Means, means};
use crate::ratio::{SessionValue, pooled};
use crate::sequential::Look;

/// Two-sided miss rate of the reported 95 % interval.
pub(crate) const CI_LEVEL: f64 = 0.05;
/// Part of every error rate that the screening look may spend.
const SCREENING_SHARE: f64 = 0.1;
/// With fewer screening sessions, screening ends no test.
const SCREENING_MIN: u32 = 2;
/// From this number on, only confirmation sessions are used.
const CONFIRMATION_MIN: usize = 3;

/// The sessions used for one (test, subject).
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// In session order.
    pub sessions: Vec<SessionValue>,
    /// Which look this is, of how many.
    pub look: Look,
    /// Part of every error rate that this look's stage may spend.
    pub share: f64,
    /// Settled by screening alone.
    pub screened: bool,
    /// Screening sessions had to be used beside too few confirmation sessions.
    pub pooled: bool,
}

impl Evidence {
    /// Two-sided nominal level at this look, so that a claim errs with probability `level` in the whole run.
    pub fn nominal(&self, level: f64) -> f64 {
        self.look.nominal(level * self.share)
    }

    /// A p that is valid after earlier looks.
    pub fn repeated_p(&self, marginal: f64) -> f64 {
        (self.look.repeated_p(marginal) / self.share).min(1.0)
    }

    /// ln ratios, one per session; their mean is the ln of the ratio of totals over all of them.
    pub fn values(&self) -> Vec<f64> {
        pooled(&self.sessions)
    }

    /// Mean and spread of the sessions; `None` below two.
    pub fn means(&self) -> Option<Means> {
        means(&self.values())
    }
}

/// The evidence of screening, once all its planned sessions are there.
pub(crate) fn screening(design: &Design, values: &[SessionValue]) -> Option<Evidence> {
    let sessions = of_stage(values, Stage::Screening);
    let count = sessions.len() as u32;
    if !can_end(design) || count < design.screening_sessions {
        return None;
    }
    let look = Look::only(count);
    Some(Evidence { sessions, look, share: SCREENING_SHARE, screened: true, pooled: false })
}

/// The evidence after screening: confirmation sessions alone if there are three of them, else all sessions.
/// `last` means that no session follows, for reasons other than the data (cap reached, budget spent).
pub(crate) fn confirmation(design: &Design, values: &[SessionValue], last: bool) -> Evidence {
    let share = if can_end(design) { 1.0 - SCREENING_SHARE } else { 1.0 };
    let fresh = of_stage(values, Stage::Confirmation);
    let pooled = fresh.len() < CONFIRMATION_MIN;
    let (sessions, planned) = if pooled {
        let all: Vec<SessionValue> =
            values.iter().filter(|v| v.stage != Stage::SliceCheck).cloned().collect();
        (all, design.screening_sessions + design.confirmation_sessions)
    } else {
        (fresh, design.confirmation_sessions)
    };
    let count = sessions.len() as u32;
    let look = match design.is_planned() {
        true => Look::after(count, planned.max(count), last || count >= planned),
        // Runs of others: nobody looked at some of them to decide whether there should be more.
        false => Look::only(count),
    };
    // Fewer than three sessions settle nothing, whether or not some of them were for screening.
    Evidence {
        pooled: pooled && design.confirmation_sessions > 0 && count > 0,
        sessions,
        look,
        share,
        screened: false,
    }
}

fn can_end(design: &Design) -> bool {
    design.screening_sessions >= SCREENING_MIN
}

fn of_stage(values: &[SessionValue], stage: Stage) -> Vec<SessionValue> {
    values.iter().filter(|value| value.stage == stage).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{design, session_value};

    fn value(number: u32, stage: Stage) -> SessionValue {
        session_value(number, stage, 0.01 * f64::from(number))
    }

    #[test]
    fn fresh_sessions_speak_alone_from_the_third_on() {
        let mut values: Vec<SessionValue> = (0..3).map(|n| value(n, Stage::Screening)).collect();
        values.extend((3..5).map(|n| value(n, Stage::Confirmation)));
        let design = design(3, 9);
        let before = confirmation(&design, &values, false);
        assert!(before.pooled && before.sessions.len() == 5);
        values.push(value(5, Stage::Confirmation));
        values.push(value(6, Stage::SliceCheck));
        let after = confirmation(&design, &values, false);
        assert_eq!(after.sessions.iter().map(|session| session.number).collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(after.look, Look::after(3, 9, false));
    }

    #[test]
    fn screening_looks_once_and_shares_the_error() {
        let values: Vec<SessionValue> = (0..3).map(|n| value(n, Stage::Screening)).collect();
        assert!(screening(&design(4, 9), &values).is_none());
        let look = screening(&design(3, 9), &values).unwrap();
        assert!((look.nominal(0.05) - 0.005).abs() < 1e-12);
        assert!((look.repeated_p(0.01) - 0.1).abs() < 1e-12);
        assert!(screening(&design(0, 9), &values).is_none());
    }
}
