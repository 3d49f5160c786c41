//! The scripts of a mix: each one's share of the time, and a verdict of its own, so that a mix that is boring as a whole hides
//! no script that moved.
//!
//! Every subject runs the same scripts in the same slices, because operations follow from their seeds. The scripts of all
//! mixes and subjects are a family of their own. The looks were taken at the mix, which goes with its scripts.

use humdrum_model::{Block, Judgement, ScriptResult, TestInfo};

use crate::band::Band;
use crate::decide::Correction;
use crate::estimate::Rules;
use crate::evidence::Evidence;
use crate::families::{Member, of_throughput, used};
use crate::measure::measure;
use crate::ratio::session_values_by;
use crate::run::{KeptSession, Run};
use crate::totals::Part;

/// A script of one (test, subject) before its verdict.
pub(crate) struct Share {
    pub(crate) result: ScriptResult,
    member: Member,
}

/// Counted operations and time of a script in a slice. A slice in which it did not run adds nothing, and its pair stays.
fn part(block: &Block, subject: usize, script: usize, weight: f64) -> Option<Part> {
    let [operations, ns] = *block.slice(subject)?.scripts.get(script)?;
    Some(Part { weight, amount: operations as f64, divisor: ns as f64 })
}

/// The scripts of a mix that were measured, in the sessions that the verdict on the mix used.
pub(crate) fn shares(
    run: &Run<'_>,
    info: &TestInfo,
    subject: usize,
    throughput: &Evidence,
    (band, rules): (&Band, &Rules<'_>),
) -> Vec<Share> {
    let Some(blocks) = run.test(&info.name) else { return Vec::new() };
    let sessions = used(blocks, throughput);
    let share = |(script, name): (usize, &String)| {
        let values = session_values_by(&sessions, |block| {
            [part(block, 0, script, -1.0), part(block, subject, script, 1.0)]
        });
        let evidence = Evidence { sessions: values, ..throughput.clone() };
        let estimate = measure(evidence, band, rules)?;
        let result = ScriptResult {
            script: name.clone(),
            operations: share_of(&sessions, 0, script, 0),
            base_time: share_of(&sessions, 0, script, 1),
            time: share_of(&sessions, subject, script, 1),
            judged: not_judged(),
        };
        Some(Share { result, member: Member { estimate, band: *band } })
    };
    info.scripts.iter().enumerate().filter_map(share).collect()
}

/// The share that a script has of all scripts' operations (0) or time (1).
fn share_of(sessions: &[KeptSession<'_>], subject: usize, script: usize, which: usize) -> f64 {
    let slices = sessions.iter().flat_map(|session| &session.blocks).filter_map(|block| block.slice(subject));
    let (own, all) = slices.fold((0, 0), |(own, all), slice| {
        let sum: u64 = slice.scripts.iter().map(|script| script[which]).sum();
        (own + slice.scripts.get(script).map_or(0, |script| script[which]), all + sum)
    });
    if all == 0 { 0.0 } else { own as f64 / all as f64 }
}

/// Stands until the whole family is known.
fn not_judged() -> Judgement {
    let verdict = humdrum_model::Verdict::Inconclusive;
    Judgement { ratio: 1.0, ci95: [1.0, 1.0], p_adjusted: None, delta: 0.0, verdict }
}

/// The verdicts on a family of scripts.
pub(crate) fn judge(shares: &mut [&mut Share], correction: Correction, alpha: f64) {
    let members: Vec<&Member> = shares.iter().map(|share| &share.member).collect();
    let judged = of_throughput(&members, correction, alpha);
    shares.iter_mut().zip(judged).for_each(|(share, judged)| share.result.judged = judged);
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Stage, Verdict};

    use crate::testkit::{Bench, Rng};
    use crate::{exit_code, summarise};

    /// A mix whose rare script, with a tenth of the time, takes 40 % longer, while the other became faster by as much time.
    #[test]
    fn a_boring_mix_hides_no_script() {
        let mut bench = Bench::new(&["mix"], 2, 0, 10);
        bench.results.plan.tests[0].scripts = vec!["browse".into(), "checkout".into()];
        (0..10).for_each(|_| bench.session(Stage::Confirmation, |_| true, 20, |_, _| 0.0));
        let mut rng = Rng::new(3);
        for slice in bench.results.blocks.iter_mut().flat_map(|block| &mut block.slices) {
            let noise = (0.01 * rng.normal()).exp();
            let checkout = if slice.subject == 1 { 0.14 } else { 0.1 };
            let time = |share: f64| (slice.wall_ns as f64 * share * noise) as u64;
            slice.scripts = vec![[90, time(1.0 - checkout)], [10, time(checkout)]];
        }
        // A slice without the rare script adds nothing to it, and takes no pair away.
        for block in bench.results.blocks.iter_mut().filter(|block| block.index % 7 == 3) {
            block.slices.iter_mut().for_each(|slice| slice.scripts[1] = [0, 0]);
        }
        let summary = summarise(&bench.results);
        let test = &summary.comparisons[0].tests[0];
        assert_eq!(test.verdict, Some(Verdict::Boring));
        let [browse, checkout] = &test.scripts[..] else { panic!("{:?}", test.scripts) };
        assert_eq!((browse.script.as_str(), checkout.script.as_str()), ("browse", "checkout"));
        assert_eq!(checkout.judged.verdict, Verdict::Regression);
        assert!((checkout.judged.ratio - 1.0 / 1.4).abs() < 0.01, "{:?}", checkout.judged);
        assert!((browse.judged.ratio - 0.9 / 0.86).abs() < 0.01, "{:?}", browse.judged);
        assert!((checkout.base_time - 0.09).abs() < 0.02 && (checkout.time - 0.12).abs() < 0.03);
        assert_eq!(exit_code(&summary, false), 1);
    }

    #[test]
    fn results_without_scripts_have_none() {
        let mut bench = Bench::new(&["mix"], 2, 0, 4);
        bench.results.plan.tests[0].scripts = vec!["browse".into(), "checkout".into()];
        bench.session(Stage::Confirmation, |_| true, 20, |_, _| 0.0);
        assert!(summarise(&bench.results).comparisons[0].tests[0].scripts.is_empty());
    }
}
