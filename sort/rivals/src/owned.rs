//! Rows that own their keys: what `Vec<String>` and `Vec<Vec<u8>>` are, 24 bytes each, and structs with such a key in them.

use skipsort::SkipSort;

use crate::{Job, Rival};

/// A row with a key of its own.
trait Row<'k>: 'k {
    fn of(key: &'k [u8]) -> Self;
    fn key(&self) -> &[u8];
}

impl<'k> Row<'k> for Vec<u8> {
    fn of(key: &'k [u8]) -> Self {
        key.to_vec()
    }
    fn key(&self) -> &[u8] {
        self
    }
}

/// Forty bytes, of which 24 are the key's.
struct Record<'k>(Vec<u8>, &'k [u8]);

impl<'k> Row<'k> for Record<'k> {
    fn of(key: &'k [u8]) -> Self {
        Record(key.to_vec(), key)
    }
    fn key(&self) -> &[u8] {
        debug_assert!(self.0 == self.1);
        &self.0
    }
}

struct Owned<'k, T> {
    rows: Vec<T>,
    sort: fn(&mut [T]),
    /// In order, to name an owned row's key by.
    keys: Vec<&'k [u8]>,
}

impl<'k, T: Row<'k>> Owned<'k, T> {
    fn job(keys: &[&'k [u8]], sort: fn(&mut [T])) -> Option<Box<dyn Job<'k> + 'k>> {
        let rows = keys.iter().map(|key| T::of(key)).collect();
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        Some(Box::new(Owned { rows, sort, keys }))
    }
}

impl<'k, T: Row<'k>> Job<'k> for Owned<'k, T> {
    fn run(&mut self) {
        (self.sort)(&mut self.rows);
    }

    fn answer(&self) -> Vec<&'k [u8]> {
        let named = |row: &T| self.keys[self.keys.partition_point(|key| *key < row.key())];
        self.rows.iter().map(named).collect()
    }
}

pub(crate) const SKIPSORT: Rival = Rival {
    name: "skipsort_owned",
    about: "skipsort of Vec<u8> rows",
    partial: false,
    prepare: |keys| Owned::<Vec<u8>>::job(keys, |rows| rows.skip_sort()),
};

pub(crate) const SKIPSORT_RECORDS: Rival = Rival {
    name: "skipsort_records",
    about: "skipsort of rows of 40 bytes by the Vec<u8> in them",
    partial: false,
    prepare: |keys| Owned::<Record<'_>>::job(keys, |rows| rows.skip_sort_by_key(|row| &row.0)),
};

pub(crate) const STD: Rival = Rival {
    name: "std_unstable_owned",
    about: "slice::sort_unstable of Vec<u8> rows",
    partial: false,
    prepare: |keys| Owned::<Vec<u8>>::job(keys, |rows| rows.sort_unstable()),
};

pub(crate) const STD_RECORDS: Rival = Rival {
    name: "std_unstable_records",
    about: "slice::sort_unstable of rows of 40 bytes by the Vec<u8> in them",
    partial: false,
    prepare: |keys| Owned::<Record<'_>>::job(keys, |rows| rows.sort_unstable_by(|a, b| a.0.cmp(&b.0))),
};
