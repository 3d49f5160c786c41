//! The keys of a batch: a column of strings or bytes as it is, anything else encoded by arrow-row.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, LargeBinaryArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::arrow::row::{RowConverter, Rows, SortField};
use datafusion::common::{Result, internal_err};
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};

use crate::direction::{Direction, Sink};
use crate::key_column;
use crate::records::Layout;

/// Makes keys of batches.
pub(crate) struct KeyMaker {
    order: LexOrdering,
    converter: RowConverter,
    /// How values are keys, where the only column is one of byte strings.
    plain: Option<Direction>,
    /// What stands before the keys of such a column, if it may be null: of a null, and of a value.
    marks: Option<[u8; 2]>,
    pub(crate) layout: Layout,
}

impl KeyMaker {
    /// Of rows that are in memory as records.
    pub(crate) fn new(order: &LexOrdering, schema: &SchemaRef) -> Result<Self> {
        let first = order.first();
        let plain = plain(order, schema)?;
        let key = plain.and_then(|direction| key_column::of(first, direction, schema));
        KeyMaker::with(order, schema, Layout::of(schema, key))
    }

    /// The same keys, of rows that stay in their batches.
    pub(crate) fn beside_batches(order: &LexOrdering, schema: &SchemaRef) -> Result<Self> {
        KeyMaker::with(order, schema, Layout::in_batches(schema))
    }

    fn with(order: &LexOrdering, schema: &SchemaRef, layout: Layout) -> Result<Self> {
        let fields = fields(order, schema)?;
        let first = order.first();
        let plain = plain(order, schema)?;
        let marks = if first.options.nulls_first { [0, 1] } else { [1, 0] };
        let marks = if plain.is_some() && first.expr.nullable(schema)? { Some(marks) } else { None };
        Ok(KeyMaker { order: order.clone(), converter: RowConverter::new(fields)?, plain, marks, layout })
    }

    /// Writes what a row of the sort is: of a value of an array of keys, or a null.
    #[inline(always)]
    pub(crate) fn write(&self, value: Option<&[u8]>, row: &mut impl Sink) {
        if let Some(marks) = self.marks {
            row.plain(&[marks[usize::from(value.is_some())]]);
        }
        match (value, self.plain) {
            (Some(value), Some(direction)) => direction.write(value, row),
            (Some(value), None) => row.plain(value),
            (None, _) => {}
        }
    }

    /// What a row of the sort has of the value that it was made of, where a column is made of them; none of a null.
    pub(crate) fn value<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        match (self.marks, key) {
            (Some([null, _]), [mark, value @ ..]) => (*mark != null).then_some(value),
            _ => Some(key),
        }
    }

    /// Bytes of what rows of the sort are.
    pub(crate) fn bytes(&self, keys: &dyn Array) -> usize {
        let mut bytes = if self.marks.is_some() { keys.len() } else { 0 };
        let direction = self.plain.unwrap_or(Direction::Ascending);
        each(keys, &mut |key| bytes += key.map_or(0, |key| direction.len(key)));
        bytes
    }

    /// An array of byte strings, one for each row: nulls are those of a plain column.
    pub(crate) fn keys(&self, batch: &RecordBatch) -> Result<ArrayRef> {
        if self.plain.is_some() {
            let values = columns(&self.order, batch)?.swap_remove(0);
            if self.marks.is_none() && values.logical_null_count() > 0 {
                return internal_err!("{} is null, and was said never to be", self.order);
            }
            return Ok(values);
        }
        let rows = self.encoded(batch)?;
        if rows.size() > i32::MAX as usize {
            return Ok(Arc::new(LargeBinaryArray::from_iter_values(rows.iter().map(|row| row.data()))));
        }
        Ok(Arc::new(rows.try_into_binary()?))
    }

    /// Keys whose order is that of their bytes.
    pub(crate) fn encoded(&self, batch: &RecordBatch) -> Result<Rows> {
        Ok(self.converter.convert_columns(&columns(&self.order, batch)?)?)
    }
}

/// The columns by which a batch is sorted.
pub(crate) fn columns(order: &[PhysicalSortExpr], batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
    let rows = batch.num_rows();
    order.iter().map(|sort| sort.expr.evaluate(batch)?.into_array(rows)).collect()
}

/// What arrow-row is to encode for the order.
pub(crate) fn fields(order: &[PhysicalSortExpr], schema: &Schema) -> Result<Vec<SortField>> {
    let field = |of, options| SortField::new_with_options(of, options);
    order.iter().map(|sort| Ok(field(sort.expr.data_type(schema)?, sort.options))).collect()
}

/// How values are keys, if the only column is one of byte strings.
fn plain(order: &LexOrdering, schema: &SchemaRef) -> Result<Option<Direction>> {
    let first = order.first();
    let of = first.expr.data_type(schema)?;
    let is_plain = order.len() == 1 && is_bytes(&of);
    Ok(is_plain.then(|| Direction::of(first.options.descending, &of)))
}

fn is_bytes(of: &DataType) -> bool {
    match of {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            true
        }
        DataType::Dictionary(_, values) => is_bytes(values),
        _ => false,
    }
}

/// Gives each row's key, or None for a null.
pub(crate) fn each<'a>(array: &'a dyn Array, take: &mut impl FnMut(Option<&'a [u8]>)) {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(|v| take(v.map(str::as_bytes))),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(|v| take(v.map(str::as_bytes))),
        DataType::Utf8View => array.as_string_view().iter().for_each(|v| take(v.map(str::as_bytes))),
        DataType::Binary => array.as_binary::<i32>().iter().for_each(take),
        DataType::LargeBinary => array.as_binary::<i64>().iter().for_each(take),
        DataType::BinaryView => array.as_binary_view().iter().for_each(take),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().iter().for_each(take),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let mut values = Vec::with_capacity(dictionary.values().len());
            each_value(dictionary.values().as_ref(), &mut values);
            let keys = if values.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
            for (row, key) in keys.into_iter().enumerate() {
                take(if dictionary.keys().is_null(row) { None } else { values[key] });
            }
        }
        other => unreachable!("{other} is not one of `is_bytes`"),
    }
}

/// The values of a dictionary, which may itself be one of dictionaries.
fn each_value<'a>(array: &'a dyn Array, values: &mut Vec<Option<&'a [u8]>>) {
    let mut take: Box<dyn FnMut(Option<&'a [u8]>) + '_> = Box::new(|value| values.push(value));
    each_boxed(array, &mut take);
}

/// `each` for one kind of closure, so that the recursion of dictionaries has an end for the compiler.
fn each_boxed<'a>(array: &'a dyn Array, take: &mut Box<dyn FnMut(Option<&'a [u8]>) + '_>) {
    each(array, take);
}
