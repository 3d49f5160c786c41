//! Rows made while a text is read, sorted on several threads and handed over in order.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use skipsort::{Consumer, Loader, ReadFrom, Scratch, Text, TextRow};
use skipsort_testkit::patterns;

/// Ranges and the starts of their rows, as they were handed over.
struct Taken {
    ranges: Mutex<Vec<(Range<usize>, Vec<usize>)>>,
    wanted: AtomicUsize,
    eager: bool,
}

impl Consumer for Taken {
    fn ready(&self, at: usize) -> bool {
        self.eager || at.is_multiple_of(3)
    }
    fn consume(&self, range: Range<usize>, rows: &[TextRow]) {
        assert_eq!(range.len(), rows.len());
        self.wanted.fetch_sub(rows.len().min(self.wanted.load(Ordering::Relaxed)), Ordering::Relaxed);
        self.ranges.lock().unwrap().push((range, rows.iter().map(|row| row.start()).collect()));
    }
    fn wants_more(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) > 0
    }
}

fn check(keys: &[&[u8]], sample: usize, threads: usize, from: ReadFrom, eager: bool) {
    let (mut bytes, mut starts) = (Vec::new(), Vec::new());
    for key in keys {
        starts.push(bytes.len());
        bytes.extend_from_slice(key);
        bytes.push(b'\n');
    }
    let mut scratch = Scratch::new();
    let (rows, spare) = scratch.text_rows(keys.len());
    let mut loader = Loader::new(keys.iter().copied().take(sample));
    let mut other = loader.clone();
    let mut long = Vec::new();
    for (at, (key, start)) in keys.iter().zip(&starts).enumerate() {
        rows[at] = if at % 2 == 0 { &mut loader } else { &mut other }.row(key, *start);
        if rows[at].is_long() {
            long.push((*start, key.len()));
        }
    }
    loader.join(&other);
    let text = Text::new(&bytes, &long);
    let taken = Taken { ranges: Mutex::default(), wanted: AtomicUsize::new(usize::MAX), eager };
    text.sort(rows, spare, &loader, NonZeroUsize::new(threads).unwrap(), from, &taken);
    let mut ranges = taken.ranges.into_inner().unwrap();
    ranges.sort_by_key(|(range, _)| range.start);
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|row| keys[*row]);
    let expected: Vec<usize> = order.into_iter().map(|row| starts[row]).collect();
    let got: Vec<usize> = ranges.iter().flat_map(|(_, starts)| starts.iter().copied()).collect();
    assert!(got == expected, "{} keys, {threads} threads", keys.len());
    let mut end = 0;
    for (range, _) in &ranges {
        assert_eq!(range.start, end, "ranges follow each other");
        end = range.end;
    }
    // Equal keys are in one range.
    for pair in ranges.windows(2) {
        let (last, first) = (*pair[0].1.last().unwrap(), pair[1].1[0]);
        assert!(line(&bytes, last) < line(&bytes, first));
    }
}

fn line(bytes: &[u8], start: usize) -> &[u8] {
    bytes[start..].split(|byte| *byte == b'\n').next().unwrap()
}

#[test]
fn patterns_come_out_in_order() {
    for name in ["url", "random8", "duplicates", "path", "prefix200", "words"] {
        for rows in if cfg!(miri) { [0, 1, 2, 60, 250] } else { [0, 1, 2, 1_000, 150_000] } {
            let keys = patterns::find(name).unwrap().keys(rows, 7);
            // Delimiters are no part of a key.
            let keys: Vec<Vec<u8>> =
                keys.iter().map(|key| key.iter().map(|byte| byte.max(&b' ')).copied().collect()).collect();
            let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            check(&keys, 16, 1, ReadFrom::Start, true);
            check(&keys, 16, 2, ReadFrom::End, false);
            check(&keys, 0, 3, ReadFrom::Start, false);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "looks at megabytes, byte by byte")]
fn a_wrong_guess_and_long_keys() {
    let long = vec![b'x'; 3 << 20];
    let mut keys: Vec<&[u8]> = vec![b"same/prefix/a"; 200];
    keys.extend([&b"other"[..], &long, &long[..1 << 20], &long[..(1 << 20) - 1], b""]);
    keys.extend([&b"same/prefix/b"[..]; 200]);
    check(&keys, 100, 2, ReadFrom::Start, true);
    check(&keys, 100, 2, ReadFrom::End, false);
}

const URLS: usize = if cfg!(miri) { 500 } else { 100_000 };

/// URLs one behind the other, sorted for the consumer.
fn sort_urls(threads: usize, consumer: &dyn Consumer) {
    let keys = patterns::find("url").unwrap().keys(URLS, 1);
    let mut scratch = Scratch::new();
    let (rows, spare) = scratch.text_rows(keys.len());
    let (mut bytes, mut loader) = (Vec::new(), Loader::default());
    for (row, key) in rows.iter_mut().zip(keys.iter()) {
        *row = loader.row(key, bytes.len());
        bytes.extend_from_slice(key);
    }
    let (text, threads) = (Text::new(&bytes, &[]), NonZeroUsize::new(threads).unwrap());
    text.sort(rows, spare, &loader, threads, ReadFrom::Start, consumer);
}

#[test]
fn stops_when_nothing_more_is_wanted() {
    let taken = Taken { ranges: Mutex::default(), wanted: AtomicUsize::new(10), eager: true };
    sort_urls(1, &taken);
    let ranges = taken.ranges.into_inner().unwrap();
    assert_eq!(ranges.len(), 1);
    assert!(ranges[0].0.start == 0 && (10..URLS).contains(&ranges[0].0.len()));
}

#[test]
fn a_panic_of_the_consumer_reaches_the_caller() {
    struct Full;
    impl Consumer for Full {
        fn ready(&self, _: usize) -> bool {
            true
        }
        fn consume(&self, _: Range<usize>, _: &[TextRow]) {
            panic!("the test's own panic");
        }
        fn wants_more(&self) -> bool {
            true
        }
    }
    let sort = || sort_urls(3, &Full);
    let panic = catch_unwind(AssertUnwindSafe(sort)).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"the test's own panic"));
}
