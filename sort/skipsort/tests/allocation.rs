//! Every allocation that a sort makes fails once: the process ends by the standard library's own message, not by a null
//! pointer.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use skipsort::{Scratch, SkipSort, Sorter};

/// The system's allocator, until the allocation that is to fail.
struct Failing;

static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

fn fails() -> bool {
    LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
}

// SAFETY: every call goes to the system's allocator as it came, or fails, as it may.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's word.
        if fails() { null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's word.
        if fails() { null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's word.
        if fails() { null_mut() } else { unsafe { System.realloc(start, layout, size) } }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's word.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static FAILING: Failing = Failing;

const ROWS: usize = 40_000;

type Sort = fn(&mut [String]);

/// Sorts that allocate in different places.
const SORTS: &[(&str, Sort)] = &[
    ("sort", |rows| skipsort::sort(rows)),
    ("indices", |rows| drop(skipsort::sort_indices::<_, u32>(rows))),
    ("lazily", |rows| assert!(skipsort::Sorted::new(rows).nth(ROWS / 2).is_some())),
    ("top_k", |rows| drop(skipsort::top_k(rows, 300))),
    ("cached keys", |rows| rows.skip_sort_by_cached_key(|row| [row.as_bytes()[7], row.as_bytes()[5]])),
    ("in_place", |rows| Sorter::new(&mut Scratch::bounded(0)).sort(rows)),
    #[cfg(feature = "parallel")]
    ("parallel", |rows| Sorter::new(&mut Scratch::new()).par_sort(rows)),
];

#[test]
#[ignore = "run by the test below, which says what fails"]
fn sorts_until_an_allocation_fails() {
    let [sort, left] = ["SKIPSORT_SORT", "SKIPSORT_LEFT"].map(|name| std::env::var(name).expect("set below"));
    let (_, sort) = SORTS.iter().find(|(name, _)| *name == sort).expect("a sort");
    let mut rows: Vec<String> = (0..ROWS).map(|n| format!("row {:05}", n * 7919 % ROWS)).collect();
    let left: usize = left.parse().expect("a number");
    LEFT.store(left, Ordering::Relaxed);
    sort(&mut rows);
    let not_made = LEFT.swap(usize::MAX, Ordering::Relaxed);
    println!("made {} allocations", left - not_made);
}

/// What becomes of a process in which the allocation after so many fails: its end, and what it wrote.
fn run(sort: &str, left: usize) -> (std::process::ExitStatus, String) {
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    child.args([
        "sorts_until_an_allocation_fails",
        "--exact",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    let output =
        child.env("SKIPSORT_SORT", sort).env("SKIPSORT_LEFT", left.to_string()).output().expect("runs");
    let wrote = [output.stdout, output.stderr].concat();
    (output.status, String::from_utf8_lossy(&wrote).into_owned())
}

#[test]
#[cfg_attr(miri, ignore = "starts processes")]
fn each_allocation_may_fail() {
    for (sort, _) in SORTS {
        let mut failed = 0;
        loop {
            let (status, wrote) = run(sort, failed);
            if status.success() {
                // Threads do not always make the same ones.
                let made = wrote.split_once("made ").and_then(|(_, rest)| rest.split_once(' '));
                let made: usize = made.expect("a number").0.parse().expect("a number");
                assert!(made <= failed, "{sort}: {made} allocations, of which {failed} were left");
                break;
            }
            let said = ["memory allocation of", "failed"].iter().all(|part| wrote.contains(part));
            // A thread that cannot be started is done without, so what comes after it may fail instead.
            assert!(said && status.code().is_none(), "{sort}, allocation {failed}: {status} {wrote}");
            failed += 1;
        }
        assert!(failed > 0, "{sort} allocates");
    }
}
