//! Rows of any size are moved whole: in one piece, in columns, or along cycles.

use skipsort::{Scratch, SkipSort, Sorter};

const ROWS: usize = if cfg!(miri) { 30 } else { 1_000 };

/// Rows whose every byte depends on their number.
fn rows<const N: usize>() -> Vec<[u8; N]> {
    let byte = |row: usize, at: usize| (row * 7919 % ROWS).wrapping_mul(at * 2 + 31) as u8;
    (0..ROWS).map(|row| std::array::from_fn(|at| byte(row, at))).collect()
}

fn check<const N: usize>() {
    check_by_key::<N>();
    for mut scratch in [Scratch::new(), Scratch::one_buffer(), Scratch::bounded(0)] {
        let mut sorted = rows::<N>();
        sorted.reverse();
        Sorter::new(&mut scratch).sort(&mut sorted);
        assert!(sorted.is_sorted(), "{N} bytes");
    }
}

fn check_by_key<const N: usize>() {
    let key = |row: &[u8; N]| row[N / 2].wrapping_mul(77);
    let mut expected = rows::<N>();
    expected.sort_by_key(key);
    for mut scratch in [Scratch::new(), Scratch::one_buffer(), Scratch::bounded(0)] {
        let mut sorted = rows::<N>();
        Sorter::new(&mut scratch).sort_by_cached_key(&mut sorted, |row| [key(row)]);
        assert_eq!(sorted, expected, "{N} bytes");
    }
}

#[test]
fn of_every_way_to_be_moved() {
    check::<7>();
    check::<33>();
    check::<48>();
    check::<193>();
    check_by_key::<1>();
    check_by_key::<16>();
    check_by_key::<31>();
    check_by_key::<32>();
    check_by_key::<40>();
    check_by_key::<47>();
    check_by_key::<64>();
    check_by_key::<100>();
    check_by_key::<192>();
}

/// Keys on the stack, in the program and on the heap, of no bytes and of megabytes: too far apart for one handle, or not.
#[test]
fn keys_near_and_far() {
    static STATIC: [u8; 300] = [b's'; 300];
    let stack = [b't'; 300];
    let long = vec![b'l'; 1 << 24];
    let words: Vec<String> = (0..ROWS).map(|row| format!("{}", row * 7919 % 1009)).collect();
    let of = |kinds: usize, row: usize| -> &[u8] {
        match row % kinds {
            1 => &[],
            2 => &STATIC[..row * 31 % 300],
            3 => &stack[row * 17 % 300..],
            4 if row % 500 == 4 => &long[row..],
            _ => words[row].as_bytes(),
        }
    };
    for kinds in 1..=5 {
        let mut rows: Vec<(usize, &[u8])> = (0..ROWS).map(|row| (row, of(kinds, row))).collect();
        let mut expected = rows.clone();
        expected.sort_by(|a, b| a.1.cmp(b.1));
        rows.skip_sort_by_key(|row| row.1);
        assert!(rows == expected, "{kinds} kinds of keys");
    }
}
