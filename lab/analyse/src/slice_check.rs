//! Whether the ratio depends on the length of slices. In short slices caches stay half-cold, so a few tests
//! are repeated with slices ten times as long.

use humdrum_model::Stage;

use crate::dist::{normal_critical, t_critical};
use crate::interval::{Means, means};
use crate::ratio::{SessionValue, session_values};
use crate::run::Run;

/// Per test with long-slice sessions: (test, ratio with long slices / ratio with short ones, 95 % interval). With
/// several subjects the name is `test: subject`.
pub(crate) fn slice_checks(run: &Run<'_>) -> Vec<(String, f64, [f64; 2])> {
    let plan = &run.results.plan;
    let pairs = plan.tests.iter().flat_map(|test| run.compared().map(move |subject| (test, subject)));
    let rows = pairs.filter_map(|(test, subject)| {
        let values = session_values(&run.test(&test.name)?.sessions, subject);
        let (ratio, ci95) = agreement(&values, plan.design.assumed_session_sd)?;
        let several = run.compared().len() > 1;
        let label = &plan.subjects[subject].label;
        let name = if several { format!("{}: {label}", test.name) } else { test.name.clone() };
        Some((name, ratio, ci95))
    });
    rows.collect()
}

fn agreement(values: &[SessionValue], assumed_sd: f64) -> Option<(f64, [f64; 2])> {
    let (long, short): (Vec<&SessionValue>, Vec<&SessionValue>) =
        values.iter().partition(|value| value.stage == Stage::SliceCheck);
    let short = means(&short.iter().map(|value| value.value).collect::<Vec<_>>())?;
    let (difference, half) = match means(&long.iter().map(|value| value.value).collect::<Vec<_>>()) {
        Some(long) => (long.mean - short.mean, welch_half_width(&long, &short)),
        None => single(long.first()?, &short, assumed_sd),
    };
    Some((difference.exp(), [(difference - half).exp(), (difference + half).exp()]))
}

/// Welch's interval, with Satterthwaite's degrees of freedom.
fn welch_half_width(a: &Means, b: &Means) -> f64 {
    let (va, vb) = (a.standard_error.powi(2), b.standard_error.powi(2));
    let freedom = (va + vb).powi(2) / (va * va / a.freedom + vb * vb / b.freedom);
    t_critical(0.05, freedom) * (va + vb).sqrt()
}

/// One long-slice session: its own scatter, and a scatter between sessions as of the short ones or as
/// assumed.
fn single(long: &SessionValue, short: &Means, assumed_sd: f64) -> (f64, f64) {
    let within = if long.standard_error.is_finite() { long.standard_error } else { assumed_sd };
    let error = within.hypot(short.sd.max(assumed_sd)).hypot(short.standard_error);
    (long.value - short.mean, t_critical(0.05, short.freedom).max(normal_critical(0.025)) * error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Bench, Rng};

    fn checked(long_sessions: u32, long_effect: f64) -> Vec<(String, f64, [f64; 2])> {
        let mut bench = Bench::new(&["a", "b"], 2, 0, 6);
        let mut rng = Rng::new(6);
        for _ in 0..6 {
            bench.session(Stage::Confirmation, |_| true, 10, |_, _| 0.02 + 0.003 * rng.normal());
        }
        for _ in 0..long_sessions {
            bench.session(
                Stage::SliceCheck,
                |test| test == "a",
                4,
                |_, _| long_effect + 0.003 * rng.normal(),
            );
        }
        slice_checks(&Run::new(&bench.results))
    }

    #[test]
    fn agreement_and_disagreement_show() {
        let same = checked(3, 0.02);
        assert!(same.len() == 1 && same[0].0 == "a" && same[0].2[0] < 1.0 && same[0].2[1] > 1.0);
        let other = checked(3, 0.10);
        assert!(other[0].2[0] > 1.0, "{other:?}");
        assert!(checked(1, 0.10)[0].2[0] > 1.0);
        assert!(checked(0, 0.0).is_empty());
    }
}
