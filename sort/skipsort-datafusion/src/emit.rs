//! Rows that fit into memory: their keys are sorted as far as batches are asked for, and columns are gathered last.
//!
//! ```text
//!   keys       of all batches, as slices        leftmost group first
//!   batches    (batch, row) of the next rows    gathered once, when they leave
//! ```

use datafusion::arrow::array::{RecordBatch, UInt32Array};
use datafusion::arrow::compute::{SortOptions, interleave_record_batch, take_record_batch};
use datafusion::common::Result;
use skipsort::{Scratch, Sorted, Sorter};

use crate::keys::Keys;

/// Bytes of memory that a row takes here: its slice, and the entries of the sort.
pub(crate) const ROW: usize = size_of::<&[u8]>() + 32;

/// Batches and their keys.
#[derive(Default)]
pub(crate) struct Buffer {
    pub(crate) batches: Vec<RecordBatch>,
    pub(crate) keys: Vec<Keys>,
    pub(crate) rows: usize,
}

impl Buffer {
    pub(crate) fn push(&mut self, batch: RecordBatch, keys: Keys) {
        self.rows += batch.num_rows();
        self.batches.push(batch);
        self.keys.push(keys);
    }

    /// Gives the first `most` rows in order to `take`, in batches of `size` rows, until it returns false.
    pub(crate) fn emit(
        &self,
        plain: Option<SortOptions>,
        most: usize,
        size: usize,
        take: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<()> {
        let mut slices: Vec<&[u8]> = Vec::with_capacity(self.rows);
        let (mut numbers, mut nulls, mut row) = (Vec::new(), Vec::new(), 0u32);
        for keys in &self.keys {
            keys.each(&mut |key| {
                match key {
                    Some(key) => {
                        slices.push(key);
                        if !nulls.is_empty() {
                            numbers.push(row);
                        }
                    }
                    None => {
                        if nulls.is_empty() {
                            numbers.extend(0..row);
                        }
                        nulls.push(row);
                    }
                }
                row = row.wrapping_add(1);
            });
        }
        let number = |slice: usize| if nulls.is_empty() { slice as u32 } else { numbers[slice] };
        let options = plain.unwrap_or(SortOptions { descending: false, nulls_first: true });
        let mut scratch = Scratch::new();
        let mut lazy;
        let mut whole;
        let sorted: &mut dyn Iterator<Item = u32> = if options.descending {
            let order: Vec<u32> = Sorter::new(&mut scratch).descending().indices(&slices);
            whole = order.into_iter().map(|slice| number(slice as usize));
            &mut whole
        } else {
            let mut rows = Sorted::new(&slices);
            lazy = std::iter::from_fn(move || rows.next_index()).map(number);
            &mut lazy
        };
        let unknown = nulls.iter().copied();
        if options.nulls_first {
            self.gather(&mut unknown.chain(sorted).take(most), size, take)
        } else {
            self.gather(&mut sorted.chain(unknown).take(most), size, take)
        }
    }

    /// Gathers the rows of these numbers.
    fn gather(
        &self,
        order: &mut dyn Iterator<Item = u32>,
        size: usize,
        take: &mut dyn FnMut(RecordBatch) -> bool,
    ) -> Result<()> {
        // Rows of one batch keep its dictionaries; those of several would have a copy of all of them in each batch that leaves.
        if let [batch] = &self.batches[..] {
            return gather_of_one(batch, order, size, take);
        }
        let batches: Vec<&RecordBatch> = self.batches.iter().collect();
        let places = Places::of(&self.batches);
        let mut rows = Vec::with_capacity(size.min(self.rows));
        loop {
            rows.clear();
            rows.extend((&mut *order).take(size).map(|row| places.of_row(row as usize)));
            if rows.is_empty() || !take(interleave_record_batch(&batches, &rows)?) {
                return Ok(());
            }
        }
    }
}

/// Gathers the rows of these numbers of a batch.
fn gather_of_one(
    batch: &RecordBatch,
    order: &mut dyn Iterator<Item = u32>,
    size: usize,
    take: &mut dyn FnMut(RecordBatch) -> bool,
) -> Result<()> {
    loop {
        let rows = UInt32Array::from_iter_values((&mut *order).take(size));
        if rows.is_empty() || !take(take_record_batch(batch, &rows)?) {
            return Ok(());
        }
    }
}

/// Rows of one guide: batches that are as long or longer are found at once.
const GUIDED: usize = 1 << 10;

/// Where the row of a number is.
struct Places {
    /// First row of each batch, and the end.
    starts: Vec<usize>,
    /// The batch of every 1,024th row.
    guide: Vec<u32>,
}

impl Places {
    fn of(batches: &[RecordBatch]) -> Self {
        let mut starts = vec![0];
        let mut guide = Vec::new();
        for (batch, of) in batches.iter().enumerate() {
            let end = starts[batch] + of.num_rows();
            while guide.len() * GUIDED < end {
                guide.push(batch as u32);
            }
            starts.push(end);
        }
        Places { starts, guide }
    }

    fn of_row(&self, row: usize) -> (usize, usize) {
        let mut batch = self.guide[row / GUIDED] as usize;
        while self.starts[batch + 1] <= row {
            batch += 1;
        }
        (batch, row - self.starts[batch])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::Int32Array;

    use super::*;

    #[test]
    fn rows_are_found_in_batches_of_any_length() {
        let lengths = [0, 1, 3000, 0, 7, 1024, 1];
        let column = |rows: i32| Arc::new(Int32Array::from_iter_values(0..rows)) as _;
        let batch = |rows| RecordBatch::try_from_iter([("n", column(rows))]).unwrap();
        let places = Places::of(&lengths.map(batch));
        let naive = lengths
            .iter()
            .enumerate()
            .flat_map(|(batch, &rows)| (0..rows as usize).map(move |row| (batch, row)));
        for (row, place) in naive.enumerate() {
            assert_eq!(places.of_row(row), place);
        }
    }
}
