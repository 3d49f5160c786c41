//! The journal's rule, on constructed records.

use humdrum_model::{Contents, Mode, Place, Plan, Slice, Stage, Subject, TestStatus};

use super::*;

const TEST: &str = "update-index";

/// A record of a session of three subjects, with the blocks of so many subjects each.
fn journal(blocks: &[&[usize]]) -> Journal {
    let subject = |label: &str| Subject {
        label: label.into(),
        engine: "e".into(),
        place: Place::Version("1".into()),
        settings: Vec::new(),
    };
    let plan = Plan {
        suite: "s".into(),
        subjects: ["a", "b", "c"].map(subject).into(),
        tests: Vec::new(),
        scale: Default::default(),
        mode: Mode::Interleaved,
        seed: 1,
        budget_seconds: 1.0,
        design: Default::default(),
        strict: false,
        compat: false,
        suite_sha256: None,
        judging: Default::default(),
        memory_bytes: None,
        fsync_delay_us: None,
        shard: None,
        imported: None,
        after_load: Vec::new(),
        builds: None,
    };
    let before = Results {
        sessions: vec![session(0), session(1)],
        blocks: blocks.iter().enumerate().map(|(index, subjects)| block(index as u32, subjects)).collect(),
        ..Results::of(plan)
    };
    Journal { before }
}

fn session(number: u32) -> SessionInfo {
    SessionInfo {
        number,
        stage: Stage::Confirmation,
        restarted: true,
        reloaded: true,
        tests: vec![TEST.into()],
        stretch: 1.0,
        unrecorded: Vec::new(),
        subjects: Vec::new(),
    }
}

fn block(index: u32, subjects: &[usize]) -> Block {
    let slice = |subject: &usize| Slice {
        subject: *subject,
        start_ns: 0,
        wall_ns: 1,
        operations: 1,
        guard_operations: 0,
        rows: 1,
        client_cpu_ns: 0,
        readings: Vec::new(),
        quarter_ns: None,
        idle_ns: None,
        scripts: Vec::new(),
        blamed: false,
    };
    let slices = subjects.iter().map(slice).collect();
    Block { test: TEST.into(), session: 1, index, slices, discarded: None }
}

fn state(subject: usize, moment: Moment, checksum: &str) -> StateFacts {
    let contents = Some(Contents { rows: 7, checksum: checksum.into() });
    StateFacts { test: TEST.into(), session: 1, subject, moment, contents, quantities: Vec::new() }
}

fn failure(subject: usize, session: u32, status: TestStatus) -> Event {
    let (subject, test, session) = (Some(subject), Some(TEST.into()), Some(session));
    Event { subject, test, session, status, what: "it failed".into(), log_tail: None }
}

/// Two blocks that read; `excluded` as a step has it.
fn reads(journal: &Journal) -> Expected<'_> {
    Expected {
        session: &journal.before.sessions[1],
        test: TEST,
        blocks: Some(2),
        settled_by: None,
        excluded: journal.failed_in(TEST, Some(1)),
        unrecorded: false,
    }
}

fn writes(journal: &Journal) -> Expected<'_> {
    Expected { settled_by: Some(Moment::After), ..reads(journal) }
}

#[test]
fn a_unit_that_reads_is_done_with_its_last_block() {
    let all: &[usize] = &[0, 1, 2];
    for (blocks, done) in [(vec![], false), (vec![all], false), (vec![all, all], true)] {
        let journal = journal(&blocks);
        assert_eq!(journal.is_done(&reads(&journal)), done, "{} blocks", blocks.len());
    }
    let journal = journal(&[all, all]);
    let unknown = Expected { blocks: None, ..reads(&journal) };
    assert!(!journal.is_done(&unknown), "how many blocks there will be is not known");
    let elsewhere = Expected { session: &journal.before.sessions[0], ..reads(&journal) };
    assert!(!journal.is_done(&elsewhere), "another session's blocks do not count");
}

#[test]
fn a_unit_that_writes_is_done_when_all_are_settled() {
    let mut journal = journal(&[&[0, 1, 2], &[2, 1, 0]]);
    assert!(!journal.is_done(&writes(&journal)));
    journal.before.states.extend([0, 1].map(|subject| state(subject, Moment::After, "x")));
    journal.before.states.push(state(2, Moment::Before, "x"));
    assert!(!journal.is_done(&writes(&journal)), "the third is not settled");
    journal.before.states.push(state(2, Moment::After, "x"));
    assert!(journal.is_done(&writes(&journal)));
}

#[test]
fn what_differs_from_the_base_is_not_done_before_its_failure_is_on_record() {
    let mut journal = journal(&[&[0, 1, 2], &[0, 1, 2]]);
    let checksums = [(0, "x"), (1, "other"), (2, "x")];
    journal.before.states.extend(checksums.map(|(subject, sum)| state(subject, Moment::After, sum)));
    assert!(!journal.is_done(&writes(&journal)));
    journal.before.events.push(failure(1, 1, TestStatus::WrongAnswer));
    assert!(journal.is_done(&writes(&journal)));
}

#[test]
fn a_subject_without_the_last_block_is_not_done_before_its_failure_is_on_record() {
    let mut journal = journal(&[&[0, 1, 2], &[0, 2]]);
    assert!(!journal.is_done(&reads(&journal)));
    journal.before.events.push(failure(1, 1, TestStatus::Failed));
    assert!(journal.is_done(&reads(&journal)));
}

#[test]
fn a_failure_of_an_earlier_session_settles_nothing_in_this_one() {
    let mut journal = journal(&[&[0, 1, 2], &[0, 1, 2]]);
    journal.before.states.extend([0, 2].map(|subject| state(subject, Moment::After, "x")));
    journal.before.events.push(failure(1, 0, TestStatus::Failed));
    assert!(!journal.is_done(&writes(&journal)));
    journal.before.events.push(failure(1, 1, TestStatus::SlaMissed));
    assert!(!journal.is_done(&writes(&journal)), "a missed pace is no failure");
}

#[test]
fn who_takes_no_part_in_a_session_has_nothing_to_do_in_it() {
    let mut journal = journal(&[&[0, 2], &[2, 0]]);
    assert!(!journal.is_done(&reads(&journal)));
    journal.before.sessions[1].subjects = vec![0, 2];
    assert!(journal.is_done(&reads(&journal)));
    assert!(!journal.is_done(&writes(&journal)), "neither is settled");
}

#[test]
fn nothing_is_left_without_the_base_or_without_another_subject() {
    let journal = journal(&[]);
    let done = |excluded: &[usize]| {
        let excluded = excluded.to_vec();
        journal.is_done(&Expected { excluded, ..writes(&journal) })
    };
    assert_eq!([done(&[0]), done(&[1, 2]), done(&[1])], [true, true, false]);
    assert!(journal.is_done(&Expected { unrecorded: true, ..writes(&journal) }));
}
