//! Verdicts whose truth is known, and the rates that are made of them.

use humdrum_model::Judgement;

use super::*;
use crate::summarise;
use crate::testkit::Bench;

fn count(injected: f64, verdicts: u64, regressions: u64, wrong: u64) -> SelftestCount {
    SelftestCount { injected, verdicts, regressions, wrong, seconds_per_test: 3.0, ..Default::default() }
}

/// The ends were found by bisection on plain sums of binomial terms; with none or all, they are 1 - 0.05^(1/n) and its mirror.
#[test]
fn intervals_are_exact() {
    for (count, of, low, high) in [
        (18, 20, 0.683_017, 0.987_651),
        (1, 10, 0.002_529, 0.445_016),
        (5, 10, 0.187_086, 0.812_914),
        (4, 22, 0.051_867, 0.402_846),
        (0, 132, 0.0, 0.022_439),
        (0, 1320, 0.0, 0.002_267),
        (20, 20, 0.860_892, 1.0),
    ] {
        let found = rate(count, of).expect("a rate").ci95;
        assert!(
            (found[0] - low).abs() < 1e-6 && (found[1] - high).abs() < 1e-6,
            "{count} of {of}: {found:?}"
        );
    }
    assert_eq!(rate(0, 0), None);
}

/// Every interval holds the rate that was seen, and more of the same makes it narrower.
#[test]
fn intervals_hold_what_was_seen() {
    for of in [1, 2, 7, 60, 900, 20_000] {
        for count in [0, 1, of / 3, of / 2, of - 1, of] {
            let [low, high] = rate(count, of).expect("a rate").ci95;
            let seen = count as f64 / of as f64;
            assert!((0.0..=seen).contains(&low) && (seen..=1.0).contains(&high), "{count} of {of}");
            let [more_low, more_high] = rate(10 * count, 10 * of).expect("a rate").ci95;
            assert!(more_low >= low - 1e-12 && more_high <= high + 1e-12, "{count} of {of}");
        }
    }
}

fn verdicts(verdicts: [Verdict; 4]) -> (Results, Summary) {
    let results = Bench::new(&["a", "b", "c", "d"], 2, 0, 4).results;
    let mut summary = summarise(&results);
    for (test, verdict) in summary.comparisons[0].tests.iter_mut().zip(verdicts) {
        (test.verdict, test.delta, test.group) = (Some(verdict), 0.01, "point".into());
    }
    (results, summary)
}

#[test]
fn what_is_wrong_depends_on_the_truth() {
    let all = [Verdict::Regression, Verdict::Improvement, Verdict::Boring, Verdict::Inconclusive];
    let (mut results, mut summary) = verdicts(all);
    // At 1 % the loss is 0.99 %, which is less than δ.
    for (injected, wrong) in [(0.0, 2), (0.01, 2), (0.05, 2)] {
        let found = selftest_counts(&results, &summary, injected);
        let [one] = &found[..] else { panic!("one scope: {found:?}") };
        assert_eq!((one.verdicts, one.regressions, one.wrong), (4, 1, wrong), "{injected}");
        assert_eq!((&*one.scope.class, one.injected), ("point", injected));
    }
    summary.comparisons[0].tests[0].verdict = None;
    summary.comparisons[0].tests[2].group = "range".into();
    let found = selftest_counts(&results, &summary, 0.05);
    let told: Vec<_> = found.iter().map(|one| (&*one.scope.class, one.verdicts, one.wrong)).collect();
    assert_eq!(told, [("point", 2, 1), ("range", 1, 1)], "no verdict counts for nothing");
    results.plan.mode = Mode::Sequential;
    let alone = selftest_counts(&results, &summary, 0.05);
    assert_eq!(alone[0].scope.class, "point one at a time", "other servers, other errors");
}

#[test]
fn verdicts_on_cpu_have_scopes_of_their_own() {
    let (mut results, mut summary) = verdicts([Verdict::Inconclusive; 4]);
    let judged =
        |verdict| Judgement { ratio: 1.03, ci95: [1.02, 1.04], p_adjusted: None, delta: 0.01, verdict };
    for (test, verdict) in summary.comparisons[0].tests.iter_mut().zip([Verdict::Regression, Verdict::Boring])
    {
        test.judged.insert("cpu".into(), judged(verdict));
    }
    let found = selftest_counts(&results, &summary, 0.03);
    let told: Vec<_> =
        found.iter().map(|one| (&*one.scope.class, one.verdicts, one.regressions, one.wrong)).collect();
    assert_eq!(told, [("point", 4, 0, 0), ("point, server CPU", 2, 1, 1)]);
    results.plan.tests[0].writes = true;
    let found = selftest_counts(&results, &summary, 0.03);
    assert_eq!((&*found[1].scope.class, found[1].verdicts), ("point, server CPU", 1));
    for test in &mut results.plan.tests {
        test.group = "point".into();
    }
    let classes = |results: &Results| scopes(results).into_iter().map(|one| one.class).collect::<Vec<_>>();
    results.plan.judging.quantities = vec!["throughput".into()];
    assert_eq!(classes(&results), ["point"]);
    results.plan.judging.quantities.push("cpu".into());
    assert_eq!(classes(&results), ["point", "point, server CPU"]);
}

#[test]
fn counts_of_one_scope_are_pooled() {
    let other = Scope { clients: 4, ..Scope::default() };
    let counts = [
        count(0.05, 20, 18, 1),
        count(0.0, 22, 0, 0),
        SelftestCount { scope: other, seconds_per_test: 9.0, ..count(0.0, 22, 2, 4) },
        SelftestCount { seconds_per_test: 2.0, ..count(0.0, 110, 0, 0) },
        count(0.01, 22, 1, 1),
    ];
    let [first, second] = &certificates(&counts)[..] else { panic!("two scopes") };
    assert_eq!((first.runs, first.seconds_per_test, first.false_alarms), (4, 2.0, rate(0, 132)));
    let losses: Vec<_> =
        first.losses.iter().map(|loss| (loss.injected, loss.called.count, loss.wrong.of)).collect();
    assert_eq!(losses, [(0.01, 1, 22), (0.05, 18, 20)]);
    assert!(!alarms_too_often(std::slice::from_ref(first)));
    assert!(second.losses.is_empty() && alarms_too_often(std::slice::from_ref(second)));
}
