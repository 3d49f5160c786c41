//! What a new release has lost: against the one before it, and against the base where that one had not lost it already.
//!
//! A loss that an earlier release brought is in every later comparison with the base. It is no news of this release. Small
//! losses that add up over several releases are seen against the base alone.

use humdrum_model::{Comparison, Summary, TestResult, WatchLoss};

use crate::exit::{Regressed, is_broken, is_decided, regressions, verdicts};

/// The losses of the last subject of `run`. `beside` has the same subject with the release before it as base; `None` where
/// that release is the base of `run`.
pub fn watch_losses(run: &Summary, beside: Option<&Summary>) -> Vec<WatchLoss> {
    let step = beside.into_iter().flat_map(|summary| lost(summary, None));
    let mut losses: Vec<WatchLoss> = step.collect();
    // The release before, if it took part beside the base.
    let earlier = run.comparisons.iter().rev().nth(1);
    for loss in lost(run, earlier) {
        if losses.iter().all(|known| (&known.test, &known.quantity) != (&loss.test, &loss.quantity)) {
            losses.push(loss);
        }
    }
    losses
}

/// What the last subject lost, without what `earlier` had lost already.
fn lost(summary: &Summary, earlier: Option<&Comparison>) -> Vec<WatchLoss> {
    let tests = summary.comparisons.last().into_iter().flat_map(|comparison| &comparison.tests);
    let of = |test: &TestResult| -> Vec<WatchLoss> {
        let before = earlier.and_then(|one| one.tests.iter().find(|other| other.test == test.test));
        let before = before.map(|test| regressions(test, &summary.judging)).unwrap_or_default();
        let mut found = regressions(test, &summary.judging);
        found.retain(|one| before.iter().all(|other| other.quantity != one.quantity));
        let loss = |one: Regressed| WatchLoss {
            test: test.test.clone(),
            quantity: one.quantity,
            against: summary.base.clone(),
            ratio: one.ratio,
            ci95: one.ci95,
        };
        found.into_iter().map(loss).collect()
    };
    tests.flat_map(of).collect()
}

/// The exit code of a new release: 3 if one of its tests failed, else 1 if it lost anything, else 4 under `strict` if a test
/// is undecided, else 0.
pub fn watch_code(run: &Summary, losses: &[WatchLoss], strict: bool) -> u8 {
    let tests = || run.comparisons.last().into_iter().flat_map(|comparison| &comparison.tests);
    let decided = |test: &TestResult| verdicts(test, &run.judging).next().is_some_and(is_decided);
    match () {
        () if tests().any(is_broken) => 3,
        () if !losses.is_empty() => 1,
        () if strict && !tests().all(decided) => 4,
        () => 0,
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Judgement, Verdict};

    use super::*;
    use crate::summarise;
    use crate::testkit::Bench;

    /// Two tests; the verdicts of each subject on the first.
    fn summary(verdicts: &[Verdict]) -> Summary {
        let mut summary = summarise(&Bench::new(&["a", "b"], 1 + verdicts.len(), 0, 4).results);
        for (comparison, verdict) in summary.comparisons.iter_mut().zip(verdicts) {
            comparison.tests[0].verdict = Some(*verdict);
            comparison.tests[1].verdict = Some(Verdict::Boring);
        }
        for test in summary.comparisons.iter_mut().flat_map(|comparison| &mut comparison.tests) {
            test.status = humdrum_model::TestStatus::Ok;
        }
        summary
    }

    #[test]
    fn a_loss_of_an_earlier_release_is_no_news() {
        use Verdict::{Boring, Inconclusive, Regression};
        let old = summary(&[Regression, Regression]);
        assert!(watch_losses(&old, Some(&summary(&[Boring]))).is_empty());
        let step = watch_losses(&old, Some(&summary(&[Regression])));
        assert_eq!(step.iter().map(|loss| loss.test.as_str()).collect::<Vec<_>>(), ["a"]);
        let creeping = summary(&[Inconclusive, Regression]);
        assert_eq!(watch_losses(&creeping, Some(&summary(&[Boring]))).len(), 1, "added up");
        assert_eq!(watch_losses(&summary(&[Regression]), None).len(), 1, "the base is the release before");
    }

    #[test]
    fn a_loss_has_the_ratio_of_what_was_lost() {
        use Verdict::{Inconclusive, Regression};
        let mut run = summary(&[Inconclusive]);
        let cpu =
            Judgement { ratio: 1.03, ci95: [1.02, 1.04], p_adjusted: None, delta: 0.01, verdict: Regression };
        run.comparisons[0].tests[0].judged.insert("cpu".into(), cpu);
        let losses = watch_losses(&run, None);
        let told: Vec<_> =
            losses.iter().map(|loss| (loss.quantity.as_str(), loss.ratio, loss.ci95)).collect();
        assert_eq!(told, [("cpu", Some(1.03), Some([1.02, 1.04]))]);
    }

    #[test]
    fn the_code_is_that_of_the_new_release_alone() {
        let mut run = summary(&[Verdict::Regression, Verdict::Inconclusive]);
        assert_eq!((watch_code(&run, &[], false), watch_code(&run, &[], true)), (0, 4));
        let losses = watch_losses(&summary(&[Verdict::Regression]), None);
        assert_eq!(watch_code(&run, &losses, true), 1);
        run.comparisons[1].tests[0].status = humdrum_model::TestStatus::Failed;
        assert_eq!(watch_code(&run, &losses, true), 3);
    }
}
