//! Where `top_k` goes from the heap to the lazy sort: its time for some k, beside what the lazy sort takes for as many.
//!
//! ```text
//!   cargo run --release -p skipsort-bench --example top_k [ROWS [ROUNDS]]
//! ```
//!
//! Up to the change lazy / `top_k` is above 1 if the heap is right; from there on both are one. To see the heap beyond it, have
//! `heap_is_faster` in `sort/skipsort/src/top_k.rs` say so.

use std::time::Instant;

use skipsort_testkit::patterns;

const SETS: [&str; 6] = ["random8", "words", "url", "path", "composite", "duplicates"];
/// Rows for each that `top_k` is asked for.
const SHARES: [usize; 12] = [100_000, 10_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2];

fn main() -> Result<(), String> {
    let mut numbers =
        std::env::args().skip(1).map(|word| word.parse().map_err(|_| format!("{word:?} is no number")));
    let rows = numbers.next().unwrap_or(Ok(1_000_000))?;
    let rounds: usize = numbers.next().unwrap_or(Ok(5))?;
    println!("{rows} rows, ns/row, medians of {rounds} turns");
    println!("{:<12} {:>9} {:>8} {:>8} {:>14}", "set", "k", "top_k", "lazy", "lazy / top_k");
    for set in SETS {
        let keys = patterns::find(set).ok_or(format!("no set {set:?}"))?.keys(rows, 1);
        let rows = keys.slices();
        for k in SHARES.map(|share| rows.len() / share) {
            let (heap, lazy) = measure(&rows, k, rounds)?;
            println!("{set:<12} {k:>9} {heap:>8.2} {lazy:>8.2} {:>14.2}", lazy / heap);
        }
    }
    Ok(())
}

/// Nanoseconds per row of `top_k_indices` and of the lazy sort, in turns.
fn measure(rows: &[&[u8]], k: usize, rounds: usize) -> Result<(f64, f64), String> {
    let (mut heap, mut lazy) = (Vec::new(), Vec::new());
    // One turn more, as the first is for memory that is new to the process.
    for round in 0..=rounds {
        let start = Instant::now();
        let first = skipsort::top_k_indices(rows, k);
        let between = Instant::now();
        let mut sorted = skipsort::Sorted::new(rows);
        let second: Vec<usize> = std::iter::from_fn(|| sorted.next_index()).take(k).collect();
        let end = Instant::now();
        if first != second {
            return Err(format!("the first {k} differ"));
        }
        if round > 0 {
            heap.push((between - start).as_secs_f64() * 1e9 / rows.len() as f64);
            lazy.push((end - between).as_secs_f64() * 1e9 / rows.len() as f64);
        }
    }
    Ok((median(heap), median(lazy)))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
