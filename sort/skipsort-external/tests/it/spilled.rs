//! Rows of the caller's memory, beside rows that are pushed.

use std::sync::atomic::Ordering;

use proptest::prelude::*;
use skipsort::{Loader, Scratch, Text, TextRow};
use skipsort_external::{ExternalSorter, MemoryStorage, Result};

use crate::harness::{Drill, Pair, TINY, naive, options, rows};

/// Spills rows from a text that has the payload before each key.
fn spill(sorter: &mut ExternalSorter, pairs: &[Pair]) -> Result<()> {
    let sample = pairs.iter().take(3).map(|(key, _)| key.as_slice());
    let (mut text, mut loader, mut scratch) = (Vec::new(), Loader::new(sample), Scratch::new());
    let (rows, spare) = scratch.text_rows(pairs.len());
    let (mut long, mut begins) = (Vec::new(), std::collections::HashMap::new());
    for (row, (key, payload)) in rows.iter_mut().zip(pairs) {
        let begin = text.len();
        text.extend_from_slice(payload);
        *row = loader.row(key, text.len());
        if row.is_long() {
            long.push((text.len(), key.len()));
        }
        begins.insert(text.len(), begin);
        text.extend_from_slice(key);
        // A row without a byte would start where the next one does.
        text.push(b'.');
    }
    let payload = |row: TextRow| &text[begins[&row.start()]..row.start()];
    sorter.spill(Text::new(&text, &long), (rows, spare), &loader, payload)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn rows_of_both_ways_are_one_sort(
        count in 0usize..3_000,
        parts in prop::collection::vec((any::<bool>(), 1usize..900), 1..8),
        threads in 1usize..4,
        unique: bool,
        seed: u64,
    ) {
        let all = rows(count, 4, seed);
        let mut options = options(TINY, threads);
        options.unique = unique;
        let expected = naive(&all, unique);
        for iterated in [false, true] {
            let mut mine = options.clone();
            mine.meter = Default::default();
            let mut sorter = ExternalSorter::new(mine, MemoryStorage::default()).unwrap();
            let (mut left, mut ways) = (all.as_slice(), parts.iter().cycle());
            while !left.is_empty() {
                let &(pushed, most) = ways.next().unwrap();
                let (part, rest) = left.split_at(most.min(left.len()));
                left = rest;
                match pushed {
                    true => part.iter().for_each(|(key, payload)| sorter.push(key, payload).unwrap()),
                    false => spill(&mut sorter, part).unwrap(),
                }
            }
            let sorted: Vec<Pair> = if iterated {
                let rows = sorter.finish().unwrap().map(Result::unwrap);
                rows.map(|row| (row.key().to_vec(), row.payload().to_vec())).collect()
            } else {
                let mut sorted = Vec::new();
                let take = |key: &[u8], payload: &[u8]| { sorted.push((key.to_vec(), payload.to_vec())); Ok(()) };
                sorter.finish_into(take).unwrap();
                sorted
            };
            prop_assert!(sorted == expected);
        }
    }
}

#[test]
fn a_key_longer_than_a_row_can_say_is_spilled() {
    let pairs: Vec<Pair> =
        (0..3u8).rev().map(|last| ([vec![1; 2 << 20], vec![last]].concat(), vec![last])).collect();
    let mut sorter = ExternalSorter::new(options(TINY, 1), MemoryStorage::default()).unwrap();
    spill(&mut sorter, &pairs).unwrap();
    let sorted: Vec<u8> = sorter.finish().unwrap().map(|row| row.unwrap().payload()[0]).collect();
    assert_eq!(sorted, [0, 1, 2]);
}

#[test]
fn a_storage_that_fails_ends_the_sort() {
    let drill = Drill::default();
    drill.0.failing.store(2, Ordering::Relaxed);
    let mut sorter = ExternalSorter::new(options(TINY, 1), drill).unwrap();
    let pairs = rows(100, 5, 1);
    assert!(spill(&mut sorter, &pairs).is_err());
    assert!(spill(&mut sorter, &pairs).is_err() && sorter.push(b"key", b"").is_err());
    assert!(sorter.finish().is_err());
}
