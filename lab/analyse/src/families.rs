//! Quantities beside throughput that get verdicts: server CPU of an operation, and the 99th percentile of response times.
//! Each is a family of its own with its own δ; more is worse.

use std::collections::BTreeMap;

use humdrum_model::{Judgement, Metric, Verdict};

use crate::band::Band;
use crate::cost::server_cpu;
use crate::decide::{Correction, judge};
use crate::estimate::{Estimate, Rules};
use crate::evidence::Evidence;
use crate::latency::session_p99;
use crate::measure::measure;
use crate::ratio::SessionValue;
use crate::run::{KeptSession, Run, TestBlocks};

/// Smallest change of server CPU per operation that matters.
const CPU_DELTA: f64 = 0.01;
/// Smallest change of the 99th percentile that matters.
const P99_DELTA: f64 = 0.05;

/// Names and the smallest changes that matter.
pub(crate) const FAMILIES: [(&str, f64); 2] = [("cpu", CPU_DELTA), ("p99", P99_DELTA)];

/// One (test, subject) in one family.
pub(crate) struct Member {
    pub(crate) estimate: Estimate,
    pub(crate) band: Band,
}

/// Members by family: the quantities that the run is judged by and has measured, in the sessions that the
/// verdict on throughput used.
pub(crate) fn members(
    run: &Run<'_>,
    test: &str,
    subject: usize,
    throughput: &Evidence,
    rules: &Rules<'_>,
) -> BTreeMap<&'static str, Member> {
    let Some(blocks) = run.test(test) else { return BTreeMap::new() };
    let sessions = used(blocks, throughput);
    let values = |name: &str| quantity_values(run, name, test, subject, &sessions);
    let member = |(name, delta): (&'static str, f64)| {
        let band = Band::of(delta, rules.design.target_half_width);
        // Looks were taken at throughput, which goes with the others: their levels are the same looks'.
        let evidence = Evidence { sessions: values(name)?, ..throughput.clone() };
        let estimate = measure(evidence, &band, rules)?;
        Some((name, Member { estimate, band }))
    };
    let counted = FAMILIES.into_iter().filter(|(name, _)| run.results.plan.judging.counts(name));
    counted.filter_map(member).collect()
}

/// The sessions that a verdict on throughput used.
pub(crate) fn used<'a>(blocks: &TestBlocks<'a>, throughput: &Evidence) -> Vec<KeptSession<'a>> {
    let numbers: Vec<u32> = throughput.sessions.iter().map(|session| session.number).collect();
    let ours = blocks.sessions.iter().filter(|session| numbers.contains(&session.number));
    ours.map(|session| KeptSession { blocks: session.blocks.clone(), ..*session }).collect()
}

/// One value of a family's quantity for each session.
pub(crate) fn quantity_values(
    run: &Run<'_>,
    name: &str,
    test: &str,
    subject: usize,
    sessions: &[KeptSession<'_>],
) -> Option<Vec<SessionValue>> {
    match name {
        "cpu" => cpu(&run.results.metrics, sessions, subject),
        _ => session_p99(run.results, test, subject, sessions),
    }
}

fn cpu(metrics: &[Metric], sessions: &[KeptSession<'_>], subject: usize) -> Option<Vec<SessionValue>> {
    server_cpu(metrics, sessions, subject).filter(|values| !values.is_empty())
}

/// Verdicts of one family, in the order given.
pub(crate) fn judgements(members: &[&Member], correction: Correction, alpha: f64) -> Vec<Judgement> {
    let swapped = |one: Judgement| Judgement { verdict: worse_is_more(one.verdict), ..one };
    of_throughput(members, correction, alpha).into_iter().map(swapped).collect()
}

/// The same of quantities of which more is better.
pub(crate) fn of_throughput(members: &[&Member], correction: Correction, alpha: f64) -> Vec<Judgement> {
    let known: Vec<f64> = members.iter().filter_map(|member| member.estimate.p).collect();
    let mut adjusted = correction.adjust(&known).into_iter();
    let one = |member: &&Member| {
        let found = &member.estimate;
        let p_adjusted = found.p.and_then(|_| adjusted.next());
        let (low, high) = (found.mean - found.half, found.mean + found.half);
        Judgement {
            ratio: found.mean.exp(),
            ci95: [low.exp(), high.exp()],
            p_adjusted,
            delta: member.band.delta,
            verdict: judge(found, p_adjusted, alpha, &member.band),
        }
    };
    members.iter().map(one).collect()
}

/// Swaps regression and improvement, because a rise is a loss here.
fn worse_is_more(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Regression => Verdict::Improvement,
        Verdict::Improvement => Verdict::Regression,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarise;
    use crate::testkit::{Bench, Rng, counters};
    use humdrum_model::{Latency, QUANTITIES, Stage};

    fn judged(cpu: f64, p99: f64) -> BTreeMap<String, Judgement> {
        let mut bench = Bench::new(&["t", "u"], 2, 0, 10);
        bench.results.plan.judging.quantities = QUANTITIES.map(str::to_owned).to_vec();
        let mut rng = Rng::new(5);
        bench.results.metrics = counters(&["server_cpu_ns", "background_cpu_ns"]);
        for session in 0..10 {
            bench.session(Stage::Confirmation, |_| true, 20, |_, _| 0.0);
            for subject in 0..2 {
                let slow = 1e6 * if subject == 1 { 1.0 + p99 } else { 1.0 };
                let ns = (slow * (0.01 * rng.normal()).exp()) as u64;
                bench.results.latencies.push(Latency {
                    test: "t".into(),
                    session,
                    subject,
                    buckets: vec![(1000, 980), (ns, 20)],
                });
            }
        }
        for slice in bench.results.blocks.iter_mut().flat_map(|block| &mut block.slices) {
            let more = if slice.subject == 1 { 1.0 + cpu } else { 1.0 };
            slice.readings = vec![(2e6 * more * (0.01 * rng.normal()).exp()) as i64, 10_000];
        }
        let test = summarise(&bench.results).comparisons.remove(0).tests.remove(0);
        assert_eq!(test.verdict, Some(Verdict::Boring));
        test.judged
    }

    #[test]
    fn more_cpu_and_longer_tails_are_regressions_of_their_own() {
        let found = judged(0.03, 0.2);
        assert_eq!((found["cpu"].verdict, found["p99"].verdict), (Verdict::Regression, Verdict::Regression));
        assert!((found["cpu"].ratio - 1.03).abs() < 0.003 && (found["p99"].ratio - 1.2).abs() < 0.02);
        let found = judged(-0.05, 0.0);
        assert_eq!((found["cpu"].verdict, found["p99"].verdict), (Verdict::Improvement, Verdict::Boring));
    }
}
