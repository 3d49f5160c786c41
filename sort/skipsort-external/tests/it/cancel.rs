//! A sort that is stopped: an error, and no file is left.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use skipsort_external::{Error, ExternalSorter, FileStorage, Meter, Phase};

use crate::harness::{Drill, TINY, naive, options, rows, sorted, sorted_into};

/// A meter that stops the sort at the call of this number, and counts calls.
fn stopping(at: usize) -> (Arc<Meter>, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let watch = move |_: &_| {
        if counted.fetch_add(1, Relaxed) + 1 == at {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    (Arc::new(Meter::watched(watch)), calls)
}

#[test]
fn every_batch_may_be_the_last() {
    let rows = rows(12_000, 9, 1);
    let expected = naive(&rows, false);
    for memory in [TINY, 8 << 20] {
        for all in [false, true] {
            for at in 1.. {
                let (mut options, drill) = (options(memory, 2), Drill::default());
                let (meter, calls) = stopping(at);
                options.meter = meter;
                let storage = drill.clone();
                let got =
                    if all { sorted_into(&rows, options, storage) } else { sorted(&rows, options, storage) };
                assert_eq!(drill.0.alive.load(Relaxed), 0, "no run is left");
                if calls.load(Relaxed) < at {
                    assert!(at > 3 && got.unwrap() == expected, "{at}");
                    break;
                }
                assert!(matches!(got, Err(Error::Cancelled)), "{at}");
            }
        }
    }
}

#[test]
fn a_cancelled_sort_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(TINY, 2);
    let meter = options.meter.clone();
    let mut sorter = ExternalSorter::new(options, FileStorage::new([folder.path().to_owned()])).unwrap();
    let rows = rows(10_000, 9, 1);
    rows.iter().for_each(|(key, payload)| sorter.push(key, payload).unwrap());
    assert!(meter.seen().runs > 1);
    let mut sorted = sorter.finish().unwrap();
    assert_eq!((meter.seen().phase, sorted.next().is_some()), (Phase::Merging, true));
    meter.cancel();
    assert!(sorted.any(|row| matches!(row, Err(Error::Cancelled))));
    assert!(sorted.next().is_none());
    drop(sorted);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
