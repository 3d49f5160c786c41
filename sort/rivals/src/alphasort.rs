//! AlphaSort's idea: the first eight bytes beside a pointer, quicksort, ties by a full compare.
//!
//! C. Nyberg, T. Barclay, Z. Cvetanovic, J. Gray and D. Lomet, "AlphaSort: A RISC Machine Sort",
//! SIGMOD 1994. Today's quicksort is the standard library's.

use crate::{InPlace, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "alphasort",
    about: "8-byte prefix and pointer, std quicksort, ties by memcmp",
    partial: false,
    prepare: |rows| InPlace::job(rows, sort),
};

fn sort(rows: &mut [&[u8]]) {
    let mut entries: Vec<(u64, &[u8])> = rows.iter().map(|row| (prefix(row), *row)).collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    for (row, entry) in rows.iter_mut().zip(entries) {
        *row = entry.1;
    }
}

fn prefix(row: &[u8]) -> u64 {
    match row.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => row.iter().enumerate().fold(0, |word, (at, byte)| word | u64::from(*byte) << (56 - 8 * at)),
    }
}
