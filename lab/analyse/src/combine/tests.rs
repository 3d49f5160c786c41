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

fn crash() -> humdrum_model::Event {
    humdrum_model::Event {
        subject: Some(1),
        test: Some("t".into()),
        status: TestStatus::Failed,
        what: "it crashed".into(),
        session: Some(3),
        log_tail: None,
    }
}

#[test]
fn a_test_that_failed_in_a_run_has_failed() {
    let mut runs = [run(1, "hour 1", 0.0, 0.0), run(2, "hour 2", 0.0, 0.0)];
    runs[1].events.push(crash());
    let summary = summarise_runs(&runs[0], &runs[1..]);
    let found = &summary.comparisons[0].tests[0];
    assert_eq!((found.status, found.verdict), (TestStatus::Failed, None), "{found:?}");
}

/// Runs on hosts with these ids, whose ratios are off by so much. All are of one kind.
fn over_hosts(effect: f64, hosts: &[(&str, f64)]) -> TestResult {
    judged(&runs_over_hosts(effect, hosts))
}

fn runs_over_hosts(effect: f64, hosts: &[(&str, f64)]) -> Vec<Results> {
    let run = |((host, off), seed): (&(&str, f64), u64)| {
        let mut results = run(seed, "hour", effect, *off);
        results.host.id = Some((*host).to_owned());
        results.host.processor.generation = "AMD Zen 3".to_owned();
        results
    };
    hosts.iter().zip(1..).map(run).collect()
}

/// The same of hosts with these processors.
fn over_kinds(effect: f64, hosts: &[(&str, f64)]) -> TestResult {
    let ids = ["a", "b", "c", "d", "e"];
    let named: Vec<(&str, f64)> = ids.into_iter().zip(hosts).map(|(id, (_, off))| (id, *off)).collect();
    let mut runs = runs_over_hosts(effect, &named);
    for (run, (kind, _)) in runs.iter_mut().zip(hosts) {
        run.host.processor.generation = (*kind).to_owned();
    }
    judged(&runs)
}

fn judged(runs: &[Results]) -> TestResult {
    summarise_runs(&runs[0], &runs[1..]).comparisons[0].tests[0].clone()
}

#[test]
fn three_hosts_are_judged_by_how_much_they_differ_and_predict_another() {
    let found = over_hosts(-0.05, &[("a", 0.004), ("b", -0.004), ("c", 0.0)]);
    let reach = found.reach.unwrap();
    assert_eq!((found.verdict, reach.over_hosts), (Some(Verdict::Regression), true));
    assert_eq!((reach.basis.as_str(), found.runs[1].host.as_deref()), ("3 hosts", Some("AMD Zen 3")));
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
fn three_hosts_of_two_kinds_predict_nothing_and_only_a_verdict_that_all_have_stands() {
    let found = over_kinds(-0.05, &[("AMD Zen 3", 0.01), ("AMD Zen 4", -0.01), ("AMD Zen 3", 0.0)]);
    assert_eq!((found.verdict, found.reach.clone()), (Some(Verdict::Regression), None));
    let [low, high] = found.ci95.expect("the hull");
    assert!(low < (-0.06_f64).exp() && high > (-0.04_f64).exp(), "{low} {high}");
    let why = "3 hosts with 2 kinds of processor do not show";
    assert!(found.notes.iter().any(|note| note.starts_with(why)), "{:?}", found.notes);
    let found = over_kinds(-0.05, &[("AMD Zen 3", 0.0), ("AMD Zen 4", 0.05), ("AMD Zen 3", 0.0)]);
    assert_eq!((found.verdict, found.p_adjusted), (Some(Verdict::Inconclusive), None));
    let told = "by host: regression on AMD Zen 3 (2); boring on AMD Zen 4".to_owned();
    assert!(found.notes.contains(&told), "{:?}", found.notes);
}

#[test]
fn five_kinds_show_how_much_kinds_differ_though_no_two_hosts_are_of_one() {
    let kinds = [("a", 0.004), ("b", -0.004), ("c", 0.0), ("d", 0.002), ("e", -0.002)];
    let reach = over_kinds(-0.05, &kinds).reach.expect("a reach");
    assert_eq!((reach.basis.as_str(), reach.over_hosts, reach.kinds), ("5 hosts", true, None));
    assert_eq!(over_kinds(-0.05, &kinds[..4]).reach, None);
}

#[test]
fn further_runs_of_one_host_are_hours_of_it() {
    let found = over_hosts(-0.05, &[("a", 0.004), ("a", -0.004), ("a", 0.0)]);
    assert!(found.reach.is_some_and(|reach| !reach.over_hosts));
    assert!(found.runs.iter().all(|run| run.host.is_none()));
}

#[test]
fn a_host_with_several_runs_is_one_of_the_hosts() {
    let found = over_hosts(-0.05, &[("a", 0.004), ("b", -0.004), ("c", 0.0), ("b", 0.004)]);
    assert_eq!(found.runs.len(), 3);
    assert!(found.runs[1].rqps.is_some_and(|ratio| (ratio - (-0.05_f64).exp()).abs() < 0.002), "{found:?}");
    assert_eq!(found.reach.map(|reach| (reach.over_hosts, reach.basis)), Some((true, "3 hosts".into())));
}

#[test]
fn a_host_without_a_ratio_is_named_and_does_not_void_the_others() {
    let mut runs = runs_over_hosts(-0.05, &[("a", 0.004), ("b", -0.004), ("c", 0.0), ("d", 0.0)]);
    runs[2].blocks.clear();
    let found = judged(&runs);
    assert_eq!((found.verdict, found.runs.len()), (Some(Verdict::Regression), 4));
    assert!(found.reach.as_ref().is_some_and(|reach| reach.basis == "3 hosts"), "{:?}", found.reach);
    assert!(
        found.notes.iter().any(|note| note.starts_with("host 3 (AMD Zen 3) has no ratio")),
        "{:?}",
        found.notes
    );
    // One of two.
    runs.truncate(3);
    runs.remove(0);
    let found = judged(&runs);
    assert_eq!(found.verdict, Some(Verdict::Regression));
    assert!(found.notes.iter().any(|note| note.starts_with("one host alone")), "{:?}", found.notes);
}

#[test]
fn a_failure_on_one_host_is_told_with_the_host_and_the_others_are_still_shown() {
    let mut runs = runs_over_hosts(-0.05, &[("a", 0.004), ("b", -0.004), ("c", 0.0), ("d", 0.0)]);
    runs[3].events.push(crash());
    let found = judged(&runs);
    assert_eq!((found.status, found.runs.len()), (TestStatus::Failed, 4));
    assert!(
        found.runs[0].rqps.is_some() && found.notes.contains(&"host 4 (AMD Zen 3): failed".to_owned()),
        "{found:?}"
    );
}

#[test]
fn another_host_of_a_kind_is_predicted_from_hosts_of_that_kind() {
    let hosts = ["a", "b", "c", "d", "e", "f"].map(|host| (host, 0.0));
    let mut runs = runs_over_hosts(0.0, &hosts);
    for (place, run) in runs.iter_mut().enumerate() {
        let (kind, effect) = if place < 4 { ("AMD Zen 3", -0.03) } else { ("AMD Zen 4", 0.0) };
        let mut other = self::run(place as u64 + 11, "hour", effect, 0.0004 * place as f64);
        other.host.id.clone_from(&run.host.id);
        other.host.processor.generation = kind.into();
        *run = other;
    }
    let found = judged(&runs);
    let kinds = found.reach.expect("a reach").kinds.expect("kinds");
    let told: Vec<_> =
        kinds.kinds.iter().map(|kind| (kind.generation.as_str(), kind.hosts, kind.verdict)).collect();
    let expected = [("AMD Zen 3", 4, Some(Verdict::Regression)), ("AMD Zen 4", 2, Some(Verdict::Boring))];
    assert_eq!(told, expected, "{kinds:?}");
    let [low, high] = kinds.kinds[0].another_host.expect("an interval");
    assert!(low < (-0.029_f64).exp() && (-0.029_f64).exp() < high && high - low < 0.02, "{kinds:?}");
    assert_eq!((found.verdict, kinds.sd_between), (Some(Verdict::Inconclusive), None));
}
