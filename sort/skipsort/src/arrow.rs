//! Arrow arrays and arrow-row `Rows` to indices (feature `arrow`).
//!
//! ```text
//!   array     "pear"  null  "apple"  "fig"        nulls are set aside, keys are sorted as slices
//!   indices      2      3      0       1          nulls last; nulls first: 1 2 3 0
//! ```
//!
//! The result is what Arrow's `sort_to_indices` gives, but for the order of equal values, which there
//! is not defined and here is that of the rows. Beside the 32 bytes per
//! row of the sort itself, this takes 20 for slices and row numbers.

use alloc::vec::Vec;
use core::fmt;

use arrow_array::cast::AsArray;
use arrow_array::{Array, UInt32Array};
use arrow_row::Rows;
use arrow_schema::{DataType, SortOptions};

use crate::memory::Scratch;
use crate::sorter::Sorter;
use crate::top_k::top_k_indices;

/// The array's type is not one of byte strings.
///
/// ```
/// let numbers = arrow_array::Int32Array::from(vec![2, 1]);
/// let error = skipsort::sort_array_to_indices(&numbers, Default::default(), None).unwrap_err();
/// assert_eq!(error.0, arrow_schema::DataType::Int32);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedType(pub DataType);

impl fmt::Display for UnsupportedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot sort {} by bytes; encode it with arrow-row and sort the Rows", self.0)
    }
}

impl core::error::Error for UnsupportedType {}

/// Row numbers of a Binary, LargeBinary, Utf8, LargeUtf8, BinaryView, Utf8View or FixedSizeBinary array
/// in order; with a limit, the first of them, which in ascending order takes less time than all.
///
/// ```
/// let names = arrow_array::StringArray::from(vec![Some("pear"), None, Some("apple")]);
/// let order = skipsort::sort_array_to_indices(&names, Default::default(), Some(2)).unwrap();
/// assert_eq!(order.values()[..], [1, 2]); // nulls first, as Arrow's options say if nothing else is said
/// ```
///
/// # Errors
/// For other types.
///
/// # Panics
/// With more than 2^32 rows.
pub fn sort_array_to_indices(
    array: &dyn Array,
    options: SortOptions,
    limit: Option<usize>,
) -> Result<UInt32Array, UnsupportedType> {
    let keys = Keys::of(array)?;
    let limit = limit.unwrap_or(array.len()).min(array.len());
    let nulls = keys.nulls.len().min(if options.nulls_first { limit } else { array.len() });
    let wanted = if options.nulls_first { limit - nulls } else { limit };
    let mut order = keys.order(options.descending, wanted);
    if options.nulls_first {
        order.splice(..0, keys.nulls[..nulls].iter().copied());
    } else {
        order.extend(&keys.nulls);
        order.truncate(limit);
    }
    Ok(UInt32Array::from(order))
}

/// Row numbers of arrow-row `Rows` in order, equal rows in theirs; with a limit, the first of them. The encoding holds
/// the options.
///
/// ```
/// use std::sync::Arc;
/// let converter = arrow_row::RowConverter::new(vec![arrow_row::SortField::new(arrow_schema::DataType::Int32)]).unwrap();
/// let rows = converter.convert_columns(&[Arc::new(arrow_array::Int32Array::from(vec![3, -1, 2])) as _]).unwrap();
/// assert_eq!(skipsort::sort_rows_to_indices(&rows, None).values()[..], [1, 2, 0]);
/// ```
///
/// # Panics
/// With more than 2^32 rows.
pub fn sort_rows_to_indices(rows: &Rows, limit: Option<usize>) -> UInt32Array {
    let slices: Vec<&[u8]> = rows.iter().map(|row| row.data()).collect();
    UInt32Array::from(first(&slices, limit.unwrap_or(slices.len()), false))
}

/// Numbers of the first `wanted` slices in order, equal ones in theirs.
fn first(slices: &[&[u8]], wanted: usize, descending: bool) -> Vec<u32> {
    let mut scratch = Scratch::new();
    let sorter = Sorter::new(&mut scratch);
    if wanted < slices.len() && !descending {
        let narrow = |slice| u32::try_from(slice).expect("at most 2^32 rows");
        return top_k_indices(slices, wanted).into_iter().map(narrow).collect();
    }
    let mut order = if descending { sorter.descending() } else { sorter }.indices(slices);
    order.truncate(wanted);
    order
}

/// Values as slices, and where they come from.
struct Keys<'a> {
    slices: Vec<&'a [u8]>,
    /// Row numbers of the slices, if there are nulls between them.
    numbers: Vec<u32>,
    nulls: Vec<u32>,
}

impl<'a> Keys<'a> {
    fn of(array: &'a dyn Array) -> Result<Self, UnsupportedType> {
        Ok(match array.data_type() {
            DataType::Binary => Keys::collect(array.as_binary::<i32>().iter()),
            DataType::LargeBinary => Keys::collect(array.as_binary::<i64>().iter()),
            DataType::BinaryView => Keys::collect(array.as_binary_view().iter()),
            DataType::FixedSizeBinary(_) => Keys::collect(array.as_fixed_size_binary().iter()),
            DataType::Utf8 => Keys::collect(array.as_string::<i32>().iter().map(|v| v.map(str::as_bytes))),
            DataType::LargeUtf8 => {
                Keys::collect(array.as_string::<i64>().iter().map(|v| v.map(str::as_bytes)))
            }
            DataType::Utf8View => Keys::collect(array.as_string_view().iter().map(|v| v.map(str::as_bytes))),
            other => return Err(UnsupportedType(other.clone())),
        })
    }

    fn collect(values: impl Iterator<Item = Option<&'a [u8]>>) -> Self {
        let mut keys =
            Keys { slices: Vec::with_capacity(values.size_hint().0), numbers: Vec::new(), nulls: Vec::new() };
        for (row, value) in values.enumerate() {
            let row = u32::try_from(row).expect("at most 2^32 rows");
            let Some(value) = value else {
                if keys.nulls.is_empty() {
                    keys.numbers.extend(0..row);
                }
                keys.nulls.push(row);
                continue;
            };
            keys.slices.push(value);
            if !keys.nulls.is_empty() {
                keys.numbers.push(row);
            }
        }
        keys
    }

    /// Row numbers of the first `wanted` values.
    fn order(&self, descending: bool, wanted: usize) -> Vec<u32> {
        let mut order = first(&self.slices, wanted, descending);
        if !self.nulls.is_empty() {
            order.iter_mut().for_each(|slice| *slice = self.numbers[*slice as usize]);
        }
        order
    }
}
