//! The sessions of a plan whose subjects are spread over them.

mod common;

use std::collections::BTreeSet;

use common::{checked, request, test};
use humdrum_model::{Incomplete, Plan, SessionInfo, Timings};
use humdrum_plan::{
    Measured, Need, Outlook, Overrides, Spent, affordable_seconds, design, dry_run, next_session,
};

fn plan(subjects: u32) -> Plan {
    let labels: Vec<String> = (0..subjects).map(|number| format!("s{number}=fake@1.0")).collect();
    let mut plan = checked(&request(&labels.iter().map(String::as_str).collect::<Vec<_>>())).unwrap();
    plan.budget_seconds = 1200.0;
    plan.tests = vec![test("update", "write", false), test("hot-points", "point", false)];
    let one = Timings { restart_seconds: 0.2, ..Timings::NONE };
    let incomplete = Incomplete { subjects: 3, of: subjects, timings: one.times(3.0) };
    let timings = one.times(f64::from(subjects));
    let measured = Measured { timings, incomplete: Some(incomplete) };
    plan.design = design(plan.budget_seconds, &plan.tests, &measured, &plan.scale, &Overrides::default());
    plan
}

#[test]
fn a_budget_buys_sessions_of_each_subject() {
    for subjects in [4, 5, 11] {
        let plan = plan(subjects);
        let all: BTreeSet<String> = plan.tests.iter().map(|test| test.name.clone()).collect();
        let (mut done, mut spent): (Vec<SessionInfo>, f64) = (Vec::new(), 0.0);
        while let Some(next) = next_session(&plan, &done, &all, Spent::of(spent)) {
            let ours = plan.tests.iter().filter(|test| next.info.tests.contains(&test.name));
            let shares: f64 = ours.map(|test| plan.design.share_of(test)).sum();
            // Three restarts, the tests' time, and setting both up.
            spent += 0.6 + next.deadline_seconds_per_test * shares + 0.2;
            done.push(next.info);
        }
        let each = plan.design.confirmation_sessions;
        let of = |subject| done.iter().filter(|session| session.has(subject)).count() as u32;
        let wanted = done.iter().filter(|session| session.has(0)).count();
        assert_eq!(wanted, done.len(), "the base is in all of them");
        assert!(done.iter().all(|session| session.subjects.len() == 3), "{subjects} subjects");
        assert!(
            (1..subjects).all(|subject| of(subject as usize) >= each),
            "{subjects} subjects: {each} each"
        );
        assert!(each >= 8 && spent <= plan.budget_seconds, "{subjects} subjects: {each} each in {spent} s");
        assert!(affordable_seconds(&plan.design, &plan.tests, &plan.scale) <= plan.budget_seconds);
    }
}

#[test]
fn a_dry_run_says_who_shares_a_session() {
    let plan = plan(11);
    let text =
        dry_run(&plan, &Need { memory_bytes_per_subject: 1 << 20, ..Need::default() }, &Outlook::default());
    assert!(text.contains("sessions have the base and 2 of the 10 other subjects"), "{text}");
    assert!(text.contains("memory                3 MiB"), "{text}");
}

#[test]
fn only_reads_have_all_subjects_in_every_session() {
    let plan = checked(&request(&["a=fake@1.0", "b=fake@1.0", "c=fake@1.0", "d=fake@1.0"])).unwrap();
    let session = next_session(&plan, &[], &BTreeSet::new(), Spent::of(0.0));
    assert!(plan.design.incomplete.is_none() && session.is_none_or(|next| next.info.subjects.is_empty()));
}
