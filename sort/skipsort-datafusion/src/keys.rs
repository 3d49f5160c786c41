//! The keys of a batch: a column of strings or bytes as it is, anything else encoded by arrow-row.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::arrow::row::{RowConverter, Rows, SortField};
use datafusion::common::Result;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};

/// Makes keys of batches.
pub(crate) struct KeyMaker {
    order: LexOrdering,
    converter: RowConverter,
    /// How to order the only column, where that is one of byte strings.
    pub(crate) plain: Option<SortOptions>,
}

/// The keys of a batch.
pub(crate) enum Keys {
    Plain(ArrayRef),
    Encoded(Rows),
}

impl KeyMaker {
    pub(crate) fn new(order: &LexOrdering, schema: &Schema) -> Result<Self> {
        let fields = fields(order, schema)?;
        let first = order.first();
        let plain = match order.len() {
            1 => first.expr.data_type(schema).is_ok_and(|of| is_bytes(&of)).then_some(first.options),
            _ => None,
        };
        Ok(KeyMaker { order: order.clone(), converter: RowConverter::new(fields)?, plain })
    }

    pub(crate) fn keys(&self, batch: &RecordBatch) -> Result<Keys> {
        match self.plain {
            Some(_) => Ok(Keys::Plain(columns(&self.order, batch)?.swap_remove(0))),
            None => Ok(Keys::Encoded(self.encoded(batch)?)),
        }
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

impl Keys {
    /// Bytes beyond those of the batch.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Keys::Plain(_) => 0,
            Keys::Encoded(rows) => rows.size(),
        }
    }

    /// Gives each row's key, or None for a null of a plain column.
    pub(crate) fn each<'a>(&'a self, take: &mut impl FnMut(Option<&'a [u8]>)) {
        match self {
            Keys::Plain(array) => each(array.as_ref(), take),
            Keys::Encoded(rows) => rows.iter().for_each(|row| take(Some(row.data()))),
        }
    }
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

fn each<'a>(array: &'a dyn Array, take: &mut impl FnMut(Option<&'a [u8]>)) {
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
