//! The property suite over every way to sort.

use skipsort::Scratch;
use skipsort_testkit::{oracle, order_suite, sort_suite, stable_suite, suite};

#[cfg(feature = "parallel")]
const THREE: std::num::NonZeroUsize = std::num::NonZeroUsize::new(3).unwrap();

sort_suite!(sort, |rows| skipsort::sort(rows));
sort_suite!(one_buffer, |rows| skipsort::sort_with(rows, &mut Scratch::one_buffer()));
sort_suite!(in_place, |rows| skipsort::sort_with(rows, &mut Scratch::bounded(0)));
sort_suite!(owned, |rows| through_owned(rows, skipsort::sort));
sort_suite!(lazily, |rows| {
    let sorted: Vec<&[u8]> = skipsort::Sorted::new(rows).copied().collect();
    rows.copy_from_slice(&sorted);
});
order_suite!(indices, |rows: &[&[u8]]| skipsort::sort_indices(rows));
stable_suite!(stable_indices, |rows: &[&[u8]]| skipsort::sort_stable_indices(rows));
stable_suite!(stable_rows, |rows: &[&[u8]]| stable(rows, &mut Scratch::new()));
stable_suite!(stable_one_buffer, |rows: &[&[u8]]| stable(rows, &mut Scratch::one_buffer()));
stable_suite!(stable_in_place, |rows: &[&[u8]]| stable(rows, &mut Scratch::bounded(0)));
#[cfg(feature = "parallel")]
stable_suite!(parallel_indices, |rows: &[&[u8]]| skipsort::par_sort_indices(rows));
#[cfg(feature = "parallel")]
sort_suite!(parallel, |rows| skipsort::par_sort(rows));
// However many processors there are.
#[cfg(feature = "parallel")]
sort_suite!(three_threads, |rows| skipsort::par_sort_with(rows, &mut Scratch::new(), THREE));

/// Equal slices of different rows cannot be told apart, so rows carry their number.
fn stable(rows: &[&[u8]], scratch: &mut Scratch) -> Vec<usize> {
    let mut numbered: Vec<(usize, &[u8])> = rows.iter().copied().enumerate().collect();
    skipsort::sort_stable_by_key_with(&mut numbered, |row| row.1, scratch);
    numbered.into_iter().map(|row| row.0).collect()
}

fn through_owned(rows: &mut [&[u8]], sort: fn(&mut [Vec<u8>])) {
    let mut owned: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
    sort(&mut owned);
    rows.sort_by_key(|row| owned.partition_point(|other| &other[..] < *row));
    assert!(rows.iter().zip(&owned).all(|(row, other)| *row == &other[..]));
}

#[test]
fn stable_slices() {
    suite::each(|rows| {
        let mut sorted = rows.to_vec();
        skipsort::sort_stable(&mut sorted);
        let address = |rows: &[&[u8]]| rows.iter().map(|row| row.as_ptr().addr()).collect::<Vec<_>>();
        let mut expected = rows.to_vec();
        expected.sort();
        oracle::check_equal("address", &address(&expected), &address(&sorted))
    });
}

#[test]
fn lcps() {
    suite::each(|rows| {
        if rows.iter().map(|row| row.len()).sum::<usize>() > 10_000_000 {
            return Ok(());
        }
        let (order, lcps) = skipsort::sort_indices_lcp::<_, usize>(rows);
        let sorted: Vec<&[u8]> = order.iter().map(|&row| rows[row]).collect();
        oracle::check_equal("lcp", &oracle::lcps(&sorted), &lcps)
    });
}

#[test]
fn top_k() {
    suite::each(|rows| {
        let mut sorted = rows.to_vec();
        sorted.sort();
        let order = oracle::order(rows);
        for k in [0, 1, 10, rows.len() / 600, rows.len() / 100, rows.len() / 2, rows.len(), rows.len() + 1] {
            let got: Vec<&[u8]> = skipsort::top_k(rows, k).into_iter().copied().collect();
            oracle::check_equal("row", &sorted[..k.min(rows.len())], &got)?;
            let got = skipsort::top_k_indices(rows, k);
            oracle::check_equal("number", &order[..k.min(rows.len())], &got)?;
        }
        Ok(())
    });
}
