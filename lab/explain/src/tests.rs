//! Explanations of runs whose cause is known.

use super::*;
use crate::fixture::{BASE, Costs, plans, run};
use humdrum_model::{
    CauseKind, CounterDelta, PartName, SWITCHES, Setting, StepFacts, ThreadCount, WaitCount, WaitKind,
};

fn explained(results: &Results) -> Explanation {
    let summary = humdrum_analyse::summarise(results);
    let result = &summary.comparisons[0].tests[0];
    explain(results, &summary, 0, result, Experiments::default())
}

fn kinds(explanation: &Explanation) -> Vec<CauseKind> {
    explanation.causes.iter().map(|cause| cause.kind).collect()
}

#[test]
fn parts_add_up_and_have_intervals() {
    let found = explained(&run(BASE, Costs { server: 90_000, ..BASE }));
    let total = found.time_us.expect("a time");
    assert!((total.base - 100.0).abs() < 1.0 && (total.change - 30.0).abs() < 1.0, "{total:?}");
    let sum: f64 = found.parts.iter().map(|part| part.time.change).sum();
    assert!((sum - total.change).abs() < 1e-9);
    let server = &found.parts[0];
    assert_eq!(server.name, PartName::ServerCpu);
    assert!(server.share.is_some_and(|share| (share - 1.0).abs() < 0.1), "{server:?}");
    let [low, high] = server.time.ci95.expect("an interval");
    assert!(low > 25.0 && high < 35.0, "{server:?}");
}

#[test]
fn more_work_is_the_servers() {
    let found = explained(&run(BASE, Costs { server: 90_000, ..BASE }));
    assert_eq!(kinds(&found)[0], CauseKind::ServerCpu, "{:#?}", found.causes);
    assert_eq!(found.counters[0].name, "rows");
    assert!(found.unchanged.iter().any(|counter| counter.name == "blocks.read"), "{:#?}", found.unchanged);
}

#[test]
fn a_lock_is_seen_by_an_examination() {
    let found = explained(&run(BASE, Costs { lock: 40_000, ..BASE }));
    let first = &found.causes[0];
    assert_eq!(first.kind, CauseKind::Locks, "{:#?}", found.causes);
    assert!(first.evidence.iter().any(|line| line.starts_with("Lock relation")), "{first:#?}");
    assert_eq!(found.waits[0].event, "Lock relation");
}

/// Waits for a lock that the subject alone knows, and for a disk that both use as much.
fn with_counted_waits(results: &mut Results) {
    for one in &mut results.examinations {
        let calls = one.operations as f64;
        let mut add = |kind, event: &str, us: f64| {
            for (count, each) in [(WaitCount::Time, us), (WaitCount::Times, 2.0)] {
                let delta = calls * each + 0.01 * f64::from(one.round);
                one.counters.push(CounterDelta { name: count.counter(kind, event), delta });
            }
        };
        add(WaitKind::Disk, "log file", 3.0);
        if one.subject == 1 {
            add(WaitKind::Lock, "latch", 38.0);
        }
    }
}

#[test]
fn waits_that_servers_count_are_evidence_and_no_counters() {
    let mut results = run(BASE, Costs { lock: 40_000, ..BASE });
    with_counted_waits(&mut results);
    let found = explained(&results);
    let [latch] = &found.waited[..] else { panic!("{:#?}", found.waited) };
    assert_eq!((latch.kind, latch.event.as_str()), (WaitKind::Lock, "latch"));
    assert!((latch.time.change - 38.0).abs() < 0.01 && latch.time.base == 0.0, "{latch:#?}");
    assert!((latch.times.subject - 2.0).abs() < 0.01, "{latch:#?}");
    assert!(!found.counters.iter().any(|counter| WaitCount::is(&counter.name)), "{:#?}", found.counters);
    let told = "latch: 0.0 → 38.0 µs of waiting per operation, as the server counts";
    assert!(found.causes[0].evidence.iter().any(|line| line == told), "{:#?}", found.causes[0]);
    // A server that counts no waits is not one that never waited.
    for one in results.examinations.iter_mut().filter(|one| one.subject == 0) {
        one.counters.retain(|counter| !WaitCount::is(&counter.name));
    }
    assert!(explained(&results).waited.is_empty());
}

#[test]
fn switches_without_cpu_are_contention_rather_than_code() {
    let found = explained(&run(BASE, Costs { rest: 50_000, switches: 3, ..BASE }));
    let first = &found.causes[0];
    assert_eq!(first.kind, CauseKind::Contention, "{:#?}", found.causes);
    assert!(first.evidence[0].contains("cs/o +50 %"), "{first:#?}");
}

#[test]
fn the_kind_of_switch_that_moved_is_said() {
    let mut results = run(BASE, Costs { rest: 50_000, switches: 3, ..BASE });
    for one in &mut results.examinations {
        let calls = one.operations as f64;
        let voluntary = if one.subject == 0 { 2.0 } else { 3.0 } * calls + f64::from(one.round);
        let counters = SWITCHES.into_iter().zip([voluntary, 10.0 + f64::from(one.round)]);
        one.counters.extend(counters.map(|(name, delta)| CounterDelta { name: name.into(), delta }));
        // More moved counters than are shown.
        let many = (0..60).map(|number| CounterDelta {
            name: format!("many{number}"),
            delta: calls * if one.subject == 0 { 1.0 } else { 9.0 } + f64::from(one.round),
        });
        one.counters.extend(many);
    }
    let found = explained(&results);
    let first = &found.causes[0];
    assert_eq!(first.kind, CauseKind::Contention, "{:#?}", found.causes);
    let said: Vec<_> = first.evidence.iter().filter(|line| line.contains("switches per operation")).collect();
    assert_eq!(
        said,
        ["switches per operation in examinations: voluntary (it waits) 2.01 → 3.01"],
        "{first:#?}"
    );
}

/// A writer of the log that is woken at every commit by the base; another thread that only the subject has.
fn with_a_writer(costs: [Costs; 2]) -> Results {
    let mut results = run(costs[0], costs[1]);
    for one in &mut results.examinations {
        let calls = one.operations as f64;
        let mut add = |name: String, each: f64| {
            let delta = calls * each + 0.01 * f64::from(one.round);
            one.counters.push(CounterDelta { name, delta });
        };
        let (cpu, wakeups) = (ThreadCount::Cpu, ThreadCount::Wakeups);
        let base = one.subject == 0;
        add(cpu.counter("walwriter"), if base { 9.6 } else { 0.9 });
        add(wakeups.counter("walwriter"), if base { 1.0 } else { 0.08 });
        add(cpu.counter("sessions"), if base { 90.0 } else { 60.0 });
        if !base {
            add(cpu.counter("io worker"), 2.0);
        }
    }
    results
}

#[test]
fn the_thread_whose_work_moved_is_named_before_any_setting() {
    let mut results = with_a_writer([Costs { server: 90_000, ..BASE }, BASE]);
    results.subjects[0].version = "1".into();
    results.subjects[1].version = "2".into();
    results.subjects[0].settings = vec![("work_mem".into(), "4MB".into())];
    results.subjects[1].settings = vec![("work_mem".into(), "8MB".into())];
    let found = explained(&results);
    assert_eq!(kinds(&found), [CauseKind::ServerCpu, CauseKind::Background, CauseKind::Setting]);
    let told = "the server works less in the background per operation: walwriter 9.6 → 0.9 µs, woken 1.00 → 0.08 times; \
                io worker 0.0 → 2.0 µs";
    assert_eq!(found.causes[1].what, told);
    let first = &found.causes[0];
    let said: Vec<_> = first.evidence.iter().filter(|line| line.starts_with("by thread")).collect();
    let told = "by thread, µs of CPU (wake-ups) per operation: sessions 90.0 → 60.0, walwriter 9.6 → 0.9 (1.00 → 0.08), \
                io worker 0.0 → 2.0";
    assert_eq!(said, [told], "{first:#?}");
}

#[test]
fn background_that_moved_as_much_as_the_time_is_the_first_cause() {
    let found = explained(&with_a_writer([Costs { server: 71_000, ..BASE }, BASE]));
    assert_eq!(kinds(&found)[..2], [CauseKind::Background, CauseKind::ServerCpu], "{:#?}", found.causes);
    // Where operations became slower, threads that work less in all are no cause, whatever one of them does.
    let found = explained(&with_a_writer([BASE, Costs { server: 90_000, ..BASE }]));
    assert!(!kinds(&found).contains(&CauseKind::Background), "{:#?}", found.causes);
}

#[test]
fn one_round_tells_no_counter_apart() {
    let mut results = run(BASE, Costs { server: 90_000, ..BASE });
    assert!(!explained(&results).counters.is_empty());
    results.examinations.retain(|one| one.round == 0);
    assert!(explained(&results).counters.is_empty());
}

#[test]
fn a_changed_plan_comes_before_the_work_it_makes() {
    let mut results = run(BASE, Costs { server: 90_000, ..BASE });
    plans(&mut results, "Index Scan  (cost=1..2)", "Seq Scan  (cost=3..4)");
    let found = explained(&results);
    assert_eq!(kinds(&found)[..2], [CauseKind::Plan, CauseKind::ServerCpu]);
    // A plan that only differs in form explains no waiting.
    let mut results = run(BASE, Costs { lock: 40_000, ..BASE });
    results.examinations.iter_mut().for_each(|one| one.waits[1].kind = WaitKind::Other);
    plans(&mut results, "Index Scan", "Seq Scan");
    assert_ne!(kinds(&explained(&results))[0], CauseKind::Plan);
}

#[test]
fn the_only_thing_that_differs_is_the_cause() {
    let mut results = run(BASE, Costs { server: 90_000, ..BASE });
    results.subjects[1].version = "1".into();
    results.subjects[0].settings = vec![("a".into(), "1".into()), ("follows".into(), "1".into())];
    results.subjects[1].settings = vec![("a".into(), "2".into()), ("follows".into(), "2".into())];
    results.plan.subjects[1].settings = vec![Setting::Value { key: "A".into(), value: "2".into() }];
    let found = explained(&results);
    assert_eq!(kinds(&found)[0], CauseKind::Setting);
    assert!(found.causes[0].what.contains("`a` 1 → 2 (the user set it)"), "{:#?}", found.causes[0]);
    assert!(!found.causes[0].what.contains("follows"));
    // Between two releases it is a candidate without a size.
    results.subjects[1].version = "2".into();
    let found = explained(&results);
    assert_eq!(kinds(&found)[..2], [CauseKind::ServerCpu, CauseKind::Setting]);
    assert!(found.causes[1].share.is_none() && found.remarks.iter().any(|line| line.contains("--prove")));
}

#[test]
fn of_a_list_of_flags_the_cause_names_those_that_differ() {
    let mut results = run(BASE, Costs { server: 90_000, ..BASE });
    results.subjects[1].version = "1".into();
    let switch = |flag: &str| vec![("optimizer_switch".to_owned(), format!("index_merge=on,mrr=on,{flag}"))];
    results.subjects[0].settings = switch("hypergraph_optimizer=off");
    results.subjects[1].settings = switch("hypergraph_optimizer=on");
    let what = &explained(&results).causes[0].what;
    let told = "`optimizer_switch` hypergraph_optimizer=off → hypergraph_optimizer=on (a default)";
    assert!(what.contains(told), "{what}");
}

#[test]
fn what_was_proven_comes_first() {
    let results = run(BASE, Costs { server: 90_000, ..BASE });
    let summary = humdrum_analyse::summarise(&results);
    let proven = Carried {
        name: "checks".into(),
        base: Some("off".into()),
        subject: Some("on".into()),
        back: None,
        forth: None,
        share: Some(0.9),
        share_ci95: Some([0.8, 1.0]),
        note: None,
        restores_plan: None,
    };
    let apart = Experiments { carried: vec![proven], ..Experiments::default() };
    let found = explain(&results, &summary, 0, &summary.comparisons[0].tests[0], apart);
    assert!(found.causes[0].what.contains("carries 90 % [80, 100] of the change"), "{:#?}", found.causes[0]);
}

#[test]
fn a_step_is_explained_without_a_verdict() {
    let results = run(BASE, BASE);
    assert!(explained(&results).remarks[0].contains("did not move"));
    let summary = humdrum_analyse::summarise(&results);
    let result = &summary.comparisons[0].tests[0];
    let found = explain_step(&results, &summary, 0, result, Experiments::default());
    assert_eq!((found.verdict, found.rqps), (None, result.rqps));
    assert!(!found.remarks.iter().any(|line| line.contains("did not move")), "{:?}", found.remarks);
}

#[test]
fn what_was_not_examined_is_said() {
    let mut results = run(BASE, Costs { server: 90_000, ..BASE });
    results.examinations.clear();
    assert!(explained(&results).remarks[0].contains("not examined"));
    results.blocks.clear();
    let found = explained(&results);
    assert!(found.time_us.is_none() && found.causes.is_empty(), "{found:#?}");
}

#[test]
fn a_whole_step_is_examined_by_its_sessions() {
    let mut results = run(BASE, Costs { server: 90_000, ..BASE });
    results.steps.push(StepFacts::default());
    for one in &mut results.examinations {
        (one.samples, one.waits) = (0, Vec::new());
    }
    let says = |found: &Explanation, what: &str| found.remarks.iter().any(|line| line.contains(what));
    let found = explained(&results);
    assert_eq!(found.counters[0].name, "rows");
    assert!(says(&found, "a whole step are not asked"), "{:?}", found.remarks);
    results.examinations.retain(|one| one.round == 0);
    assert!(says(&explained(&results), "--sessions 3"));
    results.examinations.clear();
    let found = explained(&results);
    assert!(says(&found, "not on record") && !says(&found, "--examine"), "{:?}", found.remarks);
}

#[test]
fn what_could_not_be_asked_is_said_of_its_test_and_its_servers() {
    let mut results = run(BASE, Costs { server: 90_000, ..BASE });
    let event = |subject, test: Option<&str>, status, what: &str| Event {
        subject: Some(subject),
        test: test.map(str::to_owned),
        session: None,
        status,
        what: what.into(),
        log_tail: None,
    };
    results.events = vec![
        event(1, Some("t"), TestStatus::Ok, "t not asked for its query plans: gone"),
        event(0, None, TestStatus::Ok, "not started to be looked at: gone"),
        event(1, Some("other"), TestStatus::Ok, "another test's"),
    ];
    let found = explained(&results).remarks;
    let has = |text: &str| found.iter().any(|line| line == text);
    assert!(has("new: t not asked for its query plans: gone"), "{found:?}");
    assert!(has("old: not started to be looked at: gone"), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("another test's")), "{found:?}");
}
