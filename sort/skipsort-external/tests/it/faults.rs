//! A storage that fails once, at each of its operations.

use std::sync::atomic::Ordering::Relaxed;

use skipsort_external::records::{Records, Shape};
use skipsort_external::{Error, ExternalSorter, Options};

use crate::harness::{Drill, TINY, naive, options, rows, sorted, sorted_into};

#[test]
fn each_operation_may_fail() {
    let rows = rows(4000, 9, 1);
    let expected = naive(&rows, false);
    let fan_in_2 = || {
        let mut options: Options = options(TINY, 2);
        options.fan_in = Some(3);
        options
    };
    for all in [false, true] {
        let mut failures = [0; 2];
        for failing in 1.. {
            let drill = Drill::default();
            drill.0.failing.store(failing, Relaxed);
            let got = if all {
                sorted_into(&rows, fan_in_2(), drill.clone())
            } else {
                sorted(&rows, fan_in_2(), drill.clone())
            };
            assert_eq!(drill.0.alive.load(Relaxed), 0, "no run is left");
            let happened = drill.0.operations.load(Relaxed) >= failing;
            match got {
                Ok(rows) => assert!(!happened && rows == expected, "operation {failing}"),
                Err(Error::Write { run, source }) => {
                    assert_eq!(run.place, format!("drill {}", run.number));
                    assert_eq!(source.to_string(), "the test's own failure");
                    failures[0] += 1;
                }
                Err(Error::Read { source, .. }) => {
                    assert_eq!(source.to_string(), "the test's own failure");
                    failures[1] += 1;
                }
                Err(other) => panic!("operation {failing}: {other}"),
            }
            if !happened {
                break;
            }
        }
        assert!(failures.iter().all(|count| *count > 20), "{failures:?}");
    }
}

#[test]
fn after_a_failure_there_is_no_output() {
    let drill = Drill::default();
    drill.0.failing.store(3, Relaxed);
    let mut sorter = ExternalSorter::new(options(TINY, 1), drill).unwrap();
    let mut push = || (0..10_000u32).try_for_each(|row| sorter.push(&row.to_le_bytes(), b""));
    assert!(matches!(push(), Err(Error::Write { .. })));
    assert!(matches!(push(), Err(Error::Failed)));
    assert!(matches!(sorter.finish(), Err(Error::Failed)));
}

#[test]
fn more_memory_than_there_is_address_space_is_an_error() {
    for memory in [usize::MAX, usize::MAX / 2, 1 << 60] {
        let pushed = ExternalSorter::new(options(memory, 1), Drill::default());
        assert!(matches!(pushed, Err(Error::Memory { .. })));
        let shape = Shape::lines(b'\n');
        let read = Records::new(&shape, options(memory, 1), &[]).sort(Drill::default(), &mut Vec::new());
        assert!(matches!(read, Err(Error::Memory { .. })), "{read:?}");
    }
}

#[test]
fn the_callers_output_may_fail() {
    for count in [10u32, 20_000] {
        let mut sorter = ExternalSorter::new(options(TINY, 2), Drill::default()).unwrap();
        (0..count).for_each(|row| sorter.push(&row.to_le_bytes(), b"").unwrap());
        let mut left = count / 2;
        let got = sorter.finish_into(|_, _| {
            left = left.checked_sub(1).ok_or_else(|| std::io::Error::other("enough"))?;
            Ok(())
        });
        assert!(matches!(got, Err(Error::Output(error)) if error.to_string() == "enough"));
    }
}
