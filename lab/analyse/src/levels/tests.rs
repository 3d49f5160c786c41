//! Columns of made-up slices and payments.

use humdrum_model::{Debt, Stage};

use super::definitions::{COMPACTED, FLUSHED};
use super::*;
use crate::run::Run;
use crate::testkit::{Bench, counters};

/// Four sessions of six blocks; each slice makes 100 counted calls and 10 of the guard in 10 ms.
fn measured(
    names: &[&str],
    readings: impl Fn(usize) -> Vec<i64>,
    debt: Option<Vec<i64>>,
) -> BTreeMap<String, Cost> {
    let mut bench = Bench::new(&["overwrite"], 2, 0, 4);
    for session in 0..4 {
        bench.session(Stage::Confirmation, |_| true, 6, |_, _| 0.0);
        bench.results.debts.extend(debt.iter().flat_map(|readings| {
            [0, 1].map(|subject| Debt {
                test: "overwrite".into(),
                session,
                subject,
                // Twice as many as were counted.
                operations: 2 * 6 * 110,
                wall_ns: 1,
                readings: readings.clone(),
            })
        }));
    }
    let slices = bench.results.blocks.iter_mut().flat_map(|block| &mut block.slices);
    slices.for_each(|slice| slice.readings = readings(slice.subject));
    bench.results.metrics = counters(names);
    let run = Run::new(&bench.results);
    let sessions = &run.test("overwrite").expect("blocks").sessions;
    columns(&bench.results, &bench.results.plan.tests[0], sessions, &[0, 1, 2, 3], 1)
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-9
}

/// 1000 bytes put and 1000 flushed in each slice; the subject compacts 2000, the base 1000. Half of what is paid
/// at the end, 6000 of 12000 bytes in a session, is the counted operations'.
#[test]
fn a_flush_counts_once_and_debts_by_their_share() {
    let names = ["put_bytes", FLUSHED, COMPACTED, "compaction_wall_us"];
    let slice = |subject: usize| vec![1000, 1000, 1000 * (1 + subject as i64), 500];
    let without = measured(&names, slice, None);
    assert!(near(without["w_amp"].base, 2.0) && near(without["w_amp"].subject, 3.0));
    assert!(near(without["w_amp"].ratio.unwrap(), 1.5) && without["w_amp"].ci95.is_some());
    let with = measured(&names, slice, Some(vec![0, 0, 12_000, 6000]));
    assert!(near(with["w_amp"].base, 3.0) && near(with["w_amp"].subject, 4.0), "{:?}", with["w_amp"]);
    assert!(near(with["c_mbps"].base, 2.0), "{:?}", with["c_mbps"]);
    // 2000 bytes and a thousandth of a second for each 110 calls.
    assert!(near(with["c_wgb"].base, 2000.0 / 110.0 * 1e-3));
    assert!(near(with["c_wsecs"].base, 1000.0 / 110.0));
    assert!(!with.contains_key("c_csecs"), "its reading is not among the run's");
}

#[test]
fn rates_are_over_the_time_of_slices_and_a_quotient_of_nothing_is_absent() {
    let names =
        ["put_bytes", "got_bytes", "stall_ms", "stalls", "writer_writes", "writer_due", "writer_response_us"];
    let found = measured(&names, |_| vec![0, 11_000, 1, 0, 0, 0, 0], None);
    // 11 ms, guard included, for each slice.
    assert!(near(found["mb_sec"].base, 1.0) && near(found["stall_pct"].base, 100.0 / 11.0));
    assert!(near(found["usec_op"].base, 100.0));
    assert_eq!((found["stalls"].base, found["stalls"].ratio), (0.0, None));
    for absent in ["w_amp", "writer_us", "writer_kept"] {
        assert!(!found.contains_key(absent), "{absent}");
    }
}

#[test]
fn runs_without_such_readings_have_no_such_columns() {
    assert!(measured(&["server_cpu_ns"], |_| vec![1], None).is_empty());
    assert!(COLUMNS.windows(2).all(|pair| pair[0].name < pair[1].name));
}
