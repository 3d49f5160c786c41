//! Tests for faults that were found in verdicts. Each test failed before its fix.

use humdrum_model::{Stage, Summary, TestResult, Verdict};

use crate::summarise;
use crate::testkit::{Bench, Rng};

/// Ten sessions of 400 blocks; `disturb` changes the slice of the subject.
fn judged(mut disturb: impl FnMut(&mut humdrum_model::Slice)) -> TestResult {
    let mut bench = Bench::new(&["t"], 2, 0, 10);
    bench.block_noise = 0.01;
    for _ in 0..10 {
        bench.session(Stage::Confirmation, |_| true, 400, |_, _| 0.0);
    }
    bench.results.blocks.iter_mut().for_each(|block| disturb(&mut block.slices[1]));
    only(summarise(&bench.results))
}

fn only(summary: Summary) -> TestResult {
    summary.comparisons.into_iter().next().expect("a subject").tests.remove(0)
}

/// Finding 1: one slice in twenty of the subject takes twenty times as long, so that it does 0.51 of the base's operations
/// in the same time. The trimmed mean said 0.99 and "boring".
#[test]
fn stalls_are_part_of_throughput() {
    let mut rng = Rng::new(4);
    let found = judged(|slice| {
        if rng.uniform() < 0.05 {
            slice.wall_ns *= 20;
        }
    });
    assert_eq!(found.verdict, Some(Verdict::Regression), "{found:?}");
    assert!((0.48..0.54).contains(&found.rqps.expect("a ratio")), "{:?}", found.rqps);
}

/// A stall with which a session begins is no warm-up: that is in all sessions.
#[test]
fn stalls_at_the_head_of_sessions_are_not_cut_off() {
    let mut blocks = 0;
    let found = judged(|slice| {
        let (session, index) = (blocks / 400, blocks % 400);
        blocks += 1;
        if session % 4 == 0 && index < 40 {
            slice.wall_ns *= 2;
        }
    });
    // Three of ten sessions, a tenth of each.
    assert!((found.rqps.expect("a ratio") - 1.0 / 1.03).abs() < 0.002, "{:?}", found.rqps);
}

/// Finding 1 as a store has it: bursts of compaction cost 3 % of the time and no typical slice sees them.
#[test]
fn bursts_of_compaction_are_part_of_throughput() {
    let mut count = 0;
    let found = judged(|slice| {
        count += 1;
        if count % 50 < 2 {
            slice.wall_ns += slice.wall_ns * 4 / 5;
        }
    });
    assert!((found.rqps.expect("a ratio") - 1.0 / 1.032).abs() < 0.002, "{:?}", found.rqps);
}

/// Finding 6: if four times as many sessions would decide a test, its spread is no reason to give up, even
/// with the wide Student's t of three degrees of freedom.
#[test]
fn few_sessions_are_not_called_unstable() {
    let mut bench = Bench::new(&["t"], 2, 0, 4);
    let mut luck = [-0.015, 0.015, -0.015, 0.015].into_iter();
    for _ in 0..4 {
        bench.session(Stage::Confirmation, |_| true, 40, |_, _| luck.next().unwrap_or(0.0));
    }
    let found = only(summarise(&bench.results));
    assert_eq!(found.verdict, Some(Verdict::Inconclusive), "{found:?}");
}
