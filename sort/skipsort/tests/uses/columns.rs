//! Keys of several columns are those of arrow-row, byte for byte.

use std::sync::Arc;

use arrow_array::*;
use arrow_row::{RowConverter, SortField};
use arrow_schema::SortOptions;
use skipsort::{Bytes, ColumnOrder, KeyBuilder};

/// Text of all lengths around the ends of blocks.
fn text(row: usize) -> Option<String> {
    let lengths = [0, 1, 7, 8, 9, 16, 31, 32, 33, 39, 40, 63, 64, 65, 96, 97, 200];
    (!row.is_multiple_of(11)).then(|| "zyxwv".chars().cycle().skip(row % 5).take(lengths[row % 17]).collect())
}

fn integer(row: usize) -> Option<i32> {
    [Some(0), None, Some(i32::MIN), Some(-1), Some(i32::MAX), Some(7)][row % 6]
}

fn float(row: usize) -> Option<f64> {
    [Some(0.0), Some(-0.0), Some(-1.5), Some(f64::NAN), Some(f64::INFINITY), None, Some(f64::MIN)][row % 7]
}

#[test]
fn the_bytes_are_those_of_arrow_row() {
    const ROWS: usize = 300;
    let columns: [ArrayRef; 6] = [
        Arc::new(StringArray::from_iter((0..ROWS).map(text))),
        Arc::new(Int32Array::from_iter((0..ROWS).map(integer))),
        Arc::new(Float64Array::from_iter((0..ROWS).map(float))),
        Arc::new(BooleanArray::from_iter((0..ROWS).map(|row| [Some(true), None, Some(false)][row % 3]))),
        Arc::new(UInt8Array::from_iter((0..ROWS).map(|row| Some(row as u8)))),
        Arc::new(BinaryArray::from_iter((0..ROWS).map(text))),
    ];
    for (descending, nulls_first) in [(false, false), (false, true), (true, false), (true, true)] {
        let options = SortOptions { descending, nulls_first };
        let field = |column: &ArrayRef| SortField::new_with_options(column.data_type().clone(), options);
        let converter = RowConverter::new(columns.iter().map(field).collect()).expect("types it has");
        let theirs = converter.convert_columns(&columns).expect("columns of these types");
        let order = ColumnOrder { descending, nulls_first };
        for row in 0..ROWS {
            let text = text(row);
            let ours = KeyBuilder::new()
                .column(text.as_deref(), order)
                .column(integer(row), order)
                .column(float(row), order)
                .column([Some(true), None, Some(false)][row % 3], order)
                .column(Some(row as u8), order)
                .column(text.as_ref().map(|text| text.as_bytes()), order);
            assert_eq!(ours.bytes(), theirs.row(row).data(), "row {row}, {options:?}");
        }
    }
}
