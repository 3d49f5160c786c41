//! Runs at several hours and on several hosts, judged together.

use super::*;
use crate::testkit::Bench;
use humdrum_model::Stage;

fn summarise_runs(first: &Results, further: &[Results]) -> Summary {
    let options = Options::default();
    let further: Vec<JudgedRun> = further.iter().map(|run| JudgedRun::of(run, &options)).collect();
    combine(&JudgedRun::of(first, &options), &further, &options)
}

/// A run of nine sessions whose hour shifts every ratio by `hour`, started at `started`.
fn run(seed: u64, started: &str, effect: f64, hour: f64) -> Results {
    let mut bench = Bench::new(&["t"], 2, 0, 9);
    bench.reseed(seed);
    (bench.block_noise, bench.results.started) = (0.002, started.into());
    bench.results.plan.tests[0].group = "range".into();
    for _ in 0..9 {
        bench.session(Stage::Confirmation, |_| true, 30, |_, _| effect + hour);
    }
    bench.results.finished = true;
    bench.results
}

fn together(effect: f64, hours: &[f64]) -> TestResult {
    let runs: Vec<Results> =
        hours.iter().zip(1..).map(|(hour, seed)| run(seed, &format!("hour {seed}"), effect, *hour)).collect();
    let summary = summarise_runs(&runs[0], &runs[1..]);
    summary.comparisons[0].tests[0].clone()
}

#[test]
fn one_run_is_judged_as_by_itself() {
    let alone = run(1, "hour 1", 0.0, 0.0);
    assert_eq!(summarise_runs(&alone, &[]), summarise_with(&alone, &Options::default()));
}

#[test]
fn the_ratio_is_the_mean_over_runs_and_hours_widen_its_interval() {
    let found = together(-0.05, &[0.004, -0.004, 0.0]);
    assert_eq!((found.verdict, found.runs.len(), found.sessions), (Some(Verdict::Regression), 3, 27));
    assert!((found.rqps.unwrap() - (-0.05_f64).exp()).abs() < 0.001, "{:?}", found.rqps);
    let width = |ends: Option<[f64; 2]>| ends.map(|[low, high]| high - low).unwrap();
    assert!(width(found.ci95) > 2.0 * width(found.runs[0].ci95), "{found:?}");
    let reach = found.reach.unwrap();
    assert!(reach.bears_out && reach.basis.starts_with("3 runs and "), "{reach:?}");
}

#[test]
fn hours_that_disagree_decide_nothing_though_each_run_did() {
    let found = together(0.0, &[-0.03, 0.03]);
    assert_eq!(found.runs[0].verdict, Some(Verdict::Regression));
    assert_eq!(found.runs[1].verdict, Some(Verdict::Improvement));
    assert_eq!(found.verdict, Some(Verdict::Inconclusive));
}

#[test]
fn a_test_that_failed_in_a_run_has_failed() {
    let mut runs = [run(1, "hour 1", 0.0, 0.0), run(2, "hour 2", 0.0, 0.0)];
    runs[1].events.push(humdrum_model::Event {
        subject: Some(1),
        test: Some("t".into()),
        status: TestStatus::Failed,
        what: "it crashed".into(),
        session: Some(3),
        log_tail: None,
    });
    let summary = summarise_runs(&runs[0], &runs[1..]);
    let found = &summary.comparisons[0].tests[0];
    assert_eq!((found.status, found.verdict), (TestStatus::Failed, None), "{found:?}");
}

/// Runs on hosts with these ids, whose ratios are off by so much.
fn over_hosts(effect: f64, hosts: &[(&str, f64)]) -> TestResult {
    let runs: Vec<Results> = hosts
        .iter()
        .zip(1..)
        .map(|((host, off), seed)| {
            let mut results = run(seed, "hour", effect, *off);
            results.host.id = Some((*host).to_owned());
            results.host.processor.generation = format!("AMD Zen {seed}");
            results
        })
        .collect();
    let summary = summarise_runs(&runs[0], &runs[1..]);
    summary.comparisons[0].tests[0].clone()
}

#[test]
fn three_hosts_are_judged_by_how_much_they_differ_and_predict_another() {
    let found = over_hosts(-0.05, &[("a", 0.004), ("b", -0.004), ("c", 0.0)]);
    let reach = found.reach.unwrap();
    assert_eq!((found.verdict, reach.over_hosts), (Some(Verdict::Regression), true));
    assert_eq!((reach.basis.as_str(), found.runs[1].host.as_deref()), ("3 hosts", Some("AMD Zen 2")));
    let [low, high] = reach.another_run;
    assert!(low < 0.951 && 0.951 < high && high - low > 0.01, "{low} {high}");
    let found = over_hosts(-0.05, &[("a", 0.05), ("b", -0.05), ("c", 0.1)]);
    assert_eq!(found.verdict, Some(Verdict::Inconclusive));
}

#[test]
fn of_two_hosts_only_a_verdict_that_both_have_stands() {
    let found = over_hosts(-0.05, &[("a", 0.01), ("b", -0.01)]);
    assert_eq!((found.verdict, found.reach.clone()), (Some(Verdict::Regression), None));
    assert!(found.ci95.is_some_and(|[low, high]| low < 0.945 && high > 0.955), "{:?}", found.ci95);
    let found = over_hosts(0.0, &[("a", 0.0), ("b", -0.05)]);
    assert_eq!(found.verdict, Some(Verdict::Inconclusive));
    assert!(found.notes.iter().any(|note| note.contains("two hosts do not show")), "{:?}", found.notes);
}

#[test]
fn further_runs_of_one_host_are_hours_of_it() {
    let found = over_hosts(-0.05, &[("a", 0.004), ("a", -0.004), ("a", 0.0)]);
    assert!(found.reach.is_some_and(|reach| !reach.over_hosts));
    assert!(found.runs.iter().all(|run| run.host.is_none()));
}
