//! The column that the keys are, made from the keys: they are at hand when rows leave, and its other copy need not be kept.

use datafusion::arrow::array::{ArrayRef, make_array};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::expressions::Column;

use crate::direction::Direction;
use crate::prefetch::{self, AHEAD};
use crate::strings::Gathered;

/// A column that is made from the keys.
#[derive(Clone, Copy)]
pub(crate) struct KeyColumn {
    pub(crate) column: usize,
    pub(crate) direction: Direction,
}

/// The column that rows are sorted by, if it is one as it is, and of a type that is made here.
pub(crate) fn of(sort: &PhysicalSortExpr, direction: Direction, schema: &Schema) -> Option<KeyColumn> {
    let column = sort.expr.downcast_ref::<Column>()?.index();
    is_made(schema.field(column).data_type()).then_some(KeyColumn { column, direction })
}

/// The types of strings and bytes that are made of these.
pub(crate) fn is_made(of: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    matches!(of, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

/// An array of the values of keys that were made of arrays of this type.
pub(crate) fn array(of: &DataType, direction: Direction, keys: &[Option<&[u8]>]) -> Result<ArrayRef> {
    let bytes = keys.iter().flatten().map(|key| key.len()).sum();
    let mut gathered = Gathered::with_capacity(keys.len(), bytes);
    for (row, key) in keys.iter().enumerate() {
        if let Some(Some(next)) = keys.get(row + AHEAD) {
            prefetch::line(next);
        }
        gathered.push_with(|values| key.iter().for_each(|key| direction.read(key, values)));
    }
    let known =
        keys.iter().any(Option::is_none).then(|| keys.iter().map(Option::is_some).collect::<NullBuffer>());
    let array = gathered.array(of)?.into_builder().nulls(known);
    // SAFETY: an array of values that are whole ones of this type, with as many nulls as it has rows.
    Ok(make_array(unsafe { array.build_unchecked() }))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Array, AsArray};

    use super::*;

    #[test]
    fn every_type_has_its_keys() {
        let long = "a string that is longer than a view has room for";
        let keys: Vec<Option<&[u8]>> =
            ["b", "", long].iter().map(|key| Some(key.as_bytes())).chain([None]).collect();
        let strings = [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View];
        let binary = [DataType::Binary, DataType::LargeBinary, DataType::BinaryView];
        for of in strings.iter().chain(&binary) {
            let made = array(of, Direction::Ascending, &keys).unwrap();
            assert_eq!((made.data_type(), made.null_count()), (of, 1));
            let plain = datafusion::arrow::compute::cast(&made, &DataType::Binary).unwrap();
            assert!(plain.as_binary::<i32>().iter().eq(keys.iter().copied()), "{of}");
        }
    }
}
