//! Where the system gives no thread, the caller sorts alone.
#![cfg(feature = "parallel")]

use std::process::Command;

use skipsort::{Scratch, SkipSort, Sorter};

/// More than any system has to give for a thread's stack, and within what a number of bytes can be.
const STACK: usize = usize::MAX / 8 * 7;

#[test]
#[ignore = "run by the test below, where no thread is given"]
fn sorts_alone() {
    assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "a thread was given");
    let rows: Vec<String> = (0..100_000_u64).map(|n| format!("row {:05}", n * 7919 % 100_003)).collect();
    let mut expected = rows.clone();
    expected.sort();

    let mut sorted = rows.clone();
    sorted.par_skip_sort();
    assert!(sorted == expected);
    let mut by_key = rows.clone();
    by_key.par_skip_sort_by_key(|row| row.as_bytes());
    assert!(by_key == expected);
    let order: Vec<u32> = Sorter::new(&mut Scratch::new()).par_indices(&rows);
    assert!(order.iter().map(|at| &rows[*at as usize]).eq(&expected));
}

#[test]
#[cfg_attr(miri, ignore = "starts a process")]
fn no_thread_is_no_panic() {
    let mut alone = Command::new(std::env::current_exe().expect("this test"));
    alone.args(["sorts_alone", "--exact", "--ignored", "--test-threads=1"]);
    let output = alone.env("RUST_MIN_STACK", STACK.to_string()).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
