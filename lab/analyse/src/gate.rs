//! Judges a summary by the gate of a project: which regressions and failures fail a check, which do not, and which were accepted.

use humdrum_model::{
    Allowed, Failing, Gate, Gated, Loss, Summary, THROUGHPUT, TestResult, Verdict, is_throughput,
};

use crate::exit::{Regressed, is_broken, is_decided, regressions};

/// What fails on `today` (`2026-11-25`).
pub fn gate(summary: &Summary, gate: &Gate, today: &str) -> Gated {
    let mut found = Gated::default();
    let mut needed = vec![false; gate.allow.len()];
    for comparison in &summary.comparisons {
        for test in &comparison.tests {
            let fails = |by| gate.fails(by, &test.test, test.numbers());
            found.tests += 1;
            if is_open(summary, test) {
                found.open.push(test.test.clone());
            }
            if is_broken(test) {
                let list = if fails(Failing::Failed) { &mut found.broken } else { &mut found.broken_warned };
                list.push(test.test.clone());
            } else if fails(Failing::Undecided) && !first_verdict(summary, test).is_some_and(is_decided) {
                found.undecided.push(test.test.clone());
            }
            for mut loss in losses(summary, &comparison.subject, test) {
                for (allowed, needed) in gate.allow.iter().zip(&mut needed) {
                    if !concerns(allowed, &loss) {
                        continue;
                    }
                    *needed = true;
                    match void(allowed, &loss, today) {
                        None => loss.reason = Some(allowed.reason.clone()),
                        Some(void) => loss.void = Some(void),
                    }
                }
                let list = match loss.reason.is_some() {
                    true => &mut found.accepted,
                    false if fails(Failing::Regression) => &mut found.failing,
                    false => &mut found.warned,
                };
                list.push(loss);
            }
        }
    }
    // A check that has measured nothing does not pass, whatever its policy is.
    if found.broken_warned.len() == found.tests {
        found.broken = std::mem::take(&mut found.broken_warned);
    }
    let idle = gate.allow.iter().zip(needed).filter(|(_, needed)| !needed);
    found.idle = idle.map(|(allowed, _)| format!("{} until {}", allowed.test, allowed.until)).collect();
    found
}

/// The regressions of a test and of its scripts, in the quantities that the run is judged by.
fn losses(summary: &Summary, subject: &str, test: &TestResult) -> Vec<Loss> {
    let loss = |one: Regressed| Loss {
        subject: subject.to_owned(),
        test: test.test.clone(),
        quantity: one.quantity,
        ratio: one.ratio,
        ci95: one.ci95,
        reason: None,
        void: None,
    };
    regressions(test, &summary.judging).into_iter().map(loss).collect()
}

/// The verdict on the first quantity that the run is judged by.
fn first_verdict(summary: &Summary, test: &TestResult) -> Option<Verdict> {
    match summary.judging.counts(THROUGHPUT) {
        true => test.verdict,
        false => test.judged.values().next().map(|judged| judged.verdict),
    }
}

/// Whether no quantity that the run is judged by has a decision.
fn is_open(summary: &Summary, test: &TestResult) -> bool {
    let mut others = test.judged.iter().filter(|(name, _)| summary.judging.counts(name));
    !is_broken(test)
        && !first_verdict(summary, test).is_some_and(is_decided)
        && !others.any(|(_, judged)| is_decided(judged.verdict))
}

fn concerns(allowed: &Allowed, loss: &Loss) -> bool {
    allowed.test == loss.test && allowed.quantity.as_ref().is_none_or(|quantity| *quantity == loss.quantity)
}

/// Why an acceptance does not count; `None` if it does.
fn void(allowed: &Allowed, loss: &Loss, today: &str) -> Option<String> {
    // Dates of this form are in the order of their text.
    if today > allowed.until.as_str() {
        return Some(format!("accepted until {}, which is over: {}", allowed.until, allowed.reason));
    }
    let most = allowed.at_most?;
    let lost =
        loss.ratio.map(|ratio| if is_throughput(&loss.quantity) { 1.0 - ratio } else { ratio - 1.0 })?;
    (lost > most).then(|| {
        let [lost, most] = [lost, most].map(|share| 100.0 * share);
        format!("{lost:.1} % was lost, and {most:.1} % at most was accepted: {}", allowed.reason)
    })
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Judgement, ScriptResult, TestStatus};

    use super::*;
    use crate::summary::summarise;
    use crate::testkit::Bench;

    /// Two tests; the first has lost 4 % of its throughput.
    fn summary() -> Summary {
        let mut summary = summarise(&Bench::new(&["scan", "quiet"], 2, 0, 4).results);
        let tests = &mut summary.comparisons[0].tests;
        for test in tests.iter_mut() {
            (test.status, test.verdict) = (TestStatus::Ok, Some(Verdict::Boring));
        }
        (tests[0].verdict, tests[0].rqps) = (Some(Verdict::Regression), Some(0.96));
        summary
    }

    fn allowed(until: &str, at_most: Option<f64>) -> Gate {
        let one = Allowed {
            test: "scan".into(),
            quantity: None,
            until: until.into(),
            reason: "checks were added".into(),
            at_most,
        };
        Gate { allow: vec![one], ..Gate::default() }
    }

    #[test]
    fn a_regression_fails_unless_it_was_accepted_for_today_and_for_its_size() {
        let judged = |by: &Gate| gate(&summary(), by, "2026-11-25");
        let found = judged(&Gate::default());
        assert_eq!((found.exit_code(), found.failing.len(), found.failing[0].test.as_str()), (1, 1, "scan"));
        let found = judged(&allowed("2026-11-25", Some(0.05)));
        assert_eq!((found.exit_code(), found.accepted.len()), (0, 1));
        assert_eq!(found.accepted[0].reason.as_deref(), Some("checks were added"));
        let over = judged(&allowed("2026-11-24", None));
        assert!(over.exit_code() == 1 && over.failing[0].void.as_ref().unwrap().contains("which is over"));
        let larger = judged(&allowed("2027-01-01", Some(0.03)));
        assert!(larger.failing[0].void.as_ref().unwrap().starts_with("4.0 % was lost, and 3.0 % at most"));
    }

    #[test]
    fn each_quantity_is_accepted_by_itself_and_idle_acceptances_are_named() {
        let mut summary = summary();
        let cpu = Judgement {
            ratio: 1.1,
            ci95: [1.08, 1.12],
            p_adjusted: None,
            delta: 0.01,
            verdict: Verdict::Regression,
        };
        summary.comparisons[0].tests[0].judged.insert("cpu".into(), cpu);
        let mut by = allowed("2027-01-01", None);
        by.allow[0].quantity = Some("throughput".into());
        by.allow.push(Allowed { test: "quiet".into(), ..by.allow[0].clone() });
        let found = gate(&summary, &by, "2026-11-25");
        assert_eq!((found.failing.len(), found.failing[0].quantity.as_str()), (1, "cpu"));
        assert_eq!((found.accepted.len(), found.idle.join(",")), (1, "quiet until 2027-01-01".into()));
    }

    #[test]
    fn a_script_that_regressed_fails_the_check_though_its_mix_did_not() {
        let mut summary = summary();
        let test = &mut summary.comparisons[0].tests[1];
        let verdict = Verdict::Regression;
        let judged = Judgement { ratio: 0.9, ci95: [0.88, 0.92], p_adjusted: None, delta: 0.01, verdict };
        let script = "pay".to_owned();
        test.scripts.push(ScriptResult { script, operations: 0.1, base_time: 0.2, time: 0.21, judged });
        let mut by = allowed("2027-01-01", None);
        let found = gate(&summary, &by, "2026-11-25");
        assert_eq!((found.exit_code(), found.failing[0].quantity.as_str()), (1, "script pay"));
        let pay =
            Allowed { test: "quiet".into(), quantity: Some("script pay".into()), ..by.allow[0].clone() };
        by.allow.push(Allowed { at_most: Some(0.09), ..pay });
        let found = gate(&summary, &by, "2026-11-25");
        assert!(found.failing[0].void.as_ref().unwrap().starts_with("10.0 % was lost, and 9.0 % at most"));
        by.allow[1].at_most = Some(0.11);
        assert_eq!(gate(&summary, &by, "2026-11-25").exit_code(), 0);
    }

    #[test]
    fn what_is_broken_comes_first_and_what_is_undecided_fails_where_that_is_wanted() {
        let mut summary = summary();
        summary.comparisons[0].tests[1].verdict = Some(Verdict::Inconclusive);
        let by = Gate { fail_undecided: true, ..allowed("2027-01-01", None) };
        let found = gate(&summary, &by, "2026-11-25");
        assert_eq!((found.exit_code(), found.undecided.join(",")), (4, "quiet".into()));
        summary.comparisons[0].tests[1].status = TestStatus::WrongAnswer;
        assert_eq!(gate(&summary, &by, "2026-11-25").exit_code(), 3);
    }

    #[test]
    fn a_policy_says_what_fails_and_what_is_told_alone() {
        let mut summary = summary();
        summary.comparisons[0].tests[1].verdict = Some(Verdict::Inconclusive);
        let judged = |summary: &Summary, by: &Gate| {
            let found = gate(summary, by, "2026-11-25");
            (found.exit_code(), found.failing.len(), found.warned.len(), found.undecided.len())
        };
        let fail = |words: &[Failing]| Gate { fail: words.to_vec(), ..Gate::default() };
        let warn = |test: &str| Gate { warn: vec![test.into()], fail_undecided: true, ..Gate::default() };
        assert_eq!(judged(&summary, &fail(&[Failing::Regression])), (1, 1, 0, 0));
        assert_eq!(judged(&summary, &fail(&[Failing::Undecided])), (4, 0, 1, 1));
        assert_eq!(judged(&summary, &fail(&[])), (0, 0, 1, 0));
        assert_eq!(judged(&summary, &warn("scan")), (4, 0, 1, 1));
        assert_eq!(judged(&summary, &warn("quiet")), (1, 1, 0, 0));
        // An acceptance has its reason, and comes first.
        let accepted = Gate { fail: Vec::new(), ..allowed("2027-01-01", None) };
        assert_eq!(judged(&summary, &accepted), (0, 0, 0, 0));
        // Named by all its numbers of clients, or by one.
        let scan = &mut summary.comparisons[0].tests[0];
        (scan.test, scan.clients) = ("scan:c4".into(), Some(4));
        assert_eq!(judged(&summary, &warn("scan")), (4, 0, 1, 1));
        assert_eq!(judged(&summary, &warn("scan:c4")), (4, 0, 1, 1));
        assert_eq!(judged(&summary, &warn("scan:c16")), (1, 1, 0, 1));
        let scan = &mut summary.comparisons[0].tests[0];
        (scan.test, scan.rows) = ("scan:r40k:c4".into(), Some(40_000));
        for named in ["scan", "scan:c4", "scan:r40k", "scan:r40k:c4"] {
            assert_eq!(judged(&summary, &warn(named)), (4, 0, 1, 1), "{named}");
        }
        assert_eq!(judged(&summary, &warn("scan:r4k")), (1, 1, 0, 1));
    }

    #[test]
    fn a_check_of_which_every_test_failed_does_not_pass() {
        let mut summary = summary();
        let by = Gate { fail: Vec::new(), ..Gate::default() };
        summary.comparisons[0].tests[0].status = TestStatus::Failed;
        let found = gate(&summary, &by, "2026-11-25");
        assert_eq!((found.exit_code(), found.broken_warned.join(",")), (0, "scan".into()));
        summary.comparisons[0].tests[1].status = TestStatus::WrongAnswer;
        let found = gate(&summary, &by, "2026-11-25");
        assert_eq!((found.exit_code(), found.broken.join(",")), (3, "scan,quiet".into()));
    }
}
