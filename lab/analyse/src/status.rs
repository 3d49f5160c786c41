//! The status of a test: what failed, for which subject, and whether the answers agree.

use humdrum_model::{Event, Phase, Stage, TestStatus};

use crate::ending::Ending;
use crate::run::{Run, TestBlocks};
use crate::sla;
use crate::warmup::{Steadiness, not_steady};

/// How `test` ended for `subject`. `settled` means that the evidence was complete: a later failure of the
/// subject does not change the status.
pub(crate) fn ending(run: &Run<'_>, test: &str, subject: usize, settled: bool) -> Ending {
    let base = || format!("the base {}: ", run.results.plan.subjects[0].label);
    let of_base = trouble(run, test, 0, settled).map(|event| told(event, &base()));
    let own = trouble(run, test, subject, settled).map(|event| told(event, ""));
    let blocks = run.test(test);
    let found = [
        of_base,
        own,
        blocks.and_then(|blocks| wrong_answer(blocks, subject)),
        blocks.and_then(|blocks| sla::missed(run, blocks, subject)),
        blocks.and_then(unsteady),
    ];
    let worst = found.into_iter().flatten().min_by_key(|ending| rank(ending.status));
    worst.unwrap_or(Ending { status: TestStatus::Ok, notes: Vec::new() })
}

/// The order of statuses, the worst first: a missed rate must not hide wrong rows.
pub(crate) fn rank(status: TestStatus) -> u8 {
    match status {
        TestStatus::WrongAnswer => 0,
        TestStatus::Failed => 1,
        TestStatus::SlaMissed | TestStatus::NotSteady | TestStatus::Ok => 2,
    }
}

/// Whether this (test, subject) need not be measured further.
pub(crate) fn is_dead(run: &Run<'_>, test: &str, subject: usize) -> bool {
    let fatal = |subject| {
        trouble(run, test, subject, false).is_some_and(|event| event.status != TestStatus::SlaMissed)
    };
    fatal(0)
        || fatal(subject)
        || run.test(test).is_some_and(|blocks| wrong_answer(blocks, subject).is_some())
        || left_behind(run, test, subject).is_some()
}

/// The write whose failure excludes `subject` from later tests on aged tables: other subjects still do that
/// write, so its tables differ from theirs.
pub(crate) fn left_behind<'a>(run: &Run<'a>, test: &str, subject: usize) -> Option<&'a str> {
    let tests = &run.results.plan.tests;
    let later = tests.iter().any(|one| one.name == test && one.phase > Phase::Write);
    let failed = |write: &str, whose| trouble(run, write, whose, false).is_some();
    let writes = tests.iter().filter(|one| later && one.phase == Phase::Write);
    let mut missed = writes.filter(|write| {
        let others = run.compared().any(|other| other != subject && !failed(&write.name, other));
        failed(&write.name, subject) && !failed(&write.name, 0) && others
    });
    missed.next().map(|write| write.name.as_str())
}

/// The worst event that ends the test for one subject, the first of equal ones. An event without a test ends
/// all tests that were not complete; an event without a subject concerns all subjects.
fn trouble<'a>(run: &Run<'a>, test: &str, subject: usize, settled: bool) -> Option<&'a Event> {
    let events = run.results.events.iter().filter(|event| {
        let here = event.test.as_deref() == Some(test);
        let everywhere = event.test.is_none() && event.subject.is_some() && !settled;
        let ours = event.subject.is_none_or(|whose| whose == subject);
        event.status != TestStatus::Ok && ours && (here || everywhere)
    });
    events.min_by_key(|event| rank(event.status))
}

fn told(event: &Event, whose: &str) -> Ending {
    let session = event.session.map_or(String::new(), |session| format!(" (session {session})"));
    let mut notes = vec![format!("{whose}{}{session}", event.what)];
    notes.extend(event.log_tail.iter().map(|tail| format!("log: {}", tail.trim_end())));
    Ending { status: event.status, notes }
}

/// Rows must be equal wherever the work was equal, in discarded blocks too.
fn wrong_answer(blocks: &TestBlocks<'_>, subject: usize) -> Option<Ending> {
    blocks.all.iter().find_map(|block| {
        let (base, other) = (block.slice(0)?, block.slice(subject)?);
        let same_work = base.operations == other.operations;
        (same_work && base.rows != other.rows).then(|| Ending {
            status: TestStatus::WrongAnswer,
            notes: vec![format!(
                "{} rows where the base returned {} (session {}, block {})",
                other.rows, base.rows, block.session, block.index
            )],
        })
    })
}

fn unsteady(blocks: &TestBlocks<'_>) -> Option<Ending> {
    let sessions = blocks.sessions.iter().filter(|session| session.stage != Stage::SliceCheck);
    let found: Vec<Steadiness> = sessions.map(|session| session.steadiness).collect();
    not_steady(&found).then(|| Ending {
        status: TestStatus::NotSteady,
        notes: vec![
            "the time per operation was still moving at the end of most sessions: no verdict".to_owned(),
        ],
    })
}

#[cfg(test)]
mod tests {
    use humdrum_model::StepFacts;

    use super::*;
    use crate::testkit::Bench;
    use crate::{exit_code, summarise};

    fn event(subject: Option<usize>, test: Option<&str>) -> Event {
        Event {
            subject,
            test: test.map(str::to_owned),
            session: Some(1),
            status: TestStatus::Failed,
            what: "connection closed".into(),
            log_tail: Some("PANIC: no\n".into()),
        }
    }

    fn bench() -> Bench {
        let mut bench = Bench::new(&["a", "b"], 3, 0, 4);
        bench.session(Stage::Confirmation, |_| true, 4, |_, _| 0.0);
        bench
    }

    fn status(bench: &Bench, test: &str, subject: usize, settled: bool) -> TestStatus {
        ending(&Run::new(&bench.results), test, subject, settled).status
    }

    #[test]
    fn an_event_concerns_its_test_and_subject_only() {
        let mut bench = bench();
        bench.results.events.push(event(Some(1), Some("a")));
        assert_eq!(status(&bench, "a", 1, true), TestStatus::Failed);
        assert_eq!(status(&bench, "a", 2, true), TestStatus::Ok);
        assert_eq!(status(&bench, "b", 1, true), TestStatus::Ok);
        let notes = ending(&Run::new(&bench.results), "a", 1, true).notes;
        assert_eq!(notes, ["connection closed (session 1)", "log: PANIC: no"]);
    }

    #[test]
    fn a_missed_rate_hides_no_wrong_answer() {
        let mut bench = bench();
        let of = |whose, status| Event { status, ..event(Some(whose), Some("a")) };
        bench.results.events.push(of(1, TestStatus::SlaMissed));
        assert_eq!(status(&bench, "a", 1, true), TestStatus::SlaMissed);
        assert!(!is_dead(&Run::new(&bench.results), "a", 1));
        bench.results.events.push(of(1, TestStatus::WrongAnswer));
        assert_eq!(status(&bench, "a", 1, true), TestStatus::WrongAnswer);
        assert!(is_dead(&Run::new(&bench.results), "a", 1));
        assert_eq!(exit_code(&summarise(&bench.results), false), 3);
        // Nor does the base's missed rate, nor one that is told before blocks are looked at.
        bench.results.events = vec![of(0, TestStatus::SlaMissed), of(1, TestStatus::Failed)];
        assert_eq!(status(&bench, "a", 1, true), TestStatus::Failed);
        bench.results.blocks[1].slices[2].rows += 1;
        assert_eq!(status(&bench, "a", 2, true), TestStatus::WrongAnswer);
    }

    #[test]
    fn a_step_has_no_steady_state_to_reach() {
        let mut bench = Bench::new(&["a"], 2, 0, 4);
        for _ in 0..4 {
            bench.session(Stage::Confirmation, |_| true, 200, |_, _| 0.0);
        }
        for block in &mut bench.results.blocks {
            let slower = 1.0 + f64::from(block.index) / 50.0;
            block.slices.iter_mut().for_each(|slice| slice.wall_ns = (slice.wall_ns as f64 * slower) as u64);
        }
        assert_eq!(status(&bench, "a", 1, true), TestStatus::NotSteady);
        bench.results.steps.push(StepFacts { test: "a".into(), ..StepFacts::default() });
        assert_eq!(status(&bench, "a", 1, true), TestStatus::Ok);
        let run = Run::new(&bench.results);
        assert!(run.test("a").expect("blocks").sessions.iter().all(|session| session.blocks.len() == 200));
    }

    #[test]
    fn who_failed_a_write_that_others_do_cannot_follow_them() {
        let mut bench = Bench::new(&["update", "read"], 3, 0, 4);
        bench.results.plan.tests[0].phase = Phase::Write;
        bench.results.events.push(event(Some(1), Some("update")));
        let dead = |bench: &Bench, subject| is_dead(&Run::new(&bench.results), "read", subject);
        assert!(dead(&bench, 1) && !dead(&bench, 2));
        // Where nobody is left to do the write, nobody is aged by it.
        bench.results.events.push(event(Some(2), Some("update")));
        assert!(!dead(&bench, 1) && !dead(&bench, 2));
    }

    #[test]
    fn the_dead_fail_whatever_was_not_complete() {
        let mut bench = bench();
        bench.results.events.push(event(Some(1), None));
        assert_eq!(status(&bench, "b", 1, false), TestStatus::Failed);
        assert_eq!(status(&bench, "b", 1, true), TestStatus::Ok);
        assert!(is_dead(&Run::new(&bench.results), "b", 1));
    }

    #[test]
    fn a_failed_base_fails_every_comparison() {
        let mut bench = bench();
        bench.results.events.push(event(Some(0), Some("a")));
        let ending = ending(&Run::new(&bench.results), "a", 2, true);
        assert_eq!(ending.status, TestStatus::Failed);
        assert!(ending.notes[0].starts_with("the base base: "), "{:?}", ending.notes);
    }

    #[test]
    fn other_rows_are_a_wrong_answer_even_in_a_discarded_block() {
        let mut bench = bench();
        bench.results.blocks[1].slices[2].rows += 1;
        bench.results.blocks[1].discarded = Some("steal".into());
        assert_eq!(status(&bench, "a", 2, true), TestStatus::WrongAnswer);
        assert_eq!(status(&bench, "a", 1, true), TestStatus::Ok);
        bench.results.blocks[1].slices[2].operations += 1;
        assert_eq!(status(&bench, "a", 2, true), TestStatus::Ok);
    }
}
