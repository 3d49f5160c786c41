//! Verdicts on whole runs with known truth.

use super::*;
use crate::testkit::{Bench, Rng};
use humdrum_model::{Event, Latency, Moment, Quantity, Stage, StateFacts};
use proptest::prelude::*;

/// Three screening and nine confirmation sessions; "slow" loses 3 %, "fast" wins 100 %.
fn measured() -> Bench {
    let mut bench = Bench::new(&["slow", "fast", "same"], 2, 3, 9);
    let mut rng = Rng::new(11);
    bench.block_noise = 0.005;
    for session in 0..12 {
        let stage = if session < 3 { Stage::Screening } else { Stage::Confirmation };
        let mut effect = |test: &str, _: usize| {
            0.001 * rng.normal()
                + match test {
                    "slow" => 0.97f64.ln(),
                    "fast" => 2f64.ln(),
                    _ => 0.0,
                }
        };
        bench.session(stage, |_| true, 40, &mut effect);
    }
    bench
}

fn verdicts(summary: &Summary) -> Vec<Option<Verdict>> {
    summary.comparisons[0].tests.iter().map(|test| test.verdict).collect()
}

#[test]
fn known_changes_get_their_verdicts() {
    let summary = summarise(&measured().results);
    assert_eq!(
        verdicts(&summary),
        [Some(Verdict::Regression), Some(Verdict::Improvement), Some(Verdict::Boring)]
    );
    let slow = &summary.comparisons[0].tests[0];
    assert!((slow.rqps.unwrap() - 0.97).abs() < 0.003);
    assert!(slow.p_adjusted.unwrap() < 1e-4);
    assert_eq!((slow.sessions, slow.blocks, slow.session_log_ratios.len()), (9, 360, 9));
    assert!((slow.base_qps.unwrap() - 10_000.0).abs() < 1.0);
    assert!((slow.qps.unwrap() - 9_700.0).abs() < 30.0);
    assert!(slow.minimum_detectable.unwrap() < 0.005);
    assert!(summary.aa_floor_within.is_some() && summary.base == "base");
}

#[test]
fn a_test_of_which_all_blocks_were_discarded_says_so() {
    let mut bench = measured();
    let ours = bench.results.blocks.iter_mut().filter(|block| block.test == "same");
    ours.for_each(|block| block.discarded = Some("gap: 200 ms between two slices".into()));
    let keys = Quantity { name: "keys".into(), unit: "count".into(), description: String::new(), value: 7.0 };
    bench.results.states.push(StateFacts {
        test: "same".into(),
        session: 0,
        subject: 1,
        moment: Moment::After,
        contents: None,
        quantities: vec![keys],
    });
    let found = &summarise(&bench.results).comparisons[0].tests[2];
    assert_eq!(found.state["keys"].subject, Some(7.0), "what it left is a fact all the same");
    assert_eq!((found.blocks, found.blocks_discarded, found.verdict), (0, 480, Some(Verdict::Inconclusive)));
    assert!(
        found.notes.iter().any(|note| note.contains("rules discarded all 480 blocks")),
        "{:?}",
        found.notes
    );
}

/// A host whose hypervisor takes much all the time measures all the same, and says what it was.
#[test]
fn blocks_count_where_the_rule_of_steal_marks_most_of_them() {
    let mut bench = measured();
    let marked = bench.results.blocks.iter_mut().filter(|block| block.index % 4 != 0);
    marked.for_each(|block| block.discarded = Some("steal: 20 % of the host over 1.0 s".into()));
    let summary = summarise(&bench.results);
    let known = [Some(Verdict::Regression), Some(Verdict::Improvement), Some(Verdict::Boring)];
    let slow = &summary.comparisons[0].tests[0];
    assert_eq!((verdicts(&summary), slow.blocks, slow.blocks_discarded), (known.to_vec(), 360, 0));
    assert!(
        slow.notes.iter().any(|note| note.contains("in 75 % of the blocks; they count")),
        "{:?}",
        slow.notes
    );
}

#[test]
fn the_same_results_give_the_same_summary() {
    let bench = measured();
    assert_eq!(summarise(&bench.results), summarise(&bench.results));
}

#[test]
fn partial_and_empty_runs_are_summarised_too() {
    let mut bench = Bench::new(&["a"], 2, 3, 9);
    bench.results.finished = false;
    let empty = summarise(&bench.results);
    assert_eq!(verdicts(&empty), [Some(Verdict::Inconclusive)]);
    assert!(empty.comparisons[0].tests[0].notes[0].starts_with("not measured"));
    bench.session(Stage::Screening, |_| true, 20, |_, _| 0.02);
    let one = summarise(&bench.results);
    let test = &one.comparisons[0].tests[0];
    assert!(test.rqps.is_some() && test.p_adjusted.is_none() && test.verdict == Some(Verdict::Inconclusive));
    bench.session(Stage::Screening, |_| true, 20, |_, _| 0.021);
    let two = summarise(&bench.results).comparisons[0].tests[0].ci95.unwrap();
    assert!(two[0] < 1.0 && two[1] > 1.0, "two of twelve sessions decide nothing: {two:?}");
}

#[test]
fn failures_have_no_numbers_and_leave_the_family() {
    let mut bench = measured();
    bench.results.events.push(Event {
        subject: Some(1),
        test: Some("slow".into()),
        session: Some(4),
        status: TestStatus::Failed,
        what: "connection closed".into(),
        log_tail: None,
    });
    let summary = summarise(&bench.results);
    let failed = &summary.comparisons[0].tests[0];
    assert_eq!((failed.status, failed.verdict, failed.rqps), (TestStatus::Failed, None, None));
    assert!(failed.p_adjusted.is_none() && failed.notes[0].starts_with("connection closed"));
    assert_eq!(summary.comparisons[0].tests[1].verdict, Some(Verdict::Improvement));
}

#[test]
fn unexplained_error_raises_delta_and_leaves_intervals_alone() {
    let mut bench = measured();
    let interval = summarise(&bench.results).comparisons[0].tests[0].ci95;
    bench.results.aa_floor = Some(0.2);
    bench.results.aa_excess = Some(0.04);
    let summary = summarise(&bench.results);
    let slow = &summary.comparisons[0].tests[0];
    assert!(slow.delta > 0.04 && slow.verdict == Some(Verdict::Boring), "{slow:?}");
    assert_eq!(slow.ci95, interval);
    assert_eq!(summary.comparisons[0].tests[1].verdict, Some(Verdict::Improvement));
}

#[test]
fn latencies_come_from_the_sessions_that_speak() {
    let mut bench = measured();
    for (session, subject, ns) in [(0, 0, 9_000_000), (3, 0, 1_000), (4, 0, 2_000), (3, 1, 5_000)] {
        bench.results.latencies.push(Latency {
            test: "slow".into(),
            session,
            subject,
            buckets: vec![(ns, 10)],
        });
    }
    let pair = summarise(&bench.results).comparisons[0].tests[0].latency_us.unwrap();
    assert_eq!((pair.base.p50, pair.base.max, pair.subject.p50), (1.0, 2.0, 5.0));
}

#[test]
fn several_subjects_share_one_family() {
    let mut bench = Bench::new(&["a", "b"], 3, 0, 6);
    for _ in 0..6 {
        bench.session(Stage::Confirmation, |_| true, 10, |_, subject| if subject == 2 { -0.1 } else { 0.0 });
    }
    let summary = summarise(&bench.results);
    let words: Vec<_> =
        summary.comparisons.iter().map(|c| (c.subject.as_str(), c.tests[0].verdict)).collect();
    assert_eq!(words, [("subject", Some(Verdict::Boring)), ("third", Some(Verdict::Regression))]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// A run can be interrupted anywhere, and any block can be discarded or lack a subject.
    #[test]
    fn wherever_a_run_is_cut_the_summary_is_sound(kept in 0usize..400, holes in prop::collection::vec((0usize..400, 0u8..3), 0..40)) {
        let mut bench = Bench::new(&["a", "b"], 2, 2, 6);
        bench.block_noise = 0.02;
        for session in 0..8 {
            let stage = if session < 2 { Stage::Screening } else { Stage::Confirmation };
            bench.session(stage, |_| true, 25, |_, _| 0.01);
        }
        bench.results.blocks.truncate(kept);
        for (place, hole) in holes {
            match bench.results.blocks.get_mut(place) {
                Some(block) if hole == 0 => block.discarded = Some("steal".into()),
                Some(block) if hole == 1 => block.slices.truncate(1),
                Some(block) => block.slices[0].wall_ns = 0,
                None => {}
            }
        }
        bench.results.finished = kept % 2 == 0;
        for test in &summarise(&bench.results).comparisons[0].tests {
            prop_assert!(test.verdict.is_some());
            if let (Some(ratio), Some([low, high])) = (test.rqps, test.ci95) {
                prop_assert!(low.is_finite() && high > 0.0 && low <= ratio && ratio <= high);
            }
            prop_assert!(test.p_adjusted.is_none_or(|p| (0.0..=1.0).contains(&p)));
        }
        let open = crate::undecided(&bench.results);
        prop_assert!(open.len() <= 2);
    }
}
