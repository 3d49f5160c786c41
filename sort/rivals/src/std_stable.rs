//! The standard library's stable `sort`: driftsort.

use crate::{InPlace, Job, Rival};

pub(crate) const RIVAL: Rival = Rival {
    name: "std_stable",
    about: "slice::sort",
    partial: false,
    prepare: |rows| InPlace::job(rows, |rows| rows.sort()),
};

/// The unstable sort of owned rows, to compare with ours of owned rows.
pub(crate) const OWNED: Rival = Rival {
    name: "std_unstable_owned",
    about: "slice::sort_unstable of Vec<u8> rows",
    partial: false,
    prepare: |rows| Some(Box::new(Owned { rows: rows.iter().map(|row| (row.to_vec(), *row)).collect() })),
};

/// Rows that own their bytes; the borrowed key beside them is the answer, not looked at by the sort.
struct Owned<'k> {
    rows: Vec<(Vec<u8>, &'k [u8])>,
}

impl<'k> Job<'k> for Owned<'k> {
    fn run(&mut self) {
        self.rows.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    }

    fn answer(&self) -> Vec<&'k [u8]> {
        self.rows.iter().map(|row| row.1).collect()
    }
}
