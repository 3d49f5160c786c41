//! Columns that stay in the batches in which they came: gathered by the numbers of their rows when a batch leaves.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array, make_array};
use datafusion::arrow::compute::{concat, interleave, take};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;

/// Rows of one guide: batches that are as long or longer are found at once.
const GUIDED: usize = 1 << 10;

/// Batches, whose rows are numbered one batch after the other.
pub(crate) struct Others<'b> {
    batches: &'b [RecordBatch],
    /// First row of each batch, and the end.
    starts: Vec<usize>,
    /// The batch of every 1,024th row.
    guide: Vec<u32>,
    columns: Vec<Column>,
}

/// How the rows of a column are found.
enum Column {
    /// In one array of all rows, which takes the fewest steps.
    Whole(ArrayRef),
    /// In dictionaries, all of which have these values.
    OfOneDictionary(ArrayRef),
    /// In the batches.
    Parts,
}

impl<'b> Others<'b> {
    /// Of batches, whose columns are put together if they are few.
    pub(crate) fn of(batches: &'b [RecordBatch], few: bool) -> Self {
        let mut starts = vec![0];
        let mut guide = Vec::new();
        for (batch, of) in batches.iter().enumerate() {
            let end = starts[batch] + of.num_rows();
            while guide.len() * GUIDED < end {
                guide.push(batch as u32);
            }
            starts.push(end);
        }
        let columns = batches.first().map_or(0, RecordBatch::num_columns);
        let columns = (0..columns).map(|column| Column::of(batches, column, few)).collect();
        Others { batches, starts, guide, columns }
    }

    /// The columns of the rows of these numbers.
    pub(crate) fn gather(&self, numbers: impl Iterator<Item = u32>) -> Result<Vec<ArrayRef>> {
        if self.columns.is_empty() {
            return Ok(Vec::new());
        }
        let numbers = UInt32Array::from_iter_values(numbers);
        let (mut rows, mut used) = (Vec::new(), Vec::new());
        if !self.columns.iter().all(|column| matches!(column, Column::Whole(_))) {
            rows = numbers.values().iter().map(|&row| self.place(row as usize)).collect();
            used = self.used(&mut rows);
        }
        let arrays = |column| used.iter().map(|batch| batch.column(column).as_ref()).collect::<Vec<_>>();
        let gathered = |(number, column): (usize, &Column)| match column {
            Column::Whole(all) => Ok(take(all, &numbers, None)?),
            Column::OfOneDictionary(values) => in_dictionary(&arrays(number), values, &rows),
            Column::Parts => match arrays(number)[..] {
                // Rows of one batch keep its dictionary.
                [array] => {
                    let rows = rows.iter().map(|(_, row)| *row as u32);
                    Ok(take(array, &UInt32Array::from_iter_values(rows), None)?)
                }
                ref arrays => Ok(interleave(arrays, &rows)?),
            },
        };
        self.columns.iter().enumerate().map(gathered).collect()
    }

    /// The batches that rows are in, by which rows are numbered then: arrow goes through the dictionaries of all that it is given.
    fn used(&self, rows: &mut [(usize, usize)]) -> Vec<&'b RecordBatch> {
        let (mut used, mut number) = (Vec::new(), vec![None; self.batches.len()]);
        for (batch, _) in rows {
            let of = *batch;
            *batch = *number[of].get_or_insert_with(|| {
                used.push(&self.batches[of]);
                used.len() - 1
            });
        }
        used
    }

    /// The batch of a row, and its number there.
    fn place(&self, row: usize) -> (usize, usize) {
        let mut batch = self.guide[row / GUIDED] as usize;
        while self.starts[batch + 1] <= row {
            batch += 1;
        }
        (batch, row - self.starts[batch])
    }
}

impl Column {
    fn of(batches: &[RecordBatch], column: usize, few: bool) -> Self {
        if let Some(values) = shared_values(batches, column) {
            return Column::OfOneDictionary(values);
        }
        let arrays: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(column).as_ref()).collect();
        let of_dictionaries = matches!(arrays[0].data_type(), DataType::Dictionary(..));
        // Offsets of 32 bits may not reach.
        let whole = if few && !of_dictionaries { concat(&arrays).ok() } else { None };
        whole.map_or(Column::Parts, Column::Whole)
    }
}

/// The values of the dictionary of a column, if it is one of dictionaries and all batches have the same: slices of a larger batch.
fn shared_values(batches: &[RecordBatch], column: usize) -> Option<ArrayRef> {
    let values = |batch: &'_ RecordBatch| -> Option<ArrayRef> {
        Some(batch.column(column).as_any_dictionary_opt()?.values().clone())
    };
    let first = values(&batches[0])?;
    let data = first.to_data();
    let same = |batch| values(batch).is_some_and(|values| values.to_data().ptr_eq(&data));
    batches.iter().all(same).then_some(first)
}

/// Rows of arrays with one dictionary. Arrow would put its values behind each other, once for each array.
fn in_dictionary(arrays: &[&dyn Array], values: &ArrayRef, rows: &[(usize, usize)]) -> Result<ArrayRef> {
    let keys: Vec<&dyn Array> = arrays.iter().map(|array| array.as_any_dictionary().keys()).collect();
    let keys = interleave(&keys, rows)?.to_data().into_builder();
    let array = keys.data_type(arrays[0].data_type().clone()).add_child_data(values.to_data());
    // SAFETY: each key is one of an array of this type that has these values.
    Ok(make_array(unsafe { array.build_unchecked() }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{DictionaryArray, Int32Array, StringArray};
    use datafusion::arrow::compute::concat_batches;
    use datafusion::arrow::datatypes::Int32Type;

    use super::*;

    #[test]
    fn rows_are_found_in_batches_of_any_length() {
        let lengths = [0, 1, 3000, 0, 7, 1024, 1];
        let column = |rows: i32| Arc::new(Int32Array::from_iter_values(0..rows)) as _;
        let batches = lengths.map(|rows| RecordBatch::try_from_iter([("n", column(rows))]).unwrap());
        let others = Others::of(&batches, false);
        let naive = lengths
            .iter()
            .enumerate()
            .flat_map(|(batch, &rows)| (0..rows as usize).map(move |row| (batch, row)));
        for (row, place) in naive.enumerate() {
            assert_eq!(others.place(row), place);
        }
    }

    #[test]
    fn slices_of_a_batch_keep_its_dictionary() {
        let words: Vec<String> = (0..100).map(|n| format!("word {n}")).collect();
        let keys = Int32Array::from_iter((0..100).map(|n| (n % 7 > 0).then_some(99 - n)));
        let words = Arc::new(StringArray::from(words));
        let array: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, words.clone()));
        let whole = RecordBatch::try_from_iter([("d", array)]).unwrap();
        let slices: Vec<RecordBatch> = (0..10).map(|n| whole.slice(n * 10, 10)).collect();
        let others = Others::of(&slices, false);
        for numbers in [vec![99, 0, 55, 14, 14], vec![33, 31]] {
            let columns = others.gather(numbers.iter().copied()).unwrap();
            let expected = take(whole.column(0), &UInt32Array::from(numbers), None).unwrap();
            assert_eq!(&columns[0], &expected);
            assert_eq!(columns[0].as_any_dictionary().values().len(), 100);
        }
    }

    #[test]
    fn columns_of_few_rows_are_the_same() {
        let batch = |from: i32, rows| {
            let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(from..from + rows));
            let words = (0..rows).map(|n| (n % 3 > 0).then(|| format!("word {n}")));
            let words: ArrayRef = Arc::new(words.collect::<StringArray>());
            RecordBatch::try_from_iter_with_nullable([("n", numbers, true), ("s", words, true)]).unwrap()
        };
        let batches = [batch(0, 100), batch(7, 1), batch(1000, 2000)];
        let gather = |few| Others::of(&batches, few).gather([2100, 100, 5, 3, 100].into_iter()).unwrap();
        assert_eq!(gather(false), gather(true));
        let numbers = gather(true)[0].as_primitive::<Int32Type>().values().to_vec();
        assert_eq!(numbers, [2999, 7, 5, 3, 7]);
    }

    #[test]
    fn dictionaries_of_batches_become_one() {
        let batch = |words: &[&str]| {
            let array: ArrayRef = Arc::new(words.iter().copied().collect::<DictionaryArray<Int32Type>>());
            RecordBatch::try_from_iter([("d", array)]).unwrap()
        };
        let batches = [batch(&["a", "b", "a"]), batch(&["b", "c"]), batch(&["d", "e", "f", "g"])];
        let all = concat_batches(&batches[0].schema(), &batches).unwrap();
        let columns = Others::of(&batches, false).gather([4, 0, 3].into_iter()).unwrap();
        let strings = |array: &dyn Array| -> Vec<String> {
            let array = array.as_dictionary::<Int32Type>().downcast_dict::<StringArray>().unwrap();
            array.into_iter().map(|word| word.unwrap().to_string()).collect()
        };
        let expected = take(all.column(0), &UInt32Array::from(vec![4, 0, 3]), None).unwrap();
        assert_eq!(strings(&columns[0]), strings(&expected));
        // What no row has is not there.
        assert!(columns[0].as_any_dictionary().values().len() <= 3, "{columns:?}");
    }
}
