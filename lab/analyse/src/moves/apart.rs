//! Releases that do not share all sessions, each known by its own sessions against the base.
//!
//! A release's level is the ln ratio of totals to the base over its own sessions. A difference of levels has one value
//! for each session in which any of the releases took part:
//!
//! ```text
//!   v = θ + Σ weight · S/n · √(n/(n - 1)) · (own - level)      n sessions of a release, S of all; sums over those that took part
//! ```
//!
//! The mean of the values is θ = Σ weight · level, and their spread is what θ is uncertain by. Where no session is shared,
//! that adds the variances of the levels. Where two releases share a session, the base's luck in it is counted once, with
//! its sign: twice in a sum, not at all in a difference. The root makes up for levels that were fitted to few sessions.

use std::collections::BTreeMap;

use super::RELEASES_MIN;
use super::row::VARIANCE_MIN;
use crate::band::Band;
use crate::estimate::{Estimate, Rules};
use crate::evidence::{Evidence, confirmation};
use crate::interval::{Means, means};
use crate::measure::{at_its_look, of_means};
use crate::ratio::{SessionValue, session_values};
use crate::robust::mean;
use crate::run::KeptSession;

/// A release's weight in a difference, and its sessions against the base.
pub(super) type Level = (f64, Vec<SessionValue>);

/// The difference Σ weight · level. It is looked at as the release with the fewest sessions is. `None` where a release has
/// fewer than two.
pub(super) fn difference(levels: &[Level], band: &Band, rules: &Rules<'_>) -> Option<Estimate> {
    let look = |last| {
        let evidence = |(weight, values): &Level| (*weight, confirmation(rules.design, values, last));
        let levels: Vec<(f64, Evidence)> = levels.iter().map(evidence).collect();
        let found = means(&by_session(&levels))?;
        let fewest = levels.into_iter().map(|(_, evidence)| evidence).min_by_key(sessions)?;
        (sessions(&fewest) > 1).then(|| of_means(&found, fewest, band, rules))
    };
    at_its_look(look, band, rules)
}

/// Each release's level, and the mean variance of one. The base's is known: it is what the others are compared with.
pub(super) fn row(
    sessions: &[KeptSession<'_>],
    measured: &[usize],
    rules: &Rules<'_>,
) -> Option<(Vec<f64>, f64)> {
    let others = measured.iter().filter(|subject| **subject > 0);
    let means: Option<Vec<Means>> =
        others.map(|subject| level(&session_values(sessions, *subject), rules)).collect();
    let means = means.filter(|_| measured.len() >= RELEASES_MIN)?;
    let base = measured.first().filter(|subject| **subject == 0).map(|_| 0.0);
    let row = base.into_iter().chain(means.iter().map(|means| means.mean)).collect();
    let variances: Vec<f64> = means.iter().map(|means| means.standard_error.powi(2)).collect();
    Some((row, mean(&variances).max(VARIANCE_MIN)))
}

/// A release's level and its error; `None` below two sessions.
fn level(values: &[SessionValue], rules: &Rules<'_>) -> Option<Means> {
    confirmation(rules.design, values, false).means()
}

fn sessions(evidence: &Evidence) -> usize {
    evidence.sessions.len()
}

/// The values of a difference, in session order.
fn by_session(levels: &[(f64, Evidence)]) -> Vec<f64> {
    let numbers = |evidence: &Evidence| evidence.sessions.iter().map(|one| one.number).collect::<Vec<u32>>();
    let all = levels.iter().flat_map(|(_, evidence)| numbers(evidence));
    let mut found: BTreeMap<u32, f64> = all.map(|number| (number, 0.0)).collect();
    let (count, mut whole) = (found.len() as f64, 0.0);
    for (weight, evidence) in levels {
        let values = evidence.values();
        let (own, level) = (values.len() as f64, mean(&values));
        whole += weight * level;
        let share = weight * count / own * (own / (own - 1.0)).sqrt();
        for (number, value) in numbers(evidence).into_iter().zip(values) {
            *found.entry(number).or_default() += share * (value - level);
        }
    }
    found.into_values().map(|value| whole + value).collect()
}

#[cfg(test)]
mod tests {
    use humdrum_model::Stage;

    use super::*;
    use crate::testkit::{Rng, design, session_value};

    /// Six releases of `luck`, two in each of so many sessions, which have `base_luck` each.
    fn levels(sessions: u32, base_luck: f64, luck: f64, rng: &mut Rng, weights: [f64; 6]) -> Vec<Level> {
        let mut levels: Vec<Level> = weights.map(|weight| (weight, Vec::new())).into();
        for number in 0..sessions {
            let base = base_luck * rng.normal();
            // Two neighbours of a circle whose steps change, so that all meet.
            let (first, step) = (number as usize % 6, 1 + number as usize / 6 % 5);
            for release in [first, (first + step) % 6] {
                let value = session_value(number, Stage::Confirmation, base + luck * rng.normal());
                levels[release].1.push(value);
            }
        }
        levels.retain(|(weight, _)| *weight != 0.0);
        levels
    }

    fn share_within(sessions: u32, base_luck: f64, weights: [f64; 6]) -> f64 {
        let mut rng = Rng::new(11);
        let design = design(0, sessions / 3);
        let rules = Rules { design: &design, family: 1, finished: true };
        let band = Band::new(&design, false, None);
        let held = (0..3000).filter(|_| {
            let levels = levels(sessions, base_luck, 0.01, &mut rng, weights);
            let found = difference(&levels, &band, &rules).unwrap();
            // The interval of a last look is a little wider than 95 %: the looks before it have spent some.
            found.mean.abs() <= found.half
        });
        held.count() as f64 / 3000.0
    }

    #[test]
    fn intervals_hold_whatever_sessions_have_in_common() {
        let step = [-1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let groups = [-0.5, -0.5, 0.25, 0.25, 0.25, 0.25];
        let against_the_base = [1.0 / 6.0; 6];
        for (name, weights) in [("step", step), ("groups", groups), ("base", against_the_base)] {
            for (sessions, base_luck) in [(12, 0.0), (12, 0.01), (30, 0.0), (30, 0.02)] {
                let share = share_within(sessions, base_luck, weights);
                println!("{name}, {sessions} sessions, base {base_luck}: {share:.3}");
                assert!(share > 0.94, "{name}, {sessions} sessions, base {base_luck}: {share}");
            }
        }
    }

    #[test]
    fn without_shared_sessions_variances_add() {
        let values = |first: u32, values: &[f64]| -> Vec<SessionValue> {
            let value =
                |(number, value): (u32, &f64)| session_value(first + number, Stage::Confirmation, *value);
            (0..).zip(values).map(value).collect()
        };
        let (one, other) = (values(0, &[0.0, 0.01, 0.02, 0.01]), values(4, &[0.05, 0.06, 0.04, 0.05]));
        let design = design(0, 4);
        let rules = Rules { design: &design, family: 1, finished: true };
        let found = difference(
            &[(-1.0, one.clone()), (1.0, other.clone())],
            &Band::new(&design, false, None),
            &rules,
        );
        let found = found.unwrap();
        let [one, other] = [one, other].map(|values| level(&values, &rules).unwrap());
        assert!((found.mean - (other.mean - one.mean)).abs() < 1e-9);
        let error = one.standard_error.hypot(other.standard_error);
        let own = found.sd.unwrap() / 8f64.sqrt();
        // Eight sessions have a mean of their own: n / (n - 1).
        assert!((own / error - (8.0 / 7.0f64).sqrt()).abs() < 1e-6, "{own} {error}");
    }
}
