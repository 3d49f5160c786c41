//! One `Scratch` for all: what one sort leaves there must be a value for the next, whatever the rows.
//!
//! Miri is what fails here: padding that is copied into memory which safe code then reads.

use skipsort::Scratch;

/// More than are given to the standard library, with or without Miri.
const ROWS: usize = if cfg!(miri) { 100 } else { 400 };

/// Three bytes of the twelve are padding.
#[repr(C)]
#[derive(Clone, Copy)]
struct Padded {
    key: [u8; 3],
    number: u32,
    last: u8,
}

fn padded(number: usize) -> Padded {
    let text = format!("{:03}", number * 7919 % ROWS);
    Padded { key: text.as_bytes().try_into().expect("three digits"), number: number as u32, last: 7 }
}

#[cfg(feature = "parallel")]
#[test]
fn padding_of_rows_never_becomes_a_text_row() {
    let mut scratch = Scratch::new();
    let mut rows: Vec<Padded> = (0..ROWS).map(padded).collect();
    skipsort::sort_by_key_with(&mut rows, |row| &row.key[..], &mut scratch);
    assert!(rows.is_sorted_by_key(|row| row.key));
    assert_eq!(
        rows.iter().map(|row| row.number as usize + usize::from(row.last) - 7).sum::<usize>(),
        ROWS * (ROWS - 1) / 2
    );
    let (main, spare) = scratch.text_rows(ROWS);
    let sum = main.iter().chain(&*spare).fold(0usize, |sum, row| sum.wrapping_add(row.start()));
    std::hint::black_box(sum);
}
