//! Simulated runs with another base.

use humdrum_model::{
    Event, Incomplete, LoadFacts, Place, Stage, Summary, TestResult, TestStatus, Timings, Verdict,
};
use proptest::prelude::*;

use super::*;
use crate::testkit::Bench;
use crate::{Options, summarise, summarise_with};

/// Five sessions of two tests; `effects` are the ln ratios of the subjects after the base to it.
fn bench(effects: &[f64], noise: f64, seed: u64) -> Bench {
    let mut bench = Bench::new(&["a", "b"], effects.len() + 1, 0, 5);
    for (number, subject) in bench.results.plan.subjects.iter_mut().enumerate() {
        subject.place = Place::Version(format!("{number}.0"));
        subject.label = format!("{number}.0");
    }
    bench.block_noise = noise;
    bench.reseed(seed);
    for _ in 0..5 {
        bench.session(Stage::Confirmation, |_| true, 12, |_, subject| effects[subject - 1]);
    }
    bench
}

/// The sessions have these subjects.
fn deal(results: &mut Results, sessions: &[&[usize]]) {
    let of = results.plan.subjects.len() as u32;
    results.plan.design.incomplete = Some(Incomplete { subjects: 3, of, timings: Timings::NONE });
    for (info, subjects) in results.sessions.iter_mut().zip(sessions) {
        info.subjects = subjects.to_vec();
        let blocks = results.blocks.iter_mut().filter(|block| block.session == info.number);
        blocks.for_each(|block| block.slices.retain(|slice| subjects.contains(&slice.subject)));
    }
}

fn summary(results: Results, chosen: &[usize]) -> Summary {
    let choice = choice(&results.plan.subjects, chosen);
    summarise_with(&rebased(results, chosen), &Options { choice, ..Options::default() })
}

fn test<'a>(summary: &'a Summary, subject: &str) -> &'a TestResult {
    &summary.comparisons.iter().find(|one| one.subject == subject).expect("a subject").tests[0]
}

proptest! {
    #[test]
    fn the_base_of_the_run_changes_nothing(effects in [-0.2..0.2, -0.2..0.2], seed in 0_u64..1000) {
        let mut results = bench(&effects, 0.003, seed).results;
        deal(&mut results, &[&[0, 1], &[0, 2], &[0, 1, 2], &[0, 1], &[0, 2]]);
        let chosen = choose(&results.plan.subjects, Some("0.0"), &[]).unwrap();
        prop_assert_eq!(choice(&results.plan.subjects, &chosen), None);
        prop_assert_eq!(rebased(results.clone(), &chosen), results);
    }

    #[test]
    fn two_subjects_have_reciprocal_ratios(
        effects in [-0.2..0.2, -0.2..0.2, -0.2..0.2],
        noise in 0.0..0.02,
        seed in 0_u64..1000,
        pair in (0_usize..4, 1_usize..4),
        left_out in any::<bool>(),
    ) {
        let (one, other) = (pair.0, (pair.0 + pair.1) % 4);
        let mut results = bench(&effects, noise, seed).results;
        results.blocks[7].discarded = Some("steal".into());
        let ratio = |base: usize, subject: usize| {
            let subjects = [format!("{subject}.0")];
            let named = if left_out { &subjects[..] } else { &[] };
            let chosen = choose(&results.plan.subjects, Some(&format!("{base}.0")), named).unwrap();
            test(&summary(results.clone(), &chosen), &subjects[0]).rqps.unwrap()
        };
        let product = ratio(one, other) * ratio(other, one);
        prop_assert!((product - 1.0).abs() < 1e-9, "{}", product);
        let expected = |number: usize| if number == 0 { 0.0 } else { effects[number - 1] };
        let off = ratio(one, other).ln() - (expected(other) - expected(one));
        prop_assert!(off.abs() < 0.05, "{}", off);
    }
}

#[test]
fn verdicts_and_intervals_turn_round_with_the_base() {
    let results = bench(&[-0.05, 0.0], 0.003, 3).results;
    let measured = summarise(&results);
    let turned = summary(results, &[1, 0, 2]);
    assert_eq!((turned.base.as_str(), turned.comparisons.len()), ("1.0", 2));
    assert_eq!(turned.choice.as_ref().map(Choice::measured_base), Some("0.0"));
    let (before, after) = (test(&measured, "1.0"), test(&turned, "0.0"));
    assert_eq!((before.verdict, after.verdict), (Some(Verdict::Regression), Some(Verdict::Improvement)));
    let ([low, high], [after_low, after_high]) = (before.ci95.unwrap(), after.ci95.unwrap());
    assert!((low * after_high - 1.0).abs() < 1e-9 && (high * after_low - 1.0).abs() < 1e-9);
    assert_eq!((before.base_qps, before.qps), (after.qps, after.base_qps));
    assert_eq!(test(&turned, "2.0").verdict, Some(Verdict::Improvement));
}

#[test]
fn a_series_is_one_in_the_order_of_the_run_only() {
    let results = bench(&[0.0, -0.05, -0.05], 0.003, 3).results;
    let series = |chosen: &[usize]| summary(results.clone(), chosen).series.map(|row| row.releases);
    assert_eq!(series(&[0, 1, 2, 3]).map(|row| row.len()), Some(4));
    assert_eq!(series(&[1, 2, 3]), Some(vec!["1.0".to_owned(), "2.0".to_owned(), "3.0".to_owned()]));
    assert_eq!(series(&[2, 0, 1, 3]), None);
}

#[test]
fn sessions_without_the_new_base_are_not_compared_and_it_is_said() {
    let mut results = bench(&[-0.05, -0.1, 0.02], 0.003, 3).results;
    deal(&mut results, &[&[0, 1, 2], &[0, 1, 3], &[0, 1, 2], &[0, 1, 2], &[0, 1, 3]]);
    let found = summary(results.clone(), &[2, 0, 1, 3]);
    let (own, apart) = (test(&found, "1.0"), test(&found, "3.0"));
    assert_eq!((own.sessions, own.verdict), (3, Some(Verdict::Improvement)));
    assert!((own.rqps.unwrap().ln() - 0.05).abs() < 0.005, "{:?}", own.rqps);
    assert_eq!((apart.rqps, apart.verdict), (None, Some(Verdict::Inconclusive)));
    assert_eq!(apart.notes, ["not compared: no block of this test has both this subject and 2.0"]);
    let kept = summary(results, &[0, 3]);
    assert_eq!((test(&kept, "3.0").sessions, kept.comparisons.len()), (2, 1));
}

#[test]
fn what_is_known_of_subjects_goes_with_them() {
    let mut results = bench(&[0.0, 0.0], 0.0, 3).results;
    let load = |subject| LoadFacts { subject, rows: subject as u64, ..LoadFacts::default() };
    results.loads = vec![load(0), load(1), load(2)];
    let event = |subject| Event {
        subject,
        test: Some("a".into()),
        session: None,
        status: TestStatus::Failed,
        what: "it crashed".into(),
        log_tail: None,
    };
    results.events = vec![event(None), event(Some(1)), event(Some(2))];
    let found = rebased(results, &[2, 0]);
    let loads: Vec<(usize, u64)> = found.loads.iter().map(|one| (one.subject, one.rows)).collect();
    let events: Vec<Option<usize>> = found.events.iter().map(|one| one.subject).collect();
    assert_eq!((loads, events), (vec![(1, 0), (0, 2)], vec![None, Some(0)]));
    let facts: Vec<&str> = found.subjects.iter().map(|one| one.fingerprint.as_str()).collect();
    assert_eq!(facts, ["2", "0"]);
    // Slices that are left out stay, under a number of no subject.
    let slices: Vec<usize> = found.blocks[0].slices.iter().map(|slice| slice.subject).collect();
    assert_eq!(slices, [1, 2, 0]);
}

#[test]
fn names_are_labels_or_what_was_typed_or_the_only_one_that_begins_so() {
    let subject = |label: &str, version: &str| Subject {
        label: label.into(),
        engine: "db".into(),
        place: Place::Version(version.into()),
        settings: Vec::new(),
    };
    let subjects =
        [subject("old", "17.7"), subject("new", "18.1"), subject("db@18", "18"), subject("again", "17.7")];
    let found = |name: &str| find(&subjects, name).ok();
    assert_eq!(["old", "db@18.1", "new=db@18.1"].map(found), [Some(0), Some(1), Some(1)]);
    assert_eq!(["db@18", "ne", "ag"].map(found), [Some(2), Some(1), Some(3)]);
    assert_eq!(["db@17.7", "db@1", "", "18.1"].map(found), [None; 4]);
    let others = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(choose(&subjects, Some("new"), &others(&["again", "old", "old"])).unwrap(), [1, 0, 3]);
    assert_eq!(choose(&subjects, None, &others(&["old", "again"])).unwrap(), [0, 3]);
    for (base, names) in [(Some("other"), vec![]), (Some("db@17.7"), vec![]), (Some("new"), others(&["new"]))]
    {
        let fault = choose(&subjects, base, &names).unwrap_err();
        assert!(fault.exit_code() == 2 && fault.hint.unwrap().contains("old=db@17.7, new=db@18.1"));
    }
}
