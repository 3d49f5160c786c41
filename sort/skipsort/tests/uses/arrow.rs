//! Arrow arrays against a naive order of options.

use std::sync::Arc;

use arrow_array::*;
use arrow_row::{RowConverter, SortField};
use arrow_schema::{DataType, SortOptions};
use skipsort_testkit::patterns;

const ROWS: usize = 300;

/// Words, some of them null.
fn values() -> Vec<Option<String>> {
    let keys = patterns::find("words").expect("a pattern").keys(ROWS, 1);
    keys.iter()
        .enumerate()
        .map(|(at, key)| (at % 7 != 3).then(|| String::from_utf8_lossy(key).into()))
        .collect()
}

fn arrays() -> Vec<ArrayRef> {
    let values = values();
    let bytes = || values.iter().map(|value| value.as_ref().map(|value| value.as_bytes()));
    let padded: Vec<Option<[u8; 16]>> = bytes()
        .map(|value| value.map(|value| std::array::from_fn(|at| value.get(at).copied().unwrap_or(b' '))))
        .collect();
    vec![
        Arc::new(StringArray::from(values.clone())),
        Arc::new(LargeStringArray::from(values.clone())),
        Arc::new(StringViewArray::from_iter(values.clone())),
        Arc::new(BinaryArray::from_iter(bytes())),
        Arc::new(LargeBinaryArray::from_iter(bytes())),
        Arc::new(BinaryViewArray::from_iter(bytes())),
        Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(padded.into_iter(), 16).expect("16 bytes"),
        ),
    ]
}

#[test]
fn all_types_and_options() {
    let values = values();
    for array in arrays() {
        for (descending, nulls_first) in [(false, false), (false, true), (true, false), (true, true)] {
            for limit in [None, Some(0), Some(5), Some(250), Some(ROWS), Some(2 * ROWS)] {
                let options = SortOptions { descending, nulls_first };
                let got = skipsort::sort_array_to_indices(&array, options, limit).expect("a type of bytes");
                let got: Vec<Option<&String>> =
                    got.values().iter().map(|&row| values[row as usize].as_ref()).collect();
                assert_eq!(
                    got,
                    expected(&values, options, limit),
                    "{} {options:?} {limit:?}",
                    array.data_type()
                );
            }
        }
    }
}

fn expected(values: &[Option<String>], options: SortOptions, limit: Option<usize>) -> Vec<Option<&String>> {
    let mut some: Vec<Option<&String>> =
        values.iter().filter(|value| value.is_some()).map(Option::as_ref).collect();
    some.sort();
    if options.descending {
        some.reverse();
    }
    let nulls = vec![None; values.len() - some.len()];
    let mut all = if options.nulls_first { [nulls, some].concat() } else { [some, nulls].concat() };
    all.truncate(limit.unwrap_or(usize::MAX));
    all
}

#[test]
fn converted_rows() {
    let numbers: ArrayRef =
        Arc::new(Int32Array::from_iter((0..ROWS as i32).map(|n| (n % 5 != 0).then_some(n % 11))));
    let names: ArrayRef = Arc::new(StringArray::from(values()));
    let fields = vec![SortField::new(DataType::Int32), SortField::new(DataType::Utf8)];
    let converter = RowConverter::new(fields).expect("types that can be encoded");
    let rows = converter.convert_columns(&[numbers, names]).expect("columns of these types");
    let order = skipsort::sort_rows_to_indices(&rows, None);
    assert!(order.len() == ROWS && order.values().is_sorted_by_key(|&row| (rows.row(row as usize), row)));
    for limit in [0, 1, 40, ROWS - 1, ROWS + 1] {
        let first = skipsort::sort_rows_to_indices(&rows, Some(limit));
        assert_eq!(first.values()[..], order.values()[..limit.min(ROWS)]);
    }
}

/// A window on a longer array; equal values in the order of the rows, in either direction.
#[test]
fn slices_of_arrays_and_equal_values() {
    for array in arrays() {
        let window = array.slice(40, 200);
        let values = &values()[40..240];
        for descending in [false, true] {
            let options = SortOptions { descending, nulls_first: false };
            let order = |limit| skipsort::sort_array_to_indices(&window, options, limit).expect("bytes");
            let all = order(None);
            let mut expected: Vec<u32> = (0..200).filter(|row| values[*row as usize].is_some()).collect();
            let value = |row: &u32| values[*row as usize].as_ref();
            expected
                .sort_by(|a, b| if descending { value(b).cmp(&value(a)) } else { value(a).cmp(&value(b)) });
            assert_eq!(all.values()[..expected.len()], expected, "{}", array.data_type());
            assert_eq!(order(Some(60)).values()[..], expected[..60], "{}", array.data_type());
        }
    }
}

#[test]
fn other_types_are_refused() {
    let error = skipsort::sort_array_to_indices(&Int32Array::from(vec![1]), SortOptions::default(), None);
    assert!(error.expect_err("numbers are not bytes").to_string().contains("arrow-row"));
}
