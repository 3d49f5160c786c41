//! The exit code of a summary.

use humdrum_model::{Judgement, Judging, SCRIPT, Summary, THROUGHPUT, TestResult, TestStatus, Verdict};

/// 3 if anything failed or gave a wrong answer (what was not measured might have regressed, so a script must
/// treat it first); else 1 for a confirmed regression of a quantity that the run is judged by; else 4 under
/// `strict` for a test without a decision on the first of these quantities (inconclusive, not steady, SLA
/// missed), because a test stops when its throughput is decided; else 0.
pub fn exit_code(summary: &Summary, strict: bool) -> u8 {
    let tests = || summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let judging = &summary.judging;
    match () {
        () if tests().any(is_broken) => 3,
        () if tests().any(|test| verdicts(test, judging).any(|one| one == Verdict::Regression)) => 1,
        () if strict && !tests().all(|test| verdicts(test, judging).next().is_some_and(is_decided)) => 4,
        () => 0,
    }
}

/// The verdicts on the quantities that the run is judged by, throughput first.
pub(crate) fn verdicts<'a>(test: &'a TestResult, judging: &Judging) -> impl Iterator<Item = Verdict> + 'a {
    let counts = judging.counts(THROUGHPUT);
    let throughput = test.verdict.filter(|_| counts);
    let scripts = test.scripts.iter().filter(move |_| counts).map(|script| script.judged.verdict);
    throughput.into_iter().chain(test.judged.values().map(|judged| judged.verdict)).chain(scripts)
}

/// A quantity of a test that the run is judged by and that is worse.
pub(crate) struct Regressed {
    pub(crate) quantity: String,
    pub(crate) ratio: Option<f64>,
    pub(crate) ci95: Option<[f64; 2]>,
}

impl Regressed {
    /// A quantity, if its judgement is a regression.
    fn of(quantity: String, judged: &Judgement) -> Option<Self> {
        let (ratio, ci95) = (Some(judged.ratio), Some(judged.ci95));
        (judged.verdict == Verdict::Regression).then_some(Self { quantity, ratio, ci95 })
    }
}

/// What regressed of those quantities whose verdicts [`verdicts`] gives: of the test as a whole and of its scripts.
pub(crate) fn regressions(test: &TestResult, judging: &Judging) -> Vec<Regressed> {
    let counts = judging.counts(THROUGHPUT);
    let throughput = Regressed { quantity: THROUGHPUT.into(), ratio: test.rqps, ci95: test.ci95 };
    let throughput = (counts && test.verdict == Some(Verdict::Regression)).then_some(throughput);
    let others = test.judged.iter().filter_map(|(name, judged)| Regressed::of(name.clone(), judged));
    let scripts = test.scripts.iter().filter(|_| counts);
    let scripts = scripts.filter_map(|one| Regressed::of(format!("{SCRIPT}{}", one.script), &one.judged));
    throughput.into_iter().chain(others).chain(scripts).collect()
}

/// The test failed or gave a wrong answer.
pub(crate) fn is_broken(test: &TestResult) -> bool {
    matches!(test.status, TestStatus::Failed | TestStatus::WrongAnswer)
}

pub(crate) fn is_decided(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Regression | Verdict::Improvement | Verdict::Boring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarise;
    use crate::testkit::Bench;

    #[test]
    fn failure_before_regression_before_strictness() {
        let mut summary = summarise(&Bench::new(&["a", "b"], 2, 0, 4).results);
        let mut code = |verdict, status, strict| {
            let test = &mut summary.comparisons[0].tests[0];
            (test.verdict, test.status) = (verdict, status);
            summary.comparisons[0].tests[1].verdict = Some(Verdict::Boring);
            exit_code(&summary, strict)
        };
        assert_eq!(code(Some(Verdict::Boring), TestStatus::Ok, true), 0);
        assert_eq!(code(Some(Verdict::Improvement), TestStatus::Ok, true), 0);
        assert_eq!(code(Some(Verdict::Regression), TestStatus::Ok, true), 1);
        assert_eq!(code(Some(Verdict::Unstable), TestStatus::Ok, false), 0);
        assert_eq!(code(Some(Verdict::Unstable), TestStatus::Ok, true), 4);
        assert_eq!(code(None, TestStatus::NotSteady, true), 4);
        assert_eq!(code(None, TestStatus::Failed, false), 3);
        assert_eq!(code(Some(Verdict::Regression), TestStatus::WrongAnswer, false), 3);
    }

    #[test]
    fn only_what_the_run_is_judged_by_counts() {
        let mut summary = summarise(&Bench::new(&["a"], 2, 0, 4).results);
        let judgement =
            |verdict| Judgement { ratio: 1.0, ci95: [1.0, 1.0], p_adjusted: None, delta: 0.01, verdict };
        let mut code = |throughput, cpu, quantities: &[&str], strict| {
            let test = &mut summary.comparisons[0].tests[0];
            (test.verdict, test.status) = (Some(throughput), TestStatus::Ok);
            test.judged.insert("cpu".into(), judgement(cpu));
            summary.judging.quantities = quantities.iter().map(|one| (*one).to_owned()).collect();
            exit_code(&summary, strict)
        };
        let both = ["throughput", "cpu"];
        assert_eq!(code(Verdict::Boring, Verdict::Regression, &both, false), 1);
        assert_eq!(code(Verdict::Regression, Verdict::Boring, &["cpu"], true), 0);
        assert_eq!(
            code(Verdict::Boring, Verdict::Inconclusive, &both, true),
            0,
            "it stopped by its throughput"
        );
        assert_eq!(code(Verdict::Boring, Verdict::Inconclusive, &["cpu"], true), 4);
    }
}
