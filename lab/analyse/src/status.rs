//! How a test ended apart from speed: what failed, for whom, and whether the answers agree.

use humdrum_model::{Event, Phase, Stage, TestStatus};

use crate::run::{Run, TestBlocks};
use crate::sla;
use crate::warmup::{Steadiness, not_steady};

/// A status and the facts behind it, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// How it ended.
    pub status: TestStatus,
    /// What happened.
    pub notes: Vec<String>,
}

/// How `test` ended for `subject`. `settled` says that the evidence was complete: a subject that dies later does
/// not take back what it has shown.
pub(crate) fn ending(run: &Run<'_>, test: &str, subject: usize, settled: bool) -> Ending {
    if let Some(event) = trouble(run, test, 0, settled) {
        let base = &run.results.plan.subjects[0].label;
        return told(event, &format!("the base {base}: "));
    }
    if let Some(event) = trouble(run, test, subject, settled) {
        return told(event, "");
    }
    let Some(blocks) = run.test(test) else { return Ending { status: TestStatus::Ok, notes: Vec::new() } };
    wrong_answer(blocks, subject)
        .or_else(|| sla::missed(run, blocks, subject))
        .or_else(|| unsteady(blocks))
        .unwrap_or(Ending { status: TestStatus::Ok, notes: Vec::new() })
}

/// Whether measuring this (test, subject) further makes no sense.
pub(crate) fn is_dead(run: &Run<'_>, test: &str, subject: usize) -> bool {
    let fatal = |subject| {
        trouble(run, test, subject, false).is_some_and(|event| event.status != TestStatus::SlaMissed)
    };
    fatal(0)
        || fatal(subject)
        || run.test(test).is_some_and(|blocks| wrong_answer(blocks, subject).is_some())
        || left_behind(run, test, subject).is_some()
}

/// The write whose failure keeps `subject` out of a test that comes after writes: others still do that write, so
/// that its tables are not theirs any more.
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

/// The first event that ends the test for one subject. An event of no test ends all that were not complete; an
/// event of no subject concerns all of them.
fn trouble<'a>(run: &Run<'a>, test: &str, subject: usize, settled: bool) -> Option<&'a Event> {
    run.results.events.iter().filter(|event| event.status != TestStatus::Ok).find(|event| {
        let here = event.test.as_deref() == Some(test);
        let everywhere = event.test.is_none() && event.subject.is_some() && !settled;
        let ours = event.subject.is_none_or(|whose| whose == subject);
        ours && (here || everywhere)
    })
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
    use super::*;
    use crate::testkit::Bench;

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
