//! The column that the keys are, made from the keys: they are at hand when rows leave, and its other copy need not be kept.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BinaryViewArray, GenericBinaryArray, GenericStringArray, OffsetSizeTrait, StringViewArray,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::arrow::error::ArrowError;
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::expressions::Column;

use crate::prefetch::{self, AHEAD};

/// The column that rows are sorted by, if it is one as it is, and of a type that is made here.
pub(crate) fn of(sort: &PhysicalSortExpr, schema: &Schema) -> Option<usize> {
    let index = sort.expr.downcast_ref::<Column>()?.index();
    is_made(schema.field(index).data_type()).then_some(index)
}

/// The types of strings and bytes that are made of these.
pub(crate) fn is_made(of: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    matches!(of, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
}

/// An array of keys that come from arrays of this type.
pub(crate) fn array(of: &DataType, keys: &[Option<&[u8]>]) -> Result<ArrayRef> {
    Ok(match of {
        DataType::Utf8 => Arc::new(strings::<i32>(keys)?),
        DataType::LargeUtf8 => Arc::new(strings::<i64>(keys)?),
        DataType::Utf8View => Arc::new(StringViewArray::from(&strings::<i32>(keys)?)),
        DataType::LargeBinary => Arc::new(bytes::<i64>(keys)?),
        DataType::BinaryView => Arc::new(BinaryViewArray::from(&bytes::<i32>(keys)?)),
        _ => Arc::new(bytes::<i32>(keys)?),
    })
}

fn strings<O: OffsetSizeTrait>(keys: &[Option<&[u8]>]) -> Result<GenericStringArray<O>> {
    let (offsets, values, nulls) = bytes::<O>(keys)?.into_parts();
    // SAFETY: each key is a whole value of an array of strings.
    Ok(unsafe { GenericStringArray::new_unchecked(offsets, values, nulls) })
}

fn bytes<O: OffsetSizeTrait>(keys: &[Option<&[u8]>]) -> Result<GenericBinaryArray<O>> {
    let mut offsets = Vec::with_capacity(keys.len() + 1);
    let mut end = 0;
    offsets.push(O::default());
    for key in keys {
        end += key.map_or(0, <[u8]>::len);
        offsets.push(O::from_usize(end).ok_or(ArrowError::OffsetOverflowError(end))?);
    }
    let mut values = Vec::with_capacity(end);
    for (row, key) in keys.iter().enumerate() {
        if let Some(Some(next)) = keys.get(row + AHEAD) {
            prefetch::line(next);
        }
        values.extend_from_slice(key.unwrap_or_default());
    }
    let known =
        keys.iter().any(Option::is_none).then(|| keys.iter().map(Option::is_some).collect::<NullBuffer>());
    Ok(GenericBinaryArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), values.into(), known)?)
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
            let made = array(of, &keys).unwrap();
            assert_eq!((made.data_type(), made.null_count()), (of, 1));
            let plain = datafusion::arrow::compute::cast(&made, &DataType::Binary).unwrap();
            assert!(plain.as_binary::<i32>().iter().eq(keys.iter().copied()), "{of}");
        }
    }
}
