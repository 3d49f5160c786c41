//! Many rows of few keys: what sampled keys are equal to is parted at once, and what none is equal to goes on.

use skipsort::{Scratch, Sorter};
use skipsort_testkit::rng::Rng;

/// Rows of so many different keys, and among them strangers, each with a key of its own.
fn rows(count: usize, keys: usize, strangers: f64, shared: usize, rng: &mut Rng) -> Vec<Vec<u8>> {
    let key = |number: usize, rng: &mut Rng| {
        // Lengths decide among some, the last byte among others, and the shared prefix among none.
        let mut key = vec![b'k'; shared + number % 40];
        if number.is_multiple_of(3) {
            key.push(number as u8);
        }
        if number >= keys {
            let at = rng.below(key.len() + 1);
            key.splice(at.., rng.word().to_be_bytes());
        }
        key
    };
    let draw = |row: usize, rng: &mut Rng| if rng.unit() < strangers { keys + row } else { rng.below(keys) };
    (0..count)
        .map(|row| {
            let number = draw(row, rng);
            key(number, rng)
        })
        .collect()
}

fn check(rows: &[Vec<u8>], what: &str) {
    let mut expected: Vec<u32> = (0..rows.len() as u32).collect();
    expected.sort_by_key(|row| &rows[*row as usize]);
    let got: Vec<u32> = skipsort::sort_indices(rows);
    assert_eq!(got, expected, "{what}");
    for mut scratch in [Scratch::new(), Scratch::one_buffer(), Scratch::bounded(0)] {
        let mut in_place: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
        Sorter::new(&mut scratch).sort(&mut in_place);
        assert!(in_place.is_sorted(), "{what}, in place");
    }
}

#[test]
fn few_keys_with_strangers_among_them() {
    let (count, mut rng) = (if cfg!(miri) { 400 } else { 20_000 }, Rng::new(7));
    for keys in [1, 2, 3, 50, 100, 128, 129, 300, 5_000] {
        for strangers in [0.0, 0.001, 0.05, 0.2, 0.7] {
            for shared in [0, 7, 300] {
                let rows = rows(count, keys, strangers, shared, &mut rng);
                check(&rows, &format!("{keys} keys, {strangers} strangers, {shared} bytes shared"));
            }
        }
    }
}

/// A sample that misleads: the rows at all places that may be looked at are equal, and hardly any others.
#[test]
fn equal_keys_where_samples_are_taken() {
    let (count, mut rng) = (if cfg!(miri) { 512 } else { 1 << 14 }, Rng::new(8));
    for step in [1, 8, 16, 32, count / 24] {
        let rows: Vec<Vec<u8>> = (0..count)
            .map(|row| {
                let mut key = vec![b'x'; 500];
                if row % step != 0 {
                    let at = rng.below(500);
                    key.splice(at.., rng.word().to_be_bytes());
                }
                key
            })
            .collect();
        check(&rows, &format!("equal at every {step}th place"));
    }
}

/// Keys of the same length, first bytes and last bytes, which differ in the middle alone.
#[test]
fn keys_that_look_equal() {
    let (count, mut rng) = (if cfg!(miri) { 400 } else { 20_000 }, Rng::new(9));
    for differ in [2, 60, 10_000] {
        let key = |rng: &mut Rng| format!("beginning {:06} and its end", rng.below(differ)).into_bytes();
        let rows: Vec<Vec<u8>> = (0..count).map(|_| key(&mut rng)).collect();
        check(&rows, &format!("{differ} in the middle"));
    }
}
