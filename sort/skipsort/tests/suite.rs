//! The property suite over every way to sort.

use skipsort::{Scratch, SkipSort, Sorter};
use skipsort_testkit::{oracle, order_suite, sort_suite, stable_suite, suite};

#[cfg(feature = "parallel")]
const THREE: std::num::NonZeroUsize = std::num::NonZeroUsize::new(3).unwrap();

sort_suite!(sort, |rows| skipsort::sort(rows));
sort_suite!(method, |rows| rows.skip_sort());
sort_suite!(unstable, |rows| rows.skip_sort_unstable());
sort_suite!(one_buffer, |rows| Sorter::new(&mut Scratch::one_buffer()).unstable().sort(rows));
sort_suite!(in_place, |rows| Sorter::new(&mut Scratch::bounded(0)).unstable().sort(rows));
sort_suite!(owned, |rows| through_owned(rows, skipsort::sort));
sort_suite!(lazily, |rows| {
    let sorted: Vec<&[u8]> = skipsort::Sorted::new(rows).copied().collect();
    rows.copy_from_slice(&sorted);
});
order_suite!(unstable_indices, |rows: &[&[u8]]| Sorter::new(&mut Scratch::new()).unstable().indices(rows));
stable_suite!(indices, |rows: &[&[u8]]| skipsort::sort_indices(rows));
stable_suite!(lazy_indices, |rows: &[&[u8]]| {
    let mut sorted = skipsort::Sorted::new(rows);
    std::iter::from_fn(|| sorted.next_index()).collect()
});
stable_suite!(stable_rows, |rows: &[&[u8]]| stable(rows, &mut Scratch::new()));
stable_suite!(stable_one_buffer, |rows: &[&[u8]]| stable(rows, &mut Scratch::one_buffer()));
stable_suite!(stable_in_place, |rows: &[&[u8]]| stable(rows, &mut Scratch::bounded(0)));
#[cfg(feature = "parallel")]
stable_suite!(parallel_indices, |rows: &[&[u8]]| Sorter::new(&mut Scratch::new()).par_indices(rows));
#[cfg(feature = "parallel")]
sort_suite!(parallel, |rows| rows.par_skip_sort());
// However many processors there are.
#[cfg(feature = "parallel")]
sort_suite!(three_threads, |rows| Sorter::new(&mut Scratch::new()).threads(THREE).par_sort(rows));

/// Equal slices of different rows cannot be told apart, so rows carry their number.
fn stable(rows: &[&[u8]], scratch: &mut Scratch) -> Vec<usize> {
    let mut numbered: Vec<(usize, &[u8])> = rows.iter().copied().enumerate().collect();
    Sorter::new(scratch).sort_by_key(&mut numbered, |row| row.1);
    numbered.into_iter().map(|row| row.0).collect()
}

/// Every form in descending order: equal rows are in their old order there too.
#[test]
fn descending() {
    suite::each(|rows| {
        let mut expected: Vec<usize> = (0..rows.len()).collect();
        expected.sort_by(|a, b| rows[*b].cmp(rows[*a]));
        for mut scratch in [Scratch::new(), Scratch::one_buffer(), Scratch::bounded(0)] {
            let mut sorter = Sorter::new(&mut scratch).descending();
            oracle::check_equal("number", &expected, &sorter.indices(rows))?;
            let mut numbered: Vec<(usize, &[u8])> = rows.iter().copied().enumerate().collect();
            sorter.sort_by_key(&mut numbered, |row| row.1);
            let numbers: Vec<usize> = numbered.iter().map(|row| row.0).collect();
            oracle::check_equal("row", &expected, &numbers)?;
            let mut slices = rows.to_vec();
            sorter.sort(&mut slices);
            let addresses =
                |rows: &mut dyn Iterator<Item = &[u8]>| rows.map(|row| row.as_ptr().addr()).collect();
            let of_expected: Vec<usize> = addresses(&mut expected.iter().map(|row| rows[*row]));
            let of_slices: Vec<usize> = addresses(&mut slices.iter().copied());
            oracle::check_equal("address", &of_expected, &of_slices)?;
            #[cfg(feature = "parallel")]
            {
                let mut sorter = sorter.threads(THREE);
                oracle::check_equal("number", &expected, &sorter.par_indices(rows))?;
                let mut slices = rows.to_vec();
                sorter.par_sort(&mut slices);
                let of_slices: Vec<usize> = addresses(&mut slices.iter().copied());
                oracle::check_equal("address", &of_expected, &of_slices)?;
            }
        }
        Ok(())
    });
}

/// Keys that are made once for each row: here, without their first byte.
#[test]
fn cached_keys() {
    suite::each(|rows| {
        let key = |row: &(usize, &[u8])| row.1.get(1..).unwrap_or_default().to_vec();
        let mut expected: Vec<(usize, &[u8])> = rows.iter().copied().enumerate().collect();
        let unsorted = expected.clone();
        expected.sort_by_cached_key(key);
        for mut scratch in [Scratch::new(), Scratch::one_buffer(), Scratch::bounded(0)] {
            let mut sorted = unsorted.clone();
            Sorter::new(&mut scratch).sort_by_cached_key(&mut sorted, key);
            oracle::check_equal("row", &expected, &sorted)?;
        }
        #[cfg(feature = "parallel")]
        {
            let mut sorted = unsorted.clone();
            sorted.par_skip_sort_by_cached_key(key);
            oracle::check_equal("row", &expected, &sorted)?;
        }
        Ok(())
    });
}

#[test]
fn runs_merge_into_what_a_sort_makes() {
    suite::each(|rows| {
        let runs: Vec<Vec<&[u8]>> = rows.chunks(rows.len() / 5 + 1).map(<[_]>::to_vec).collect();
        let sorted = |mut run: Vec<&'_ [u8]>| {
            run.skip_sort();
            let lcps = oracle::lcps(&run);
            (run.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), lcps)
        };
        if rows.iter().map(|row| row.len()).sum::<usize>() > 10_000_000 {
            return Ok(());
        }
        let runs: Vec<_> = runs.into_iter().map(sorted).collect();
        let pairs: Vec<_> = runs.iter().map(|(rows, lcps)| (&rows[..], &lcps[..])).collect();
        let (merged, lcps): (Vec<&[u8]>, Vec<usize>) =
            skipsort::merge(&pairs).map(|(row, lcp)| (&row[..], lcp)).unzip();
        oracle::check_sorted(rows, &merged)?;
        oracle::check_equal("lcp", &oracle::lcps(&merged), &lcps)
    });
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
        skipsort::sort(&mut sorted);
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
        let order: Vec<usize> = skipsort::sort_indices(rows);
        let lcps = skipsort::lcp_array(rows, &order);
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
