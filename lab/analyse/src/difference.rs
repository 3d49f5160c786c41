//! Two runs of the same subjects under two conditions: how much their ratios differ, such as those of servers that take turns from
//! those of servers that have the host to themselves.
//!
//! The sessions of both runs are independent, so that the difference of the mean ln ratios has the standard error and the
//! degrees of freedom of Welch 1947.

use humdrum_model::{Difference, Differences, Summary, TestResult};

use crate::dist::t_critical;
use crate::evidence::CI_LEVEL;
use crate::interval::{Means, means};

/// What the second run finds as a multiple of what the first one does, by place of the comparison and by test. Empty unless
/// there are two runs.
pub fn differences(runs: &[&Summary]) -> Differences {
    let [first, second] = runs else { return Differences::new() };
    let mut found = Differences::new();
    for (place, (one, two)) in first.comparisons.iter().zip(&second.comparisons).enumerate() {
        for test in &one.tests {
            let same = two.tests.iter().find(|other| other.test == test.test);
            let difference = same.and_then(|other| difference(&counted(test)?, &counted(other)?));
            found.extend(difference.map(|difference| ((place, test.test.clone()), difference)));
        }
    }
    found
}

/// The sessions of a test that has a ratio.
fn counted(test: &TestResult) -> Option<Means> {
    test.rqps.and_then(|_| means(&test.session_log_ratios))
}

fn difference(first: &Means, second: &Means) -> Option<Difference> {
    let squares = [first, second].map(|one| one.standard_error.powi(2));
    let sum: f64 = squares.iter().sum();
    let freedom = sum.powi(2) / (squares[0].powi(2) / first.freedom + squares[1].powi(2) / second.freedom);
    let (mean, half) = (second.mean - first.mean, t_critical(CI_LEVEL, freedom) * sum.sqrt());
    let found = [mean, mean - half, mean + half].map(f64::exp);
    found
        .iter()
        .all(|one| one.is_finite())
        .then_some(Difference { ratio: found[0], ci95: [found[1], found[2]] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::means;
    use crate::testkit::{Bench, Rng};

    #[test]
    fn nineteen_of_twenty_intervals_hold_the_truth() {
        let mut rng = Rng::new(3);
        let mut draw = |mean: f64, sd: f64, n: usize| {
            means(&(0..n).map(|_| mean + sd * rng.normal()).collect::<Vec<_>>())
        };
        let held = (0..4000).filter(|_| {
            let (narrow, wide) = (draw(0.05, 0.01, 8).unwrap(), draw(0.02, 0.05, 5).unwrap());
            let [low, high] = difference(&narrow, &wide).unwrap().ci95.map(f64::ln);
            (low..=high).contains(&-0.03)
        });
        let share = held.count() as f64 / 4000.0;
        assert!((0.935..=0.965).contains(&share), "{share}");
    }

    #[test]
    fn tests_of_both_runs_with_sessions_of_their_own_are_compared() {
        let run = |effect: f64, sessions: usize| {
            let mut bench = Bench::new(&["a", "b"], 2, 0, sessions as u32);
            let mut sign = 0.001;
            for _ in 0..sessions {
                sign = -sign;
                bench.session(humdrum_model::Stage::Confirmation, |_| true, 10, |_, _| effect + sign);
            }
            crate::summarise(&bench.results)
        };
        let (first, second) = (run(0.0, 6), run(0.03, 4));
        let found = differences(&[&first, &second]);
        assert_eq!(found.len(), 2);
        let a = found[&(0, "a".to_owned())];
        assert!((a.ratio.ln() - 0.03).abs() < 1e-3 && a.ci95[0] > 1.02 && a.ci95[1] < 1.04, "{a:?}");
        assert!(differences(&[&first]).is_empty() && differences(&[&first, &first, &first]).is_empty());
        assert!(differences(&[&first, &run(0.0, 1)]).is_empty(), "one session has no spread");
    }
}
