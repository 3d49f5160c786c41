//! Sessions from blocks: pairs, discarded blocks, payments.

use humdrum_model::{Debt, Payment, Results};

use super::*;
use crate::run::Run;
use crate::testkit::{Bench, block};

fn log_ratio(block: &Block, subject: usize) -> Option<f64> {
    totals::log(&[throughput(block, 0, -1.0)?, throughput(block, subject, 1.0)?])
}

#[test]
fn faster_is_positive_and_unequal_work_is_scaled() {
    let mut block = block("t", 0, 0, &[1_000, 500]);
    assert!((log_ratio(&block, 1).unwrap() - 2f64.ln()).abs() < 1e-12);
    block.slices[1].operations /= 2;
    assert!(log_ratio(&block, 1).unwrap().abs() < 1e-12);
    assert!(log_ratio(&block, 2).is_none());
}

#[test]
fn a_session_that_was_cut_off_does_not_count() {
    let mut bench = Bench::new(&["t"], 2, 0, 4);
    for session in 0..4 {
        let blocks = if session == 3 { 2 } else { 20 };
        bench.session(Stage::Confirmation, |_| true, blocks, |_, _| 0.01);
    }
    let run = Run::new(&bench.results);
    let values = session_values(&run.test("t").unwrap().sessions, 1);
    assert_eq!(values.len(), 3);
    assert!(values.iter().all(|value| (value.value - 0.01).abs() < 1e-3));
}

/// Calls take 0.1 ms. What the subject pays is as much again, and in the last session no payment is on record.
#[test]
fn payments_within_a_test_are_part_of_its_time() {
    let mut bench = Bench::new(&["t"], 2, 0, 4);
    for _ in 0..4 {
        bench.session(Stage::Confirmation, |_| true, 20, |_, _| 0.0);
    }
    let debt = |session: u32, subject: usize| Debt {
        test: "t".into(),
        session,
        subject,
        operations: 1000,
        wall_ns: 100_000_000 * subject as u64,
        readings: Vec::new(),
    };
    bench.results.debts = (0..3).flat_map(|session| [debt(session, 0), debt(session, 1)]).collect();
    bench.results.debts.push(debt(3, 0));
    let values = |results: &Results| {
        let run = Run::new(results);
        let sessions = &run.test("t").unwrap().sessions;
        let rates = [0, 1].map(|subject| calls_per_ns(&sessions.iter().take(3).collect::<Vec<_>>(), subject));
        let values = session_values(sessions, 1);
        (values.iter().map(|value| value.value).collect::<Vec<f64>>(), rates.map(Option::unwrap))
    };
    let (beside, rates) = values(&bench.results);
    assert!(beside.len() == 4 && beside.iter().all(|value| value.abs() < 1e-9) && rates[0] == rates[1]);
    bench.results.plan.tests[0].payment = Payment::Within;
    let (within, rates) = values(&bench.results);
    assert!(within.len() == 3 && within.iter().all(|value| (value + 2f64.ln()).abs() < 1e-9), "{within:?}");
    assert!((rates[1] / rates[0] - 0.5).abs() < 1e-9, "{rates:?}");
}

#[test]
fn discarded_blocks_are_no_evidence() {
    let mut bench = Bench::new(&["t"], 2, 0, 1);
    bench.session(Stage::Confirmation, |_| true, 10, |_, _| 0.0);
    let wild = &mut bench.results.blocks[0];
    wild.slices[1].wall_ns *= 100;
    wild.discarded = Some("steal".into());
    let run = Run::new(&bench.results);
    let value = &session_values(&run.test("t").unwrap().sessions, 1)[0];
    // The partner of the discarded block goes with it.
    assert_eq!(value.pairs, 4);
    assert!(value.value.abs() < 1e-2);
}

#[test]
fn slow_slices_count_in_totals_and_not_in_what_is_typical() {
    let mut bench = Bench::new(&["t"], 2, 0, 1);
    bench.session(Stage::Confirmation, |_| true, 20, |_, _| 0.0);
    bench.results.blocks[7].slices[1].wall_ns *= 11;
    let run = Run::new(&bench.results);
    let value = &session_values(&run.test("t").unwrap().sessions, 1)[0];
    assert!((value.value + 1.5f64.ln()).abs() < 1e-9 && value.typical.abs() < 1e-9, "{value:?}");
    assert!(value.standard_error > 0.1);
}

#[test]
fn what_a_switch_leaves_cold_cancels_in_a_pair() {
    let alternating = |from: u32, count: u32| {
        let indexes: Vec<u32> = (from..from + count).collect();
        let ns = |index: &u32| if index.is_multiple_of(2) { 91.0 } else { 109.0 };
        let part = |index: &u32| Part { weight: 1.0, amount: 100.0, divisor: ns(index) };
        let parts = indexes.iter().map(part).collect();
        pairs(&Rows { width: 1, indexes, parts }).parts
    };
    let found = alternating(0, 20);
    assert_eq!(found.len(), 10);
    assert!(found.iter().all(|part| totals::log(&[*part]).unwrap().abs() < 1e-12));
    assert_eq!(alternating(1, 3).len(), 1);
    assert_eq!(alternating(0, 1)[0].divisor, 91.0);
}
