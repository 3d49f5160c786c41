//! A sort on several machines, on paper: how even ranges by sampled splitters are, and what a shuffle sends.
//!
//! ```text
//!   cargo run --release -p skipsort-bench --example splitters [ROWS]
//!
//!   machine   own rows ── sort ──> run ─┬─ range 0 ──> machine 0 ── merge ──> rows in order
//!                │                      ├─ range 1 ──> machine 1
//!                └── sample ──> splitters└─ ...
//! ```
//!
//! It prints the tables of docs/distributed-sort.md.

use std::collections::BTreeMap;

use skipsort_testkit::patterns::{self, Pattern, SETS};
use skipsort_testkit::rng::Rng;

const MACHINES: [usize; 3] = [4, 16, 64];
const SAMPLES: [usize; 5] = [1, 8, 64, 512, 4096];
/// Samples drawn for each cell of the first table.
const DRAWS: usize = 200;
/// Machines of the second table, and rows that each of them samples.
const MACHINES_OF_SETS: usize = 16;
const SAMPLES_OF_SETS: usize = 512;

fn main() -> Result<(), String> {
    let rows = match std::env::args().nth(1) {
        Some(word) => word.parse().map_err(|_| format!("{word:?} is no number"))?,
        None => 1_000_000,
    };
    if rows < MACHINES_OF_SETS * SAMPLES_OF_SETS {
        return Err(format!("at least {} rows", MACHINES_OF_SETS * SAMPLES_OF_SETS));
    }
    samples(rows);
    println!();
    sets(rows);
    Ok(())
}

/// The first table: what a machine gets, of as many rows for each machine, where equal keys are told apart by machine and row.
/// It is the same for any keys, as only places in the order are drawn.
fn samples(rows: usize) {
    println!(
        "| rows sampled on each machine | {} |",
        MACHINES.map(|count| format!("{count} machines")).join(" | ")
    );
    println!("|---|{}", "---|".repeat(MACHINES.len()));
    let mut rng = Rng::new(1);
    for sample in SAMPLES {
        let cells = MACHINES.map(|machines| {
            let mut worst: Vec<f64> =
                (0..DRAWS).map(|_| unevenness(rows, machines, sample, &mut rng)).collect();
            worst.sort_by(f64::total_cmp);
            format!("{:.2} ({:.2})", worst[DRAWS / 2], worst[DRAWS - 1])
        });
        println!("| {sample} | {} |", cells.join(" | "));
    }
}

/// The fullest machine's rows over the mean, of one draw.
fn unevenness(rows: usize, machines: usize, sample: usize, rng: &mut Rng) -> f64 {
    let splitters = splitters(rows, machines, sample, rng);
    fullest(&ranges(&splitters, rows)) as f64 * machines as f64 / rows as f64
}

/// Places in the order at which a sample of rows of each machine cuts it.
fn splitters(rows: usize, machines: usize, sample: usize, rng: &mut Rng) -> Vec<usize> {
    let mut places: Vec<usize> = (0..machines * sample).map(|_| rng.below(rows)).collect();
    places.sort_unstable();
    (1..machines).map(|machine| places[machine * sample]).collect()
}

/// The second table: a line for each set.
fn sets(rows: usize) {
    println!(
        "| set | heaviest key | fullest by key | by key and row | its bytes | key | distinguishing | sent | sent / key |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for pattern in SETS {
        println!("{}", Shuffle::of(pattern, rows).line(pattern.name));
    }
    println!("{}", Shuffle::of(patterns::find("all_equal").unwrap_or(&SETS[0]), rows).line("all_equal"));
}

/// What became of one set's rows.
struct Shuffle {
    rows: usize,
    /// Rows that have the most frequent key.
    heaviest: usize,
    /// Rows of the fullest machine, where splitters are keys.
    fullest_by_key: usize,
    /// The same where they are keys and rows, and the bytes of the machine with the most of them.
    fullest: usize,
    fullest_bytes: usize,
    /// Bytes of all keys, those that tell them apart, and those that are sent.
    bytes: usize,
    distinguishing: u64,
    sent: usize,
}

impl Shuffle {
    /// Rows are on machines by turns, each sorts its own, and sends each range as a run that shares prefixes.
    fn of(pattern: &Pattern, rows: usize) -> Self {
        let keys = pattern.keys(rows, 1);
        let slices = keys.slices();
        let order: Vec<usize> = skipsort::sort_indices(&slices);
        let sorted: Vec<&[u8]> = order.iter().map(|&row| slices[row]).collect();
        let splitters = splitters(rows, MACHINES_OF_SETS, SAMPLES_OF_SETS, &mut Rng::new(2));
        let by_key: Vec<usize> =
            splitters.iter().map(|&place| sorted.partition_point(|key| *key < sorted[place])).collect();
        let bytes = |range: &std::ops::Range<usize>| sorted[range.clone()].iter().map(|key| key.len()).sum();
        let ranges = ranges(&splitters, rows);
        Self {
            rows,
            heaviest: sorted.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0),
            fullest_by_key: fullest(&self::ranges(&by_key, rows)),
            fullest: fullest(&ranges),
            fullest_bytes: ranges.iter().map(bytes).max().unwrap_or(0),
            bytes: bytes(&(0..rows)),
            distinguishing: skipsort_testkit::oracle::distinguishing_bytes(&sorted),
            sent: ranges.iter().map(|range| sent(&order[range.clone()], &sorted[range.clone()])).sum(),
        }
    }

    fn line(&self, name: &str) -> String {
        let (rows, machines) = (self.rows as f64, MACHINES_OF_SETS as f64);
        let per_row = |bytes: f64| bytes / rows;
        let of_mean = |part: usize, all: usize| part as f64 * machines / all as f64;
        format!(
            "| {name} | {:.2} % | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} | {:.2} |",
            100.0 * self.heaviest as f64 / rows,
            of_mean(self.fullest_by_key, self.rows),
            of_mean(self.fullest, self.rows),
            of_mean(self.fullest_bytes, self.bytes),
            per_row(self.bytes as f64),
            per_row(self.distinguishing as f64),
            per_row(self.sent as f64),
            self.sent as f64 / self.bytes as f64,
        )
    }
}

fn ranges(splitters: &[usize], rows: usize) -> Vec<std::ops::Range<usize>> {
    let mut start = 0;
    let ends = splitters.iter().copied().chain([rows]);
    ends.map(|end| std::mem::replace(&mut start, end)..end).collect()
}

fn fullest(ranges: &[std::ops::Range<usize>]) -> usize {
    ranges.iter().map(ExactSizeIterator::len).max().unwrap_or(0)
}

/// Bytes of one range from all machines: of each key the length of what it shares with the key before it in the same run, the length of the
/// rest, and the rest.
fn sent(order: &[usize], sorted: &[&[u8]]) -> usize {
    let mut last: BTreeMap<usize, &[u8]> = BTreeMap::new();
    let mut sent = 0;
    for (row, key) in order.iter().zip(sorted) {
        let before = last.insert(row % MACHINES_OF_SETS, key).unwrap_or_default();
        let shared = before.iter().zip(*key).take_while(|(a, b)| a == b).count();
        sent += varint(shared) + varint(key.len() - shared) + key.len() - shared;
    }
    sent
}

/// Bytes of a length, seven bits in each.
fn varint(length: usize) -> usize {
    (usize::BITS - length.leading_zeros()).max(1).div_ceil(7) as usize
}
