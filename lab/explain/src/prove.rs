//! The share of a change that a setting carries, from new blocks of four subjects side by side: the old and
//! the new one as they are, the new one with the old value, and the old one with the new value.

use std::collections::BTreeMap;

use humdrum_analyse::{Mean, log_ratios, mean_of};
use humdrum_model::{Carried, Change, Results, SettingChange};

/// The subjects of a proof. The old one is the base, 0, and the new one is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The new one with the old value.
    pub back: Option<usize>,
    /// The old one with the new value.
    pub forth: Option<usize>,
}

/// The labels of a proof's subjects.
pub const PROOF_LABELS: [&str; 4] = ["old", "new", "back", "forth"];

/// The share of a test's change that a setting carries, from the results of a proof.
pub fn carried_by(proof: &Results, test: &str, setting: &SettingChange) -> Carried {
    // A proof has one test; a run at several numbers of clients has another name for it.
    let test = proof.plan.tests.first().map_or(test, |one| one.name.as_str());
    let place = |label: &str| proof.plan.subjects.iter().position(|subject| subject.label == label);
    carried(proof, test, setting, Proof { back: place(PROOF_LABELS[2]), forth: place(PROOF_LABELS[3]) })
}

/// Reads a proof. A share is of the change between old and new in the same blocks. Its interval includes the error of
/// that change too (a ratio of means, linearised).
pub fn carried(results: &Results, test: &str, setting: &SettingChange, proof: Proof) -> Carried {
    let whole = log_ratios(results, test, 1, 0);
    let back = proof.back.map(|subject| log_ratios(results, test, subject, 1));
    let forth = proof.forth.map(|subject| log_ratios(results, test, subject, 0));
    let share = share(&whole, back.as_ref(), forth.as_ref());
    Carried {
        name: setting.name.clone(),
        base: setting.base.clone(),
        subject: setting.subject.clone(),
        back: back.as_ref().and_then(change),
        forth: forth.as_ref().and_then(change),
        share: share.map(|share| share.mean),
        share_ci95: share.and_then(|share| share.ci95),
        restores_plan: proof.back.and_then(|back| crate::plans::restored(results, test, back)),
        note: share.is_none().then(|| "too few sessions, or nothing moved in the fresh blocks".to_owned()),
    }
}

/// One value of each session, by the session's number.
type Sessions = BTreeMap<u32, f64>;

fn change(log_ratios: &Sessions) -> Option<Change> {
    let mean = mean_of(&values(log_ratios))?;
    Some(Change { base: 0.0, subject: mean.mean, change: mean.mean, ci95: mean.ci95 })
}

fn values(sessions: &Sessions) -> Vec<f64> {
    sessions.values().copied().collect()
}

/// The share of the change that the setting carries. `back` removes the setting's effect, `forth` brings it. Both ways
/// and the whole change are computed from the sessions that have all of them. A way that ran in less than half of the
/// sessions is left out, so that those sessions can be used.
fn share(whole: &Sessions, back: Option<&Sessions>, forth: Option<&Sessions>) -> Option<Mean> {
    let ways = [(-1.0, back), (1.0, forth)].into_iter().filter_map(|(sign, way)| Some((sign, way?)));
    let ran = |way: &Sessions| whole.keys().filter(|session| way.contains_key(session)).count();
    let ways: Vec<(f64, &Sessions)> = ways.filter(|(_, way)| 2 * ran(way) >= whole.len().max(1)).collect();
    if ways.is_empty() {
        return None;
    }
    let pair = |(session, whole): (&u32, &f64)| {
        let each = ways.iter().map(|(sign, way)| way.get(session).map(|value| sign * value));
        let sum = each.sum::<Option<f64>>()?;
        Some((sum / ways.len() as f64, *whole))
    };
    let pairs: Vec<(f64, f64)> = whole.iter().filter_map(pair).collect();
    let of = |value: &dyn Fn(&(f64, f64)) -> f64| mean_of(&pairs.iter().map(value).collect::<Vec<_>>());
    let total =
        of(&|pair| pair.1).filter(|total| total.ci95.is_some_and(|[low, high]| low > 0.0 || high < 0.0))?;
    let ratio = of(&|pair| pair.0)?.mean / total.mean;
    let off = of(&|(part, whole)| (part - ratio * whole) / total.mean)?;
    Some(Mean { mean: ratio, ci95: off.ci95.map(|[low, high]| [ratio + low, ratio + high]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(values: &[f64]) -> Sessions {
        (0..).zip(values.iter().copied()).collect()
    }

    #[test]
    fn a_setting_that_carries_half_is_seen_to() {
        let whole = sessions(&[-0.20, -0.21, -0.19, -0.20]);
        let back = sessions(&[0.10, 0.11, 0.09, 0.10]);
        let forth = sessions(&[-0.10, -0.10, -0.10, -0.10]);
        let found = share(&whole, Some(&back), Some(&forth)).unwrap();
        let [low, high] = found.ci95.unwrap();
        assert!((found.mean - 0.5).abs() < 1e-9 && low < 0.5 && high > 0.5 && high - low < 0.1, "{found:?}");
    }

    #[test]
    fn nothing_is_carried_of_no_change() {
        let none = sessions(&[0.01, -0.01, 0.005]);
        assert!(share(&none, Some(&sessions(&[0.0, 0.01, 0.0])), None).is_none());
        assert!(share(&sessions(&[-0.2, -0.2, -0.21]), None, None).is_none());
    }

    #[test]
    fn sessions_are_paired_by_their_numbers() {
        // A change that differs much from session to session, of which the setting carries half in each.
        let whole = sessions(&[-0.1, -0.2, -0.3, -0.4, -0.5]);
        let half = |sign: f64, without: u32| -> Sessions {
            let own = whole.iter().filter(|(session, _)| **session != without);
            own.map(|(session, change)| (*session, sign * change / 2.0)).collect()
        };
        let (back, forth) = (half(-1.0, 0), half(1.0, 4));
        let found = share(&whole, Some(&back), Some(&forth)).unwrap();
        let [low, high] = found.ci95.unwrap();
        assert!((found.mean - 0.5).abs() < 1e-9 && high - low < 1e-4, "{found:?}");
        // One way alone, a session short.
        let found = share(&whole, Some(&back), None).unwrap();
        assert!((found.mean - 0.5).abs() < 1e-9, "{found:?}");
        // A way that failed early does not take the other's sessions away.
        let broken: Sessions = [(0, -9.0)].into();
        let found = share(&whole, Some(&back), Some(&broken)).unwrap();
        assert!((found.mean - 0.5).abs() < 1e-9 && found.ci95.is_some(), "{found:?}");
    }
}
