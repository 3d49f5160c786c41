//! The sessions of a plan at several numbers of rows: each has the data of one.

mod common;

use std::collections::BTreeSet;

use common::{checked, request};
use humdrum_model::{CopyTimings, Dimension, Incomplete, Phase, Plan, SessionInfo, Stage, Timings};
use humdrum_plan::{
    Measured, Overrides, SessionPlan, Spent, affordable_seconds, design, next_session, once_seconds,
    planned_overhead_seconds, session_overhead_seconds, slice_check_tests,
};

const ROWS: [u64; 3] = [1_000, 10_000, 100_000];

fn plan(budget: &str) -> Plan {
    let mut request = request(&["fake@1.0", "fake@2.0"]);
    request.tests = vec!["hot-points".into(), "range-0".into()];
    request.scale = Some("rows=1k,10k,100k".into());
    request.budget = Some(budget.into());
    checked(&request).unwrap()
}

/// The tests on data of some number of rows.
fn of_rows(plan: &Plan, rows: impl Fn(u64) -> bool) -> BTreeSet<String> {
    let ours = plan.tests.iter().filter(|test| test.rows.is_some_and(&rows));
    ours.map(|test| test.name.clone()).collect()
}

fn rows_of(plan: &Plan, session: &SessionPlan) -> u64 {
    plan.scale_of_session(&session.info).rows
}

/// All sessions, as long as planned, and their seconds. `decided` says which tests go on after how many sessions.
fn run(plan: &Plan, decided: impl Fn(usize) -> BTreeSet<String>) -> (Vec<SessionPlan>, f64) {
    let (mut done, mut plans, mut spent): (Vec<SessionInfo>, Vec<SessionPlan>, f64) = (vec![], vec![], 0.0);
    while let Some(next) = next_session(plan, &done, &decided(done.len()), Spent::of(spent)) {
        let overhead = session_overhead_seconds(&plan.design, &plan.scale_of_session(&next.info));
        spent += overhead + next.info.tests.len() as f64 * (0.07 + next.deadline_seconds_per_test);
        done.push(next.info.clone());
        plans.push(next);
        assert!(plans.len() < 500, "does not end");
    }
    (plans, spent)
}

#[test]
fn data_sets_take_turns_and_have_as_many_sessions_each() {
    let plan = plan("5m");
    let (sessions, spent) = run(&plan, |_| of_rows(&plan, |_| true));
    let (check, measuring) = sessions.split_last().unwrap();
    assert_eq!(measuring.len() as u32, plan.sessions_max());
    for round in measuring.chunks(3) {
        assert_eq!(round.iter().map(|session| rows_of(&plan, session)).collect::<Vec<_>>(), ROWS);
    }
    for session in &sessions {
        let rows = rows_of(&plan, session);
        let expected = of_rows(&plan, |own| own == rows);
        assert_eq!(session.info.tests.iter().cloned().collect::<BTreeSet<_>>(), expected);
        assert!(session.info.reloaded);
    }
    assert_eq!((check.info.stage, rows_of(&plan, check)), (Stage::SliceCheck, 100_000));
    assert!(slice_check_tests(&plan).iter().all(|name| name.ends_with(":r100k")));
    assert!((270.0..300.0).contains(&spent), "{spent}");
    assert!(affordable_seconds(&plan.design, &plan.tests, &plan.scale) <= 300.0);
}

#[test]
fn data_sets_that_are_decided_give_their_time_to_the_others() {
    let plan = plan("5m");
    let large = |rows: u64| rows == 100_000;
    let (sessions, spent) = run(&plan, |done| of_rows(&plan, |rows| done < 3 || large(rows)));
    let later = &sessions[3..];
    assert!(later.iter().all(|session| large(rows_of(&plan, session))));
    let grown = later[0].deadline_seconds_per_test / plan.design.seconds_per_test_session;
    assert!((grown - 3.0).abs() < 1e-9, "{grown}");
    let measured = sessions.iter().filter(|session| session.info.stage == Stage::Confirmation);
    assert_eq!(measured.count() as u32, plan.design.confirmation_sessions + 2);
    assert!(spent < 300.0);
}

#[test]
fn the_first_session_of_each_data_set_finds_the_pace() {
    let plan = plan("5m");
    let (sessions, _) = run(&plan, |_| of_rows(&plan, |_| true));
    let beside = |number: usize| planned_overhead_seconds(&plan, &sessions[number].info);
    for number in 0..3 {
        assert!(beside(number) > beside(number + 3), "{number}: {}", beside(number));
    }
    assert!(beside(3) < beside(4) && beside(4) < beside(5), "more rows take longer");
    assert_eq!([beside(3), beside(4)], [beside(6), beside(7)]);
}

/// Of 111,000 rows in three data sets, loaded in 1.11 s and copied in 0.31 s, with a restart of a second for each.
#[test]
fn copies_are_made_of_all_data_sets_where_that_is_faster() {
    let plan = plan("5m");
    let copy = Some(CopyTimings { seconds: 0.1, seconds_per_row: 1e-7 });
    let timings = Timings { restart_seconds: 1.0, load_seconds_per_row: 1e-5, copy, ..Timings::NONE };
    let measured = Measured { timings, incomplete: None };
    let of = |overrides: &Overrides| design(300.0, &plan.tests, &measured, &plan.scale, overrides);
    let copied = of(&Overrides::default());
    assert!(copied.copy && copied.reload);
    let once = once_seconds(&copied, &plan.data_sets());
    assert!((once - (1.11 + 0.3111 + 3.0)).abs() < 1e-9, "{once}");
    let loaded = of(&Overrides { copy: Some(false), ..Overrides::default() });
    assert!(loaded.reload && !loaded.copy, "large or small, a server holds one data set at a time");
}

/// Decided writes age the tables of their own data set alone.
#[test]
fn writes_run_on_unrecorded_where_their_own_data_are_read() {
    let mut plan = plan("10m");
    for test in plan.tests.iter_mut().filter(|test| test.name.starts_with("range-0")) {
        (test.writes, test.phase) = (true, Phase::Write);
    }
    let reads: BTreeSet<String> = ["hot-points:r1k".to_owned()].into();
    let next = next_session(&plan, &[], &reads, Spent::of(0.0)).unwrap().info;
    assert_eq!(next.unrecorded, ["range-0:r1k"]);
    assert_eq!(next.tests, ["range-0:r1k", "hot-points:r1k"]);
}

#[test]
fn subjects_are_dealt_to_the_sessions_of_each_data_set() {
    let mut plan = plan("5m");
    plan.design.incomplete = Some(Incomplete { subjects: 3, of: 5, timings: Timings::NONE });
    let (sessions, _) = run(&plan, |_| of_rows(&plan, |_| true));
    let numbers = plan.numbers(Dimension::Rows);
    assert_eq!(numbers, ROWS);
    for rows in numbers {
        let ours: Vec<&SessionPlan> = sessions.iter().filter(|one| rows_of(&plan, one) == rows).collect();
        let count = |subject| ours.iter().filter(|session| session.info.has(subject)).count();
        let others: Vec<usize> = (1..5).map(count).collect();
        let (least, most) = (others.iter().min(), others.iter().max());
        assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{rows}: {others:?}");
        assert_eq!(count(0), ours.len(), "the base is in all of them");
    }
}
