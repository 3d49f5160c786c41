//! The rows, as sysbench makes them, from a seed. `k` is uniform in 1..=rows. `c` is ten groups of eleven digits joined
//! by `-`, `pad` five.
//!
//! ```text
//!   id │ k      │ c (119 characters)                    │ pad (59 characters)
//!   ───┼────────┼───────────────────────────────────────┼──────────────────────────
//!    1 │ 41187  │ 68487932199-96439406143-…-58573651231 │ 67847967377-…-22195207048
//! ```

use humdrum_contract::RowSource;

use humdrum_contract::Random;

/// Rows of one table in the order of ids, which the server assigns.
pub(crate) struct Rows {
    seed: u64,
    rows: u64,
    next: u64,
    /// Called every `TELL_EVERY` rows with the number of rows done.
    tell: Box<dyn FnMut(u64) -> bool>,
    /// Whether `tell` asked to stop.
    pub(crate) stopped: bool,
}

/// Groups in column `c`.
pub(crate) const C_GROUPS: usize = 10;
/// Groups in column `pad`.
pub(crate) const PAD_GROUPS: usize = 5;

/// Columns that `Rows` fills.
pub(crate) const COLUMNS: [&str; 3] = ["k", "c", "pad"];

const TELL_EVERY: u64 = 16 * 1024;

impl Rows {
    /// The rows of table `table` (from 0). `tell` gets the progress and returns false to stop.
    pub(crate) fn new(seed: u64, table: u64, rows: u64, tell: Box<dyn FnMut(u64) -> bool>) -> Self {
        Self { seed: Random::of(seed, table).next(), rows, next: 0, tell, stopped: false }
    }
}

impl RowSource for Rows {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        if self.next.is_multiple_of(TELL_EVERY) && !(self.tell)(self.next) {
            self.stopped = true;
        }
        if self.next == self.rows || self.stopped {
            return false;
        }
        let mut random = Random::of(self.seed, self.next);
        row.extend_from_slice(random.id(self.rows).to_string().as_bytes());
        row.push(b'\t');
        push_groups(C_GROUPS, &mut random, row);
        row.push(b'\t');
        push_groups(PAD_GROUPS, &mut random, row);
        self.next += 1;
        true
    }
}

/// Replaces `text` by groups of digits.
pub(crate) fn fill(text: &mut String, groups: usize, random: &mut Random) {
    let mut bytes = std::mem::take(text).into_bytes();
    bytes.clear();
    push_groups(groups, random, &mut bytes);
    // Digits and dashes are UTF-8. The check takes a fraction of a microsecond, and the buffer is kept.
    *text = String::from_utf8(bytes).unwrap_or_default();
}

/// Groups of eleven digits, joined by `-`.
pub(crate) fn push_groups(groups: usize, random: &mut Random, out: &mut Vec<u8>) {
    for group in 0..groups {
        if group > 0 {
            out.push(b'-');
        }
        let mut digits = random.below(100_000_000_000);
        let start = out.len();
        out.extend_from_slice(b"00000000000");
        for place in (start..start + 11).rev() {
            out[place] = b'0' + (digits % 10) as u8;
            digits /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(seed: u64, rows: u64) -> Vec<String> {
        let mut source = Rows::new(seed, 0, rows, Box::new(|_| true));
        let mut text = Vec::new();
        let mut row = Vec::new();
        while source.next_row(&mut row) {
            text.push(String::from_utf8(std::mem::take(&mut row)).expect("ascii"));
        }
        text
    }

    #[test]
    fn have_the_shape_of_sysbench() {
        for row in all(1, 100) {
            let columns: Vec<&str> = row.split('\t').collect();
            assert_eq!(columns.len(), 3);
            assert!((1..=100).contains(&columns[0].parse::<u64>().expect("k")));
            assert_eq!((columns[1].len(), columns[1].matches('-').count()), (119, 9));
            assert_eq!((columns[2].len(), columns[2].matches('-').count()), (59, 4));
        }
    }

    #[test]
    fn depend_on_the_seed_alone() {
        assert_eq!(all(5, 50), all(5, 50));
        assert_ne!(all(5, 50), all(6, 50));
    }

    #[test]
    fn values_have_the_shape_of_the_loaded_ones() {
        let (mut c, mut random) = (String::from("old"), Random::new(1));
        fill(&mut c, C_GROUPS, &mut random);
        assert_eq!((c.len(), c.matches('-').count()), (119, 9));
    }

    #[test]
    fn stop_when_told() {
        let mut source = Rows::new(1, 0, 1_000_000, Box::new(|done| done == 0));
        let mut row = Vec::new();
        let mut rows = 0;
        while source.next_row(&mut row) {
            rows += 1;
        }
        assert!(source.stopped && rows < 1_000_000);
    }
}
