//! The designs that fit budgets, and the sessions of these designs.

mod common;

use std::collections::BTreeSet;

use common::{checked, request, scale, test, tests};
use humdrum_model::{CopyTimings, Design, Phase, Plan, SessionInfo, Stage, TestInfo, Timings};
use humdrum_plan::{
    Measured, Overrides, SessionPlan, Spent, affordable_seconds, design, next_session, once_seconds,
    planned_overhead_seconds, session_overhead_seconds, slice_check_tests, sums_contents,
};
use proptest::prelude::*;

/// Servers of the fake engine.
fn fakes(subjects: usize) -> Measured {
    let timings = Timings {
        restart_seconds: 0.5,
        load_seconds_per_row: 1.2e-6,
        copy: None,
        settle_seconds: 0.2,
        ..Timings::NONE
    };
    Measured { timings: std::iter::repeat_n(timings, subjects).sum(), incomplete: None }
}

fn designed(budget: f64, tests: &[TestInfo]) -> Design {
    design(budget, tests, &fakes(2), &scale("small", 100_000), &Overrides::default())
}

fn sessions(design: &Design) -> u32 {
    design.screening_sessions + design.confirmation_sessions
}

fn plan(budget: &str, tests: &[&str]) -> Plan {
    let mut request = request(&["fake@1.0", "fake@2.0"]);
    request.budget = Some(budget.into());
    request.tests = tests.iter().map(|name| (*name).to_owned()).collect();
    checked(&request).unwrap()
}

fn all(plan: &Plan) -> BTreeSet<String> {
    plan.tests.iter().map(|test| test.name.clone()).collect()
}

/// Seconds of a session that is as fast as planned.
fn takes(plan: &Plan, session: &SessionPlan) -> f64 {
    let overhead = session_overhead_seconds(&plan.design, &plan.scale_of_session(&session.info));
    overhead + session.info.tests.len() as f64 * (0.07 + session.deadline_seconds_per_test)
}

/// All sessions, each `pace` times as long as planned. `decided` says which tests drop out after how many.
fn run(plan: &Plan, pace: f64, decided: impl Fn(usize) -> BTreeSet<String>) -> (Vec<SessionPlan>, f64) {
    let (mut done, mut plans, mut spent): (Vec<SessionInfo>, Vec<SessionPlan>, f64) = (vec![], vec![], 0.0);
    while let Some(next) = next_session(plan, &done, &decided(done.len()), Spent::of(spent)) {
        spent += takes(plan, &next) * pace;
        done.push(next.info.clone());
        plans.push(next);
        assert!(plans.len() < 500, "does not end");
    }
    (plans, spent)
}

#[test]
fn budgets_buy_what_was_aimed_at() {
    let five_minutes = designed(300.0, &tests());
    assert_eq!((five_minutes.screening_sessions, five_minutes.confirmation_sessions), (0, 32));
    assert_eq!(sessions(&designed(1200.0, &tests())), 120);
    let one_minute = designed(60.0, &[test("hot-points", "point", false)]);
    assert_eq!((one_minute.screening_sessions, one_minute.confirmation_sessions), (0, 33));
    assert_eq!((sessions(&designed(100_000.0, &tests())), five_minutes.connections), (120, 3));
    assert!((0.08..=0.5).contains(&five_minutes.warmup_seconds));
    assert!(five_minutes.first_warmup_seconds <= five_minutes.seconds_per_test_session / 3.0);
}

#[test]
fn half_a_percent_matters_only_where_it_can_be_seen() {
    let one = [test("hot-points", "point", false)];
    let delta = |budget| designed(budget, &one).delta;
    assert_eq!((delta(60.0), delta(120.0)), (0.01, 0.005));
    let fixed = Overrides { delta: Some(0.03), ..Overrides::default() };
    let fixed = design(600.0, &one, &fakes(2), &scale("small", 1000), &fixed);
    assert_eq!((fixed.delta, fixed.delta_writes, fixed.target_half_width), (0.03, 0.03, 0.015));
}

#[test]
fn large_data_is_not_loaded_again() {
    let large = design(600.0, &tests(), &fakes(2), &scale("large", 10_000_000), &Overrides::default());
    assert!(!large.reload && large.restart);
    let forced = Overrides { reload: Some(true), restart: Some(false), ..Overrides::default() };
    let forced = design(600.0, &tests(), &fakes(2), &scale("large", 10_000_000), &forced);
    assert!(forced.reload && !forced.restart);
}

#[test]
fn sessions_that_all_count_and_then_the_slice_check() {
    let plan = plan("5m", &["all"]);
    let (sessions, spent) = run(&plan, 1.0, |_| all(&plan));
    let stages: Vec<Stage> = sessions.iter().map(|session| session.info.stage).collect();
    assert_eq!(stages.iter().filter(|stage| **stage == Stage::Confirmation).count(), 32);
    assert_eq!(stages.last(), Some(&Stage::SliceCheck));
    assert!((280.0..300.0).contains(&spent), "{spent}");
    let numbers: Vec<u32> = sessions.iter().map(|session| session.info.number).collect();
    assert_eq!(numbers, (0..33).collect::<Vec<_>>());
}

#[test]
fn the_slice_check_has_one_test_of_each_group_and_takes_little_time() {
    let plan = plan("5m", &["all"]);
    assert_eq!(slice_check_tests(&plan), ["hot-points", "range-0", "read-only-0"]);
    let (sessions, _) = run(&plan, 1.0, |_| all(&plan));
    let check = sessions.last().unwrap();
    assert_eq!(check.info.tests.iter().collect::<BTreeSet<_>>().len(), 3);
    assert!(takes(&plan, check) <= 0.05 * 300.0 + 1e-9);
    let short = self::plan("60s", &["hot-points"]);
    assert!(slice_check_tests(&short).is_empty());
}

#[test]
fn what_is_decided_gives_its_time_to_the_rest() {
    let plan = plan("5m", &["all"]);
    let rest: BTreeSet<String> = ["scan".to_owned(), "hot-points".to_owned()].into();
    let (sessions, spent) = run(&plan, 1.0, |done| if done < 3 { all(&plan) } else { rest.clone() });
    let confirmation = &sessions[3];
    assert_eq!(confirmation.info.tests.iter().cloned().collect::<BTreeSet<_>>(), rest);
    let grown = confirmation.deadline_seconds_per_test / plan.design.seconds_per_test_session;
    assert!((grown - 3.0).abs() < 1e-9, "{grown}");
    assert!((confirmation.info.stretch - grown).abs() < 1e-9);
    assert!(spent < 300.0);
}

#[test]
fn nothing_undecided_ends_the_run() {
    let plan = plan("60s", &["hot-points"]);
    let (sessions, _) = run(&plan, 1.0, |done| if done < 3 { all(&plan) } else { BTreeSet::new() });
    assert_eq!(sessions.len(), 3);
}

#[test]
fn tests_change_places_between_sessions() {
    let plan = plan("5m", &["all"]);
    let (sessions, _) = run(&plan, 1.0, |_| all(&plan));
    let firsts: BTreeSet<&String> = sessions.iter().map(|session| &session.info.tests[0]).collect();
    assert!(firsts.len() > 5, "{firsts:?}");
}

/// The plan with writes in it, and reads before them and after changes of size.
fn plan_with_writes(budget: &str) -> Plan {
    let mut plan = plan(budget, &["hot-points", "scan", "range-0"]);
    let of = |name: &str, group: &str, phase| TestInfo { phase, ..test(name, group, false) };
    plan.tests.extend([
        of("update-one", "write", Phase::Write),
        of("update-index", "write", Phase::Write),
        of("delete", "write", Phase::Resize),
        of("hot-points.pre", "pre", Phase::Fresh),
    ]);
    plan
}

#[test]
fn phases_keep_their_order_and_the_tests_within_them_change_places() {
    let plan = plan_with_writes("10m");
    let (sessions, _) = run(&plan, 1.0, |_| all(&plan));
    let phase = |name: &String| plan.tests.iter().find(|test| test.name == *name).unwrap().phase;
    let measuring: Vec<_> = sessions.iter().filter(|one| one.info.stage != Stage::SliceCheck).collect();
    assert!(measuring.iter().all(|session| session.info.tests.is_sorted_by_key(phase)));
    assert!(measuring.iter().all(|one| one.info.tests.len() == 7 && one.info.unrecorded.is_empty()));
    let orders: BTreeSet<&[String]> = measuring.iter().map(|session| &session.info.tests[1..3]).collect();
    assert_eq!(orders.len(), 2, "both orders of the two updates occur");
    let check = sessions.iter().find(|one| one.info.stage == Stage::SliceCheck).unwrap();
    assert!(check.info.tests.iter().all(|name| phase(name) == Phase::Aged));
}

#[test]
fn tables_are_aged_for_what_comes_after_even_by_writes_that_are_decided() {
    let plan = plan_with_writes("10m");
    let next = |undecided: &[&str]| {
        let names = undecided.iter().map(|name| (*name).to_owned()).collect();
        let first = next_session(&plan, &[], &all(&plan), Spent::of(0.0)).unwrap().info;
        next_session(&plan, &[first], &names, Spent::of(20.0)).unwrap().info
    };
    let aged = next(&["scan", "update-one"]);
    assert_eq!((aged.tests.len(), aged.unrecorded.as_slice()), (3, ["update-index".to_owned()].as_slice()));
    assert_eq!(next(&["delete"]).unrecorded.len(), 2);
    let before = next(&["hot-points.pre", "update-one"]);
    assert_eq!(
        (before.tests.as_slice(), before.unrecorded.len()),
        (["hot-points.pre".to_owned(), "update-one".to_owned()].as_slice(), 0)
    );
}

#[test]
fn what_paying_takes_for_each_row_is_planned() {
    let (tests, small) = ([test("update-one", "write", false)], scale("small", 100_000));
    let mut designed = designed(600.0, &tests);
    let before = affordable_seconds(&designed, &tests, &small);
    designed.timings.settle_seconds_per_row = 1e-5;
    let more = affordable_seconds(&designed, &tests, &small) - before;
    assert!((more / f64::from(sessions(&designed)) - 1.0 / 0.97).abs() < 1e-6, "a second a session: {more}");
}

#[test]
fn data_that_is_written_to_is_loaded_anew_and_sums_cost_their_time() {
    let writes = [test("update-one", "write", false), test("update-index", "write", false)];
    let of =
        |tests: &[TestInfo], rows| design(3600.0, tests, &fakes(2), &scale("x", rows), &Overrides::default());
    assert!(of(&writes, 10_000_000).reload);
    assert!(!of(&tests(), 10_000_000).reload);
    let cell = |tests: &[TestInfo]| of(tests, 1_000_000).seconds_per_test_session;
    let reads = [test("a", "point", false), test("b", "point", false)];
    assert!(cell(&writes) < cell(&reads));
    let session: Vec<&TestInfo> = writes.iter().collect();
    let sums = |number: usize, rows| sums_contents(&writes[number], &session, &scale("x", rows));
    assert_eq!([sums(0, 1_000_000), sums(1, 1_000_000)], [true, true]);
    assert_eq!([sums(0, 2_000_000), sums(1, 2_000_000)], [false, true]);
}

#[test]
fn data_come_from_a_copy_where_that_is_cheaper_than_a_load() {
    let copy = Some(CopyTimings { seconds: 0.3, seconds_per_row: 1e-6 });
    let timings = Timings { create_seconds: 5.0, load_seconds_per_row: 1e-5, copy, ..fakes(2).timings };
    let of = |timings, rows| {
        let measured = Measured { timings, ..fakes(2) };
        design(600.0, &tests(), &measured, &scale("x", rows), &Overrides::default())
    };
    let copied = of(timings, 100_000);
    assert!(copied.copy && copied.reload && copied.timings == timings);
    // Made, loaded, stopped and copied away once; started on a copy every time.
    let (once, each) = (once_seconds(&copied, &[scale("x", 100_000)]), 1.0 + 0.3 + 0.1);
    assert!((once - (5.0 + 1.0 + each)).abs() < 1e-9, "{once}");
    assert!((session_overhead_seconds(&copied, &scale("x", 100_000)) - each).abs() < 1e-9);
    assert!(!of(timings, 10_000).copy, "a small load is cheaper");
    assert!(!of(Timings { copy: None, ..timings }, 100_000).copy);
    assert!(of(timings, 4_000_000).reload && !of(Timings { copy: None, ..timings }, 4_000_000).reload);
    let held = Overrides { restart: Some(false), ..Overrides::default() };
    let held = design(600.0, &tests(), &Measured { timings, ..fakes(2) }, &scale("x", 100_000), &held);
    assert!(!held.copy, "files cannot be changed under a server that runs");
}

#[test]
fn what_sessions_really_cost_is_learnt() {
    let plan = plan("5m", &["all"]);
    let first = next_session(&plan, &[], &all(&plan), Spent::of(0.0)).unwrap();
    let timings = planned_overhead_seconds(&plan, &SessionInfo { number: 1, ..first.info.clone() });
    let next = |slowness, seconds| {
        let done = std::slice::from_ref(&first.info);
        next_session(&plan, done, &all(&plan), Spent { seconds, slowness })
    };
    for slowness in [1.0, 3.0, 6.0] {
        let takes = timings * slowness + 22.0 * next(slowness, 40.0).unwrap().deadline_seconds_per_test;
        let left = 300.0 * 0.97 - 40.0;
        assert!(takes <= left, "{slowness}: {takes} of {left}");
    }
    let stage = |slowness| next(slowness, 260.0).unwrap().info.stage;
    assert_eq!([stage(1.0), stage(6.0)], [Stage::Confirmation, Stage::SliceCheck], "one more would run over");
}

#[test]
fn a_resumed_run_continues_the_numbers() {
    let plan = plan("5m", &["all"]);
    let first = next_session(&plan, &[], &all(&plan), Spent::of(0.0)).unwrap();
    assert!(first.info.reloaded && first.info.restarted);
    let second = next_session(&plan, &[first.info], &all(&plan), Spent::of(20.0)).unwrap();
    assert_eq!((second.info.number, second.info.stage), (1, Stage::Confirmation));
}

proptest! {
    #[test]
    fn the_budget_is_kept_at_any_pace(budget in 130_u32..7200, pace in 0.2..1.0_f64) {
        let plan = plan(&format!("{budget}s"), &["all"]);
        let (_, spent) = run(&plan, pace, |_| all(&plan));
        prop_assert!(spent <= f64::from(budget));
    }

    #[test]
    fn slow_hosts_get_fewer_sessions_but_the_budget_holds(budget in 130_u32..7200, pace in 1.0..3.0_f64) {
        let plan = plan(&format!("{budget}s"), &["all"]);
        let (sessions, spent) = run(&plan, pace, |_| all(&plan));
        // Only the last session can exceed the budget, and only by as much as it is slower than planned.
        let last = sessions.last().map_or(0.0, |session| takes(&plan, session) * (pace - 1.0));
        prop_assert!(spent <= f64::from(budget) + last);
    }

    #[test]
    fn designs_stay_within_their_bounds(budget in 10.0..100_000.0_f64, count in 1_usize..22, subjects in 2_usize..8) {
        let tests = &tests()[..count];
        let found = design(budget, tests, &fakes(subjects), &scale("small", 100_000), &Overrides::default());
        prop_assert!((8..=120).contains(&sessions(&found)));
        prop_assert_eq!(found.screening_sessions, 0);
        prop_assert!(found.warmup_seconds <= found.seconds_per_test_session / 3.0 + 1e-9);
        if affordable_seconds(&found, tests, &scale("small", 100_000)) <= budget {
            prop_assert!(found.seconds_per_test_session * f64::from(sessions(&found)) * count as f64 <= budget);
        }
    }
}
