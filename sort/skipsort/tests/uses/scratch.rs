//! One `Scratch` for all: what one sort leaves there must be a value for the next, whatever the rows.
//!
//! Miri is what fails here: padding of rows that is copied into memory which is read as entries afterwards.

use skipsort::{Scratch, Sorter};
use skipsort_testkit::rows::{
    Byte, Counted, Nothing, Numbered, Padded, Row, Spacious, Wide, check_stable, rows,
};

/// More than are given to the standard library, with or without Miri.
const ROWS: usize = if cfg!(miri) { 30 } else { 400 };

/// A way into the sort that takes a `Scratch`.
#[derive(Clone, Copy, Debug)]
enum Entry {
    ByKey,
    ByCachedKey,
    Descending,
    Unstable,
    Indices,
    Slices,
    #[cfg(feature = "parallel")]
    Parallel,
    #[cfg(feature = "parallel")]
    ParallelSlices,
    #[cfg(feature = "parallel")]
    Text,
}

const ENTRIES: &[Entry] = &[
    Entry::ByKey,
    Entry::ByCachedKey,
    Entry::Descending,
    Entry::Unstable,
    Entry::Indices,
    Entry::Slices,
    #[cfg(feature = "parallel")]
    Entry::Parallel,
    #[cfg(feature = "parallel")]
    Entry::ParallelSlices,
    #[cfg(feature = "parallel")]
    Entry::Text,
];

type Sort = fn(Entry, &mut Scratch);

const KINDS: &[(&str, Sort)] = &[
    ("Vec<u8>", sort::<Vec<u8>>),
    ("Box<[u8]>", sort::<Box<[u8]>>),
    ("Padded", sort::<Padded>),
    ("Numbered", sort::<Numbered>),
    ("Spacious", sort::<Spacious>),
    ("Wide", sort::<Wide>),
    ("Byte", sort::<Byte>),
    ("Nothing", sort::<Nothing>),
    ("Counted", sort::<Counted>),
];

/// Sorts rows of this kind this way, and looks at every one of them.
fn sort<T: Row>(entry: Entry, scratch: &mut Scratch) {
    let mut all: Vec<T> = rows(ROWS);
    let alive = Counted::alive();
    let mut sorter = Sorter::new(scratch);
    let sorted: Result<(), String> = match entry {
        Entry::ByKey => {
            sorter.sort_by_key(&mut all, T::key);
            check_stable(&all)
        }
        Entry::ByCachedKey => {
            sorter.sort_by_cached_key(&mut all, |row| row.key().to_vec());
            check_stable(&all)
        }
        Entry::Descending => {
            sorter.descending().sort_by_key(&mut all, T::key);
            ordered(all.is_sorted_by(|a, b| a.key() >= b.key()))
        }
        Entry::Unstable => {
            sorter.unstable().sort_by_key(&mut all, T::key);
            ordered(all.is_sorted_by(|a, b| a.key() <= b.key()))
        }
        Entry::Indices => named(&all, &sorter.indices_by_key(&all, T::key)),
        Entry::Slices => slices(&all, |rows| sorter.sort(rows)),
        #[cfg(feature = "parallel")]
        Entry::Parallel => {
            sorter.threads(TWO).par_sort_by_key(&mut all, T::key);
            check_stable(&all)
        }
        #[cfg(feature = "parallel")]
        Entry::ParallelSlices => slices(&all, |rows| sorter.threads(TWO).par_sort(rows)),
        #[cfg(feature = "parallel")]
        Entry::Text => text::check(&all, scratch),
    };
    sorted.unwrap_or_else(|complaint| panic!("{entry:?}: {complaint}"));
    assert_eq!(Counted::alive(), alive);
}

#[cfg(feature = "parallel")]
const TWO: std::num::NonZeroUsize = std::num::NonZeroUsize::new(2).unwrap();

fn ordered(ordered: bool) -> Result<(), String> {
    ordered.then_some(()).ok_or("not in order".into())
}

/// Complains unless the rows are in stable order when taken in the order of `numbers`.
fn named<T: Row>(rows: &[T], numbers: &[u32]) -> Result<(), String> {
    let keys: Vec<&[u8]> = rows.iter().map(T::key).collect();
    let numbers: Vec<usize> = numbers.iter().map(|number| *number as usize).collect();
    skipsort_testkit::oracle::check_order(&keys, &numbers)
}

fn slices<T: Row>(rows: &[T], sort: impl FnOnce(&mut [&[u8]])) -> Result<(), String> {
    let keys: Vec<&[u8]> = rows.iter().map(T::key).collect();
    let mut sorted = keys.clone();
    sort(&mut sorted);
    skipsort_testkit::oracle::check_sorted(&keys, &sorted)
}

#[cfg(feature = "parallel")]
mod text {
    use std::ops::Range;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use skipsort::{Consumer, Loader, ReadFrom, Text, TextRow};

    use super::*;

    /// Looks at rows, and does nothing.
    struct Looks(AtomicUsize);

    impl Consumer for Looks {
        fn ready(&self, _: usize) -> bool {
            true
        }
        fn consume(&self, _: Range<usize>, rows: &[TextRow]) {
            self.0.fetch_add(look_at(rows), Ordering::Relaxed);
        }
        fn wants_more(&self) -> bool {
            true
        }
    }

    /// Where rows start, added up: what reads them all.
    fn look_at(rows: &[TextRow]) -> usize {
        rows.iter().fold(0, |sum, row| sum.wrapping_add(row.start()))
    }

    /// What is in memory before it is written is a row too, of some text.
    pub(super) fn check<T: Row>(rows: &[T], scratch: &mut Scratch) -> Result<(), String> {
        let (main, spare) = scratch.text_rows(rows.len());
        std::hint::black_box(look_at(main).wrapping_add(look_at(spare)));
        let (mut bytes, mut starts, mut loader) = (Vec::new(), 0, Loader::default());
        for (place, row) in main.iter_mut().zip(rows) {
            *place = loader.row(row.key(), bytes.len());
            starts += bytes.len();
            bytes.extend_from_slice(row.key());
        }
        let (text, looks) = (Text::new(&bytes, &[]), Looks(AtomicUsize::new(0)));
        text.sort(main, spare, &loader, TWO, ReadFrom::Start, &looks);
        let sorted = main.is_sorted_by(|a, b| text.key(*a) <= text.key(*b));
        (sorted && looks.0.into_inner() == starts).then_some(()).ok_or("not in order, or not all".into())
    }
}

/// Each kind of row, sorted in each way, after each of the same.
#[test]
#[cfg_attr(miri, ignore = "takes hours; the test below has what matters")]
fn any_sort_after_any_other() {
    let all = || KINDS.iter().flat_map(|(_, sort)| ENTRIES.iter().map(move |entry| (sort, *entry)));
    let mut scratch = Scratch::new();
    for (first, entry) in all() {
        for (second, other) in all() {
            first(entry, &mut scratch);
            second(other, &mut scratch);
        }
    }
}

/// Rows of each kind leave what they leave when they are moved; then each way looks at that, and leaves its own.
#[test]
fn every_way_after_every_kind_of_row() {
    let mut scratch = Scratch::new();
    for (_, moves) in KINDS {
        moves(Entry::ByKey, &mut scratch);
    }
    for entry in ENTRIES {
        sort::<Padded>(Entry::ByKey, &mut scratch);
        sort::<Numbered>(*entry, &mut scratch);
    }
}

#[cfg(feature = "parallel")]
#[test]
#[should_panic(expected = "more memory than there are addresses")]
fn more_text_rows_than_bytes_can_be_counted() {
    // 2^60 rows of 16 bytes are none, if the product is cut off.
    let mut scratch = Scratch::new();
    let (rows, spare) = scratch.text_rows(usize::MAX / 16 + 1);
    assert_eq!(rows.len() + spare.len(), 0, "never so far");
}
