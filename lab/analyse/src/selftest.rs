//! How often verdicts are wrong where the truth is known: counts of single runs, and certificates of what many runs found.
//!
//! The truth is known of two kinds of run: of A/A runs, whose subjects are equal, and of runs in which one subject does a
//! share of its operations twice. Intervals are those of Clopper & Pearson (1934), which hold for every true rate.

use std::collections::BTreeMap;

use humdrum_model::{
    Certificate, Injection, LossRates, Mode, Plan, Rate, Results, Scope, SelftestCount, Summary, TestResult,
    Verdict,
};
use statrs::function::beta::inv_beta_reg;

use crate::history::run_name;

/// What an interval may miss.
const MISSES: f64 = 0.05;
/// A false-alarm rate that is surely above this is bad: verdicts promise that much for a whole run.
const FALSE_ALARMS_MAX: f64 = 0.05;

/// The verdicts on throughput of a run whose subjects are equal, but for the `injected` share of operations that all but the
/// base do twice. Tests without a verdict do not count.
pub fn selftest_counts(results: &Results, summary: &Summary, injected: f64) -> Vec<SelftestCount> {
    let plan = &results.plan;
    let loss = loss(injected);
    let mut counts: BTreeMap<Scope, SelftestCount> = BTreeMap::new();
    for (comparison, subject) in summary.comparisons.iter().zip(plan.subjects.iter().skip(1)) {
        for test in &comparison.tests {
            let Some(verdict) = test.verdict else { continue };
            let scope = scope(results, &subject.engine, (&test.group, test.clients));
            let blank = || SelftestCount { scope: scope.clone(), injected, ..blank(results) };
            let count = counts.entry(scope.clone()).or_insert_with(blank);
            count.verdicts += 1;
            count.regressions += u64::from(verdict == Verdict::Regression);
            count.wrong += u64::from(is_wrong(verdict, test, loss));
        }
    }
    counts.into_values().collect()
}

fn blank(results: &Results) -> SelftestCount {
    let Plan { budget_seconds, tests, seed, .. } = &results.plan;
    SelftestCount {
        run: run_name(results),
        started: results.started.clone(),
        tool: results.tool.clone(),
        seed: *seed,
        seconds_per_test: budget_seconds / tests.len().max(1) as f64,
        ..SelftestCount::default()
    }
}

fn scope(results: &Results, engine: &str, (class, clients): (&str, Option<u32>)) -> Scope {
    Scope {
        engine: engine.to_owned(),
        // Verdicts on servers that are up alone err by what the host does between their turns.
        class: match results.plan.mode {
            Mode::Interleaved => class.to_owned(),
            Mode::Sequential => format!("{class} one at a time"),
        },
        clients: clients.unwrap_or(results.plan.scale.clients),
        generation: results.host.processor.generation.clone(),
    }
}

/// The scopes whose certificates a run can quote.
pub fn scopes(results: &Results) -> Vec<Scope> {
    let subjects = results.plan.subjects.iter();
    let tests = &results.plan.tests;
    let mut scopes: Vec<Scope> = subjects
        .flat_map(|subject| {
            tests.iter().map(|test| scope(results, &subject.engine, (&test.group, test.clients)))
        })
        .collect();
    scopes.sort();
    scopes.dedup();
    scopes
}

/// What is lost of the throughput where a share of operations is done twice.
fn loss(injected: f64) -> f64 {
    1.0 - Injection { repeated: injected, ..Injection::default() }.throughput_left()
}

fn is_wrong(verdict: Verdict, test: &TestResult, loss: f64) -> bool {
    match verdict {
        Verdict::Improvement => true,
        Verdict::Regression => loss <= test.delta,
        Verdict::Boring => loss > test.delta,
        Verdict::Inconclusive | Verdict::Unstable => false,
    }
}

/// Certificates of all scopes that have counts.
pub fn certificates(counts: &[SelftestCount]) -> Vec<Certificate> {
    let mut scopes: BTreeMap<&Scope, Vec<&SelftestCount>> = BTreeMap::new();
    for count in counts {
        scopes.entry(&count.scope).or_default().push(count);
    }
    scopes.into_iter().map(|(scope, counts)| certificate(scope, &counts)).collect()
}

fn certificate(scope: &Scope, counts: &[&SelftestCount]) -> Certificate {
    let mut by_injected: BTreeMap<u64, Vec<&SelftestCount>> = BTreeMap::new();
    for count in counts {
        // The bits of numbers that are not negative are in the order of the numbers.
        by_injected.entry(count.injected.abs().to_bits()).or_default().push(count);
    }
    let equal = by_injected.remove(&0.0_f64.to_bits()).unwrap_or_default();
    Certificate {
        scope: scope.clone(),
        runs: counts.len() as u64,
        latest: counts.iter().map(|count| count.started.clone()).max().unwrap_or_default(),
        seconds_per_test: counts.iter().map(|count| count.seconds_per_test).fold(f64::INFINITY, f64::min),
        false_alarms: rate_of(&equal, |count| count.wrong),
        losses: by_injected.values().filter_map(|counts| loss_rates(counts)).collect(),
    }
}

fn loss_rates(counts: &[&SelftestCount]) -> Option<LossRates> {
    Some(LossRates {
        injected: counts.first()?.injected,
        called: rate_of(counts, |count| count.regressions)?,
        wrong: rate_of(counts, |count| count.wrong)?,
    })
}

fn rate_of(counts: &[&SelftestCount], of: fn(&SelftestCount) -> u64) -> Option<Rate> {
    rate(counts.iter().map(|count| of(count)).sum(), counts.iter().map(|count| count.verdicts).sum())
}

/// A rate with its exact interval; `None` of nothing. An end of the interval that is known leaves all of the error to the other.
pub fn rate(count: u64, of: u64) -> Option<Rate> {
    if of == 0 {
        return None;
    }
    let (hits, misses) = (count as f64, of.saturating_sub(count) as f64);
    let tail = if count == 0 || misses == 0.0 { MISSES } else { MISSES / 2.0 };
    let low = if count == 0 { 0.0 } else { inv_beta_reg(hits, misses + 1.0, tail) };
    let high = if misses == 0.0 { 1.0 } else { inv_beta_reg(hits + 1.0, misses, 1.0 - tail) };
    Some(Rate { count, of, ci95: [low, high] })
}

/// Whether equal subjects are surely told apart more often than verdicts promise.
pub fn alarms_too_often(certificates: &[Certificate]) -> bool {
    let rates = certificates.iter().filter_map(|certificate| certificate.false_alarms);
    rates.into_iter().any(|rate| rate.ci95[0] > FALSE_ALARMS_MAX)
}

#[cfg(test)]
mod tests {
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
}
