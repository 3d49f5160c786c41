//! Variances and intervals over simulated runs.

use super::*;
use crate::testkit::Rng;

/// Runs whose hours differ by `sd`.
fn runs(rng: &mut Rng, count: usize, sd: f64) -> Vec<RunEstimate> {
    let error = 0.002;
    let run = |_| RunEstimate {
        mean: sd * rng.normal() + error * rng.normal(),
        standard_error: error,
        freedom: 11.0,
    };
    (0..count).map(run).collect()
}

#[test]
fn the_variance_between_runs_is_found() {
    let mut rng = Rng::new(1);
    let found: Vec<f64> = (0..400).map(|_| paule_mandel(&runs(&mut rng, 12, 0.005))).collect();
    let sd = mean(&found).sqrt();
    assert!((sd - 0.005).abs() < 4e-4, "{sd}");
    assert_eq!(paule_mandel(&[RunEstimate { mean: 0.1, standard_error: 0.01, freedom: 5.0 }; 4]), 0.0);
}

/// Finding 2: the interval of one run holds for that run. Q / df was 5 to 6.7 over nine runs, which is an sd between
/// hours of 2.3 times a run's own error.
#[test]
fn another_run_lies_where_this_one_says_and_not_inside_its_own_interval() {
    let mut rng = Rng::new(2);
    let tests: Vec<Vec<RunEstimate>> = (0..400).map(|_| runs(&mut rng, 12, 0.0046)).collect();
    let found = coverage(&tests).unwrap();
    assert!((0.92..0.98).contains(&found), "{found}");
    let naive = tests.iter().filter(|runs| {
        let [one, other, ..] = runs.as_slice() else { return false };
        (one.mean - other.mean).abs() < 1.96 * one.standard_error * 2f64.sqrt()
    });
    assert!(naive.count() < 300, "this run's interval would have to hold in 380 of 400");
}

#[test]
fn one_run_takes_its_history() {
    let mut rng = Rng::new(3);
    let history = History { class: "*".into(), sd: 0.005, freedom: 8.0, basis: String::new() };
    let held = (0..2000).filter(|_| {
        let [low, high] = another_run(&runs(&mut rng, 1, 0.005), Some(&history)).unwrap();
        (low..high).contains(&(0.005 * rng.normal()))
    });
    let share = held.count() as f64 / 2000.0;
    assert!((0.93..0.985).contains(&share), "{share}");
    assert!(another_run(&runs(&mut rng, 1, 0.0), None).is_none());
    assert!(another_run(&[], Some(&history)).is_none());
    assert!(another_host(&runs(&mut rng, 3, 0.01)).is_some());
}

#[test]
fn the_given_history_comes_before_the_shipped_one() {
    let given = History { class: "*".into(), sd: 0.1, freedom: 8.0, basis: "this host".into() };
    assert_eq!(known(&[given], "point").unwrap().basis, "this host");
    assert!(known(&[], "point").is_some_and(|row| row.sd > 0.0 && row.freedom > 0.0));
    assert!(known(&[], "write").is_none(), "no record tells how writes differ from run to run");
}
