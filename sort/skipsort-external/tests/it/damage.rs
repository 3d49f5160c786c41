//! A run that comes back differently: an error that names it, or the right output, never another one.

use skipsort_external::{Error, Result};

use crate::harness::{Drill, Pair, TINY, naive, options, rows, sorted, sorted_into};

/// Sorts with `damage` done to every run when it is complete.
fn with(
    rows: &[Pair],
    damage: impl FnMut(u64, &mut Vec<u8>) + Send + 'static,
    all: bool,
) -> Result<Vec<Pair>> {
    let drill = Drill::default();
    *drill.0.damage.lock().unwrap() = Some(Box::new(damage));
    let options = options(TINY, 1);
    if all { sorted_into(rows, options, drill) } else { sorted(rows, options, drill) }
}

#[track_caller]
fn is_right_or_names(run: u64, got: Result<Vec<Pair>>, expected: &[Pair]) {
    match got {
        Ok(rows) => assert!(rows == expected, "wrong output"),
        Err(Error::Corrupt { run: found, what }) => {
            assert_eq!((found.number, &*found.place), (run, &*format!("drill {run}")), "{what}");
        }
        Err(other) => panic!("{other}"),
    }
}

/// Rows of two small runs, and the length of the second one.
fn small() -> (Vec<Pair>, usize) {
    let rows = rows(600, 9, 1);
    let drill = Drill::default();
    let length = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let lengths = length.clone();
    let note = move |_, bytes: &mut Vec<u8>| lengths.lock().unwrap().push(bytes.len());
    *drill.0.damage.lock().unwrap() = Some(Box::new(note));
    sorted(&rows, options(TINY, 1), drill).unwrap();
    let lengths = length.lock().unwrap().clone();
    assert_eq!(lengths.len(), 2, "{lengths:?}");
    (rows, lengths[1])
}

#[test]
fn every_flipped_byte_is_found() {
    let (rows, length) = small();
    let expected = naive(&rows, false);
    for at in 0..length {
        for flip in [1u8, 0x80, 0xff] {
            let damage = move |number, bytes: &mut Vec<u8>| {
                if number == 1 {
                    bytes[at] ^= flip;
                }
            };
            let got = with(&rows, damage, at % 2 == 0);
            assert!(got.is_err(), "byte {at}");
            is_right_or_names(1, got, &expected);
        }
    }
}

#[test]
fn every_cut_is_found() {
    let (rows, length) = small();
    let expected = naive(&rows, false);
    for at in 0..length {
        let damage = move |number, bytes: &mut Vec<u8>| {
            if number == 1 {
                bytes.truncate(at);
            }
        };
        let got = with(&rows, damage, at % 2 == 0);
        assert!(got.is_err(), "cut at {at}");
        is_right_or_names(1, got, &expected);
    }
}

#[test]
fn more_than_was_written_does_no_harm() {
    let (rows, _) = small();
    let longer = |_, bytes: &mut Vec<u8>| bytes.extend_from_slice(&[9; 40]);
    assert!(with(&rows, longer, false).unwrap() == naive(&rows, false));
}

#[test]
fn blocks_of_another_run_or_place_are_found() {
    let rows = rows(600, 9, 1);
    let expected = naive(&rows, false);
    let mut first = Vec::new();
    let swap = move |number, bytes: &mut Vec<u8>| {
        if number == 0 {
            first = bytes.clone();
        } else {
            *bytes = first.clone();
            bytes.resize(1 << 20, 0);
        }
    };
    let got = with(&rows, swap, false);
    assert!(got.is_err());
    is_right_or_names(1, got, &expected);
}

#[test]
fn blocks_that_change_places_are_found() {
    // A row a block, all equally long; three of them fit into the memory.
    let rows: Vec<Pair> = (0..6u8).map(|n| (vec![n; 20_000], Vec::new())).collect();
    let drill = Drill::default();
    let rotate = |number, bytes: &mut Vec<u8>| {
        if number == 1 {
            assert!(bytes.len() > 60_000 && bytes.len().is_multiple_of(3));
            let third = bytes.len() / 3;
            bytes.rotate_left(third);
        }
    };
    *drill.0.damage.lock().unwrap() = Some(Box::new(rotate));
    let got = sorted(&rows, options(64 << 10, 1), drill);
    assert!(got.is_err());
    is_right_or_names(1, got, &[]);
}

#[test]
fn zeros_are_no_run() {
    let (rows, _) = small();
    let got = with(&rows, |_, bytes| bytes.fill(0), false);
    is_right_or_names(0, got, &[]);
}
