//! Beside a stable sort of a vector, whatever the memory is.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use proptest::prelude::*;
use skipsort_external::{ExternalSorter, FileStorage, MemoryStorage, Storage, StoredRun};

use crate::harness::{Drill, Pair, TINY, naive, options, rows, sorted, sorted_into};

/// Keys that are empty, equal, the start of others, or longer than a block.
fn any_key() -> impl Strategy<Value = Vec<u8>> {
    let few = prop_oneof![Just(0u8), Just(b'a'), Just(b'b'), Just(255)];
    prop_oneof![
        8 => prop::collection::vec(few, 0..6),
        4 => prop::collection::vec(any::<u8>(), 0..40),
        1 => (any::<u8>(), 0usize..40_000).prop_map(|(byte, len)| vec![byte % 2; len]),
    ]
}

fn any_rows() -> impl Strategy<Value = Vec<Pair>> {
    let payload = prop_oneof![4 => prop::collection::vec(any::<u8>(), 0..20), 1 => (0usize..30_000).prop_map(|len| vec![7; len])];
    let pair = (any_key(), payload);
    (prop::collection::vec(pair, 0..300), 1usize..12).prop_map(|(rows, times)| {
        let count = rows.len() * times;
        // Numbered, so that the order of equal keys shows.
        let numbered = |(at, (key, payload)): (usize, &Pair)| {
            (key.clone(), [at.to_string().as_bytes(), payload].concat())
        };
        rows.iter().cycle().take(count).enumerate().map(numbered).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn like_a_stable_sort(
        rows in any_rows(),
        memory in prop_oneof![Just(1usize), Just(TINY), Just(64 << 10), Just(300_000), Just(1 << 20), Just(64 << 20)],
        threads in 1usize..4,
        unique: bool,
        fan_in in prop_oneof![Just(None), Just(Some(2)), Just(Some(3)), Just(Some(0))],
    ) {
        let mut options = options(memory, threads);
        (options.unique, options.fan_in) = (unique, fan_in);
        let expected = naive(&rows, unique);
        let mine = || {
            let mut mine = options.clone();
            mine.meter = Default::default();
            mine
        };
        prop_assert!(sorted(&rows, mine(), MemoryStorage::default()).unwrap() == expected);
        prop_assert!(sorted_into(&rows, mine(), Drill::default()).unwrap() == expected);
    }
}

#[test]
fn hundreds_of_runs() {
    let rows = rows(60_000, 9, 1);
    let expected = naive(&rows, false);
    for threads in [1, 3] {
        let options = options(TINY, threads);
        let meter = options.meter.clone();
        assert!(sorted(&rows, options.clone(), FileStorage::new([])).unwrap() == expected);
        let seen = meter.seen();
        assert!(seen.runs > 150 && seen.merges > 1, "{seen:?}");
        assert_eq!((seen.rows_read, seen.rows_written), (60_000, 60_000));
        assert_eq!(seen.bytes_read, seen.bytes_written);
        assert!(sorted_into(&rows, options, FileStorage::new([])).unwrap() == expected);
    }
}

#[test]
fn all_threads_merge() {
    let rows = rows(200_000, 12, 2);
    let options = options(2 << 20, 4);
    assert!(sorted_into(&rows, options, FileStorage::new([])).unwrap() == naive(&rows, false));
}

/// Keeps three runs at most, and reads them from their start.
struct Narrow(MemoryStorage, Arc<AtomicUsize>);

struct Counted(Box<dyn StoredRun>, Arc<AtomicUsize>);

impl Storage for Narrow {
    fn create(&mut self, number: u64) -> io::Result<Box<dyn StoredRun>> {
        // One more while it is written.
        assert!(self.1.fetch_add(1, Relaxed) < 4);
        Ok(Box::new(Counted(self.0.create(number)?, Arc::clone(&self.1))))
    }
    fn place(&self, number: u64) -> String {
        self.0.place(number)
    }
    fn runs_most(&self) -> usize {
        3
    }
    fn sequential(&self) -> bool {
        true
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl StoredRun for Counted {
    fn reader(&self, from: u64, to: u64) -> io::Result<Box<dyn Read + Send>> {
        assert_eq!(from, 0);
        self.0.reader(from, to)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Relaxed);
    }
}

#[test]
fn a_storage_of_three_runs() {
    let rows = rows(20_000, 9, 5);
    let narrow = || Narrow(MemoryStorage::default(), Arc::default());
    assert!(sorted(&rows, options(TINY, 2), narrow()).unwrap() == naive(&rows, false));
    assert!(sorted_into(&rows, options(TINY, 2), narrow()).unwrap() == naive(&rows, false));
}

#[test]
fn nothing_and_one() {
    for count in [0, 1] {
        let rows = rows(count, 5, 3);
        assert_eq!(sorted(&rows, options(TINY, 2), Drill::default()).unwrap(), rows);
        assert_eq!(sorted_into(&rows, options(TINY, 2), Drill::default()).unwrap(), rows);
    }
}

#[test]
fn before_the_first_row_and_behind_the_last_there_is_none() {
    for count in [10, 10_000] {
        let mut sorter = ExternalSorter::new(options(TINY, 1), MemoryStorage::default()).unwrap();
        (0..count).for_each(|_| sorter.push(b"key", b"payload").unwrap());
        let mut sorted = sorter.finish().unwrap();
        assert_eq!((sorted.key(), sorted.payload()), (&b""[..], &b""[..]));
        while sorted.advance().unwrap() {
            assert_eq!((sorted.key(), sorted.payload()), (&b"key"[..], &b"payload"[..]));
        }
        assert_eq!((sorted.key(), sorted.payload()), (&b""[..], &b""[..]));
        assert!(!sorted.advance().unwrap() && sorted.next().is_none());
    }
}

#[test]
fn sorts_side_by_side_know_nothing_of_each_other() {
    std::thread::scope(|scope| {
        let sorts: Vec<_> = (0..4)
            .map(|seed| {
                scope.spawn(move || {
                    let rows = rows(20_000, 9, seed);
                    let options = options(TINY << seed, 2);
                    let meter = options.meter.clone();
                    assert!(sorted(&rows, options, FileStorage::new([])).unwrap() == naive(&rows, false));
                    meter.seen().rows_written
                })
            })
            .collect();
        assert!(sorts.into_iter().all(|sort| sort.join().unwrap() == 20_000));
    });
}
