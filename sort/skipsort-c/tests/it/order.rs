//! Every function beside the standard library's stable sort, on every pattern of the test kit.

use std::cell::Cell;

use skipsort_c::{Options, SKIPSORT_DESCENDING, SKIPSORT_OK, SKIPSORT_UNSTABLE};
use skipsort_testkit::{oracle, suite};

use crate::harness::{Scratch, indices, numbers, rows, sort, top_k};

/// The order of a sort with these options.
fn sorted(keys: &[&[u8]], options: Option<&Options>) -> Vec<usize> {
    let mut rows = rows(keys);
    assert_eq!(sort(&mut rows, options), SKIPSORT_OK);
    let order = numbers(&rows);
    // Payloads stay with their keys.
    assert!(rows.iter().zip(&order).all(|(row, &number)| row.key == keys[number].as_ptr().cast()));
    order
}

/// The stable descending order.
fn descending(keys: &[&[u8]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[b].cmp(keys[a]));
    order
}

#[test]
fn without_options_rows_are_in_stable_order() {
    suite::each(|keys| oracle::check_stable(keys, &sorted(keys, None)));
}

#[test]
fn descending_order_is_stable_too() {
    let options = Options { flags: SKIPSORT_DESCENDING, ..Options::default() };
    suite::each(|keys| {
        oracle::check_equal("row", &descending(keys), &sorted(keys, Some(&options)))?;
        oracle::check_equal("row", &descending(keys), &indices(&rows(keys), Some(&options)))
    });
}

#[test]
fn unstable_order_is_an_order() {
    let options = Options { flags: SKIPSORT_UNSTABLE, ..Options::default() };
    suite::each(|keys| oracle::check_order(keys, &sorted(keys, Some(&options))));
}

#[test]
fn threads_give_the_same_order() {
    let options = Options { threads: 3, ..Options::default() };
    suite::each(|keys| {
        oracle::check_stable(keys, &sorted(keys, Some(&options)))?;
        oracle::check_stable(keys, &indices(&rows(keys), Some(&options)))
    });
}

#[test]
fn indices_leave_rows_alone() {
    suite::each(|keys| {
        let rows = rows(keys);
        oracle::check_stable(keys, &indices(&rows, None))?;
        oracle::check_equal("row", &(0..keys.len()).collect::<Vec<_>>(), &numbers(&rows))
    });
}

#[test]
fn top_k_are_the_first_rows_of_the_stable_order() {
    suite::each(|keys| {
        let order = oracle::order(keys);
        for k in [0, 1, 10, 90, keys.len() / 2, keys.len(), usize::MAX] {
            let expected = &order[..k.min(keys.len())];
            oracle::check_equal("row", expected, &numbers(&top_k(&rows(keys), k)))?;
        }
        Ok(())
    });
}

#[test]
fn a_scratch_is_kept_from_call_to_call() {
    let scratch = Scratch::new(0);
    let options = Options { scratch: scratch.0, ..Options::default() };
    let most = Cell::new(0);
    suite::each(|keys| {
        most.set(most.get().max(keys.len()));
        oracle::check_stable(keys, &sorted(keys, Some(&options)))
    });
    assert!(scratch.bytes() >= 32 * most.get());
}

#[test]
fn a_bounded_scratch_takes_no_more() {
    for most_bytes in [1, 1 << 12, 1 << 16, 1 << 20] {
        let scratch = Scratch::new(most_bytes);
        for flags in [0, SKIPSORT_DESCENDING] {
            let options = Options { flags, scratch: scratch.0, threads: 2, ..Options::default() };
            suite::each(|keys| {
                let expected = if flags == 0 { oracle::order(keys) } else { descending(keys) };
                oracle::check_equal("row", &expected, &sorted(keys, Some(&options)))
            });
        }
        let options = Options { flags: SKIPSORT_UNSTABLE, scratch: scratch.0, ..Options::default() };
        suite::each(|keys| oracle::check_order(keys, &sorted(keys, Some(&options))));
        assert!(scratch.bytes() <= most_bytes);
    }
}
