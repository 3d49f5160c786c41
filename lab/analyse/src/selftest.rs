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

/// The quantity, beside throughput, that an operation done twice makes worse by as much as it is done.
const CPU: &str = "cpu";
/// What the class of a scope says for verdicts on server CPU: they err by other noise than those on throughput.
const BY_CPU: &str = ", server CPU";

/// The verdicts on throughput and on server CPU of a run whose subjects are equal, but for the `injected` share of operations
/// that all but the base do twice. Tests without a verdict do not count.
pub fn selftest_counts(results: &Results, summary: &Summary, injected: f64) -> Vec<SelftestCount> {
    let plan = &results.plan;
    let mut counts: BTreeMap<Scope, SelftestCount> = BTreeMap::new();
    for (comparison, subject) in summary.comparisons.iter().zip(plan.subjects.iter().skip(1)) {
        for test in &comparison.tests {
            let writes = plan.tests.iter().any(|info| info.name == test.test && info.writes);
            for Known { class, verdict, delta, worse } in known(test, writes, injected) {
                let scope = scope(results, &subject.engine, (&class, test.clients));
                let blank = || SelftestCount { scope: scope.clone(), injected, ..blank(results) };
                let count = counts.entry(scope.clone()).or_insert_with(blank);
                count.verdicts += 1;
                count.regressions += u64::from(verdict == Verdict::Regression);
                count.wrong += u64::from(is_wrong(verdict, delta, worse));
            }
        }
    }
    counts.into_values().collect()
}

/// A verdict whose truth is known.
struct Known {
    class: String,
    verdict: Verdict,
    delta: f64,
    /// By how much what it is about is truly worse.
    worse: f64,
}

/// Of a test that writes, nothing is done twice, and a loss is time in which nobody works ([`Injection`]): what its CPU does then is
/// not known.
fn known(test: &TestResult, writes: bool, injected: f64) -> impl Iterator<Item = Known> {
    let throughput = test.verdict.map(|verdict| Known {
        class: test.group.clone(),
        verdict,
        delta: test.delta,
        worse: loss(injected),
    });
    let cpu = test.judged.get(CPU).filter(|_| injected == 0.0 || !writes).map(|judged| Known {
        class: format!("{}{BY_CPU}", test.group),
        verdict: judged.verdict,
        delta: judged.delta,
        worse: injected,
    });
    throughput.into_iter().chain(cpu)
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
    let by_cpu = results.plan.judging.counts(CPU).then_some(BY_CPU);
    let classes = |group: &str| ["", by_cpu.unwrap_or_default()].map(|what| format!("{group}{what}"));
    let mut scopes: Vec<Scope> = subjects
        .flat_map(|subject| {
            tests.iter().flat_map(|test| {
                classes(&test.group).map(|class| scope(results, &subject.engine, (&class, test.clients)))
            })
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

fn is_wrong(verdict: Verdict, delta: f64, worse: f64) -> bool {
    match verdict {
        Verdict::Improvement => true,
        Verdict::Regression => worse <= delta,
        Verdict::Boring => worse > delta,
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
mod tests;
