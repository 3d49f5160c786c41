//! Which tests need further sessions. The scheduler calls it after every session.
//!
//! The rule is the one that `summarise` applies, by the same function, so that the result that stopped a test
//! is the one that is reported.

use std::collections::BTreeSet;

use humdrum_model::{Results, Stage, TestInfo};

use crate::band::Band;
use crate::estimate::Rules;
use crate::measure::estimate;
use crate::ratio::session_values;
use crate::run::Run;
use crate::status::is_dead;

/// Names of tests that need further sessions. While screening sessions are outstanding: every test that can
/// still be measured. After the last of them: those that go on to confirmation. During confirmation: those
/// that are neither settled nor at the cap. In a shard, no test is settled before the cap: it does not know what
/// the other shards have found.
pub fn undecided(results: &Results) -> BTreeSet<String> {
    let run = Run::new(results);
    let open = results.plan.tests.iter().filter(|test| is_open(&run, test));
    open.map(|test| test.name.clone()).collect()
}

fn is_open(run: &Run<'_>, test: &TestInfo) -> bool {
    let mut alive = run.compared().filter(|&subject| !is_dead(run, &test.name, subject));
    let design = &run.results.plan.design;
    alive.any(|subject| {
        let begun = |stage| begun(run, &test.name, stage, subject);
        if begun(Stage::Screening) < design.screening_sessions && begun(Stage::Confirmation) == 0 {
            return true;
        }
        let settled = || run.results.plan.shard.is_none() && is_settled(run, test, subject);
        begun(Stage::Confirmation) < design.confirmation_sessions && !settled()
    })
}

/// Sessions of a stage in which the test ran and the subject took part, whether or not its blocks count.
fn begun(run: &Run<'_>, test: &str, stage: Stage, subject: usize) -> u32 {
    let sessions: BTreeSet<u32> = run
        .results
        .sessions
        .iter()
        .filter(|session| session.stage == stage && session.has(subject))
        .map(|session| session.number)
        .collect();
    let ran: BTreeSet<u32> =
        run.test(test).into_iter().flat_map(|blocks| &blocks.all).map(|b| b.session).collect();
    ran.intersection(&sessions).count() as u32
}

fn is_settled(run: &Run<'_>, test: &TestInfo, subject: usize) -> bool {
    let results = run.results;
    let rules = Rules { design: &results.plan.design, family: run.family(), finished: false };
    let band = Band::new(rules.design, test.writes, results.aa_excess);
    let values = run.test(&test.name).map(|blocks| session_values(&blocks.sessions, subject));
    values.and_then(|values| estimate(&values, &band, &rules)).is_some_and(|found| found.settled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;

    fn effect(test: &str, _: usize) -> f64 {
        if test == "large" { -0.5 } else { 0.0 }
    }

    #[test]
    fn screening_runs_all_and_then_lets_the_boring_go() {
        let mut bench = Bench::new(&["large", "quiet"], 2, 3, 9);
        assert_eq!(undecided(&bench.results).len(), 2);
        for _ in 0..2 {
            bench.session(Stage::Screening, |_| true, 10, effect);
            assert_eq!(undecided(&bench.results).len(), 2);
        }
        bench.session(Stage::Screening, |_| true, 10, effect);
        assert_eq!(undecided(&bench.results).into_iter().collect::<Vec<_>>(), ["large"]);
    }

    #[test]
    fn confirmation_ends_at_the_fourth_session_or_at_the_cap() {
        let mut bench = Bench::new(&["large", "noisy"], 2, 0, 6);
        let mut sign = 1.0;
        let mut left = Vec::new();
        for _ in 0..6 {
            bench.session(
                Stage::Confirmation,
                |_| true,
                10,
                |test, subject| {
                    sign = -sign;
                    effect(test, subject) + if test == "noisy" { 0.1 * sign } else { 0.0 }
                },
            );
            sign = -sign;
            left.push(undecided(&bench.results).into_iter().collect::<Vec<_>>().join("+"));
        }
        assert_eq!(left[2], "large+noisy");
        assert_eq!(left[3], "noisy");
        assert_eq!(left[5], "");
    }

    #[test]
    fn nothing_goes_on_for_the_dead_and_all_of_it_for_the_living() {
        let mut bench = Bench::new(&["a", "b"], 3, 0, 4);
        bench.session(Stage::Confirmation, |_| true, 10, effect);
        let mut event = humdrum_model::Event {
            subject: Some(1),
            test: None,
            session: Some(0),
            status: humdrum_model::TestStatus::Failed,
            what: "died".into(),
            log_tail: None,
        };
        bench.results.events.push(event.clone());
        assert_eq!(undecided(&bench.results).len(), 2);
        event.subject = Some(0);
        bench.results.events.push(event);
        assert!(undecided(&bench.results).is_empty());
    }

    #[test]
    fn a_session_counts_for_the_subjects_that_took_part() {
        let mut bench = Bench::new(&["a"], 3, 0, 4);
        let mut left = Vec::new();
        for number in 0..8 {
            let (whose, sign) = (1 + number % 2, if number / 2 % 2 == 0 { 0.1 } else { -0.1 });
            bench.session(Stage::Confirmation, |_| true, 10, |_, _| sign);
            bench.results.sessions[number].subjects = vec![0, whose];
            let own = bench.results.blocks.iter_mut().filter(|block| block.session as usize == number);
            own.for_each(|block| block.slices.retain(|slice| [0, whose].contains(&slice.subject)));
            left.push(!undecided(&bench.results).is_empty());
        }
        // Four sessions each, and the second subject has its fourth one last.
        assert_eq!(left, [true, true, true, true, true, true, true, false]);
        let summary = crate::summarise(&bench.results);
        let tests = summary.comparisons.iter().map(|comparison| &comparison.tests[0]);
        for test in tests {
            assert_eq!((test.sessions, test.status), (4, humdrum_model::TestStatus::Ok));
            assert_eq!(test.session_log_ratios.len(), 4);
        }
    }

    #[test]
    fn without_confirmation_screening_is_all_there_is() {
        let mut bench = Bench::new(&["a"], 2, 2, 0);
        bench.session(Stage::Screening, |_| true, 10, |_, _| 0.3);
        assert_eq!(undecided(&bench.results).len(), 1);
        bench.session(Stage::Screening, |_| true, 10, |_, _| 0.2);
        assert!(undecided(&bench.results).is_empty());
    }
}
