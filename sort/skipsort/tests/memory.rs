//! What a sort takes beyond its input, measured at the allocator.
//!
//!     cargo test -p skipsort --features parallel --test memory -- --nocapture

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use skipsort::{Scratch, Sorter};
use skipsort_testkit::patterns;

const ROWS: usize = if cfg!(miri) { 300 } else { 300_000 };

/// What does not grow with the rows: one buffer's scratch, counters, stacks of tasks.
const FIXED: usize = 700 << 10;

/// The system's allocator, and how much is taken from it at a time.
struct Counted;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came; the counters change nothing of what it does.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(taken, Ordering::Relaxed);
        // SAFETY: the caller's word.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's word.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

type Form = (&'static str, usize, fn(&mut [&[u8]]));

/// What each may take for a row.
const FORMS: &[Form] = &[
    ("sort", 32, |rows| skipsort::sort(rows)),
    ("one buffer", 16, |rows| Sorter::new(&mut Scratch::one_buffer()).unstable().sort(rows)),
    ("one buffer, stable", 16, |rows| Sorter::new(&mut Scratch::one_buffer()).sort(rows)),
    ("bounded to 20 bytes", 20, |rows| Sorter::new(&mut Scratch::bounded(20 * rows.len())).sort(rows)),
    ("bounded to nothing", 0, |rows| Sorter::new(&mut Scratch::bounded(0)).unstable().sort(rows)),
    ("bounded, stable", 8, |rows| Sorter::new(&mut Scratch::bounded(0)).sort(rows)),
    ("descending", 32, |rows| Sorter::new(&mut Scratch::new()).descending().sort(rows)),
    #[cfg(feature = "parallel")]
    ("par_sort", 32, |rows| Sorter::new(&mut Scratch::new()).par_sort(rows)),
];

/// One test, as all threads of a process count together.
#[test]
fn no_more_than_promised() {
    for name in ["random8", "words", "url", "prefix200", "reversed", "all_equal"] {
        let keys = patterns::find(name).expect("a pattern").keys(ROWS, 1);
        for (form, promised, sort) in FORMS {
            let mut rows = keys.slices();
            let before = TAKEN.load(Ordering::Relaxed);
            PEAK.store(before, Ordering::Relaxed);
            sort(&mut rows);
            let taken = PEAK.load(Ordering::Relaxed) - before;
            println!("{name:10} {form:20} {:5.1} bytes per row", taken as f64 / ROWS as f64);
            assert!(taken <= promised * ROWS + FIXED, "{name}, {form}: {taken} bytes for {ROWS} rows");
            assert!(rows.is_sorted() || rows.is_sorted_by(|a, b| a >= b));
        }
    }
}
