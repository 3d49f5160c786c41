//! The exit code that a summary stands for.

use humdrum_model::{Summary, TestResult, TestStatus, Verdict};

/// 3 where anything failed or answered wrongly (what was not measured might have regressed, so a script must look
/// at that first); else 1 for a confirmed regression; else 4 under `strict` for anything without a decision
/// (inconclusive, unstable, not steady, SLA missed); else 0.
pub fn exit_code(summary: &Summary, strict: bool) -> u8 {
    let any = |is: fn(&TestResult) -> bool| {
        summary.comparisons.iter().flat_map(|comparison| &comparison.tests).any(is)
    };
    match () {
        () if any(|test| matches!(test.status, TestStatus::Failed | TestStatus::WrongAnswer)) => 3,
        () if any(|test| test.verdict == Some(Verdict::Regression)) => 1,
        () if strict && any(|test| !is_decided(test)) => 4,
        () => 0,
    }
}

fn is_decided(test: &TestResult) -> bool {
    matches!(test.verdict, Some(Verdict::Regression | Verdict::Improvement | Verdict::Boring))
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
}
