//! How rows travel through files: each is its record (`records.rs`) behind its key; or, where columns have no place in a record,
//! encoded by arrow-row.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::Result;

use crate::keys::KeyMaker;

/// What the rows of a schema are in files.
pub(crate) enum Form {
    Records,
    Encoded(RowConverter, SchemaRef),
}

/// Rows on their way to a batch: payloads, each with its key behind it where a column is made from that.
#[derive(Default)]
pub(crate) struct Rows {
    text: Vec<u8>,
    /// Where payloads end.
    starts: Vec<usize>,
    /// Where keys end; none for a null.
    ends: Vec<Option<usize>>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }
}

impl Form {
    pub(crate) fn of(keys: &KeyMaker, schema: &SchemaRef) -> Result<Self> {
        Ok(match keys.layout.is_whole() {
            true => Form::Records,
            false => Form::Encoded(RowConverter::new(payload(schema))?, Arc::clone(schema)),
        })
    }

    /// One more row, as it comes back.
    pub(crate) fn take(&self, (key, payload): (&[u8], &[u8]), keys: &KeyMaker, rows: &mut Rows) {
        rows.text.extend_from_slice(payload);
        rows.starts.push(rows.text.len());
        if matches!(self, Form::Records) && keys.layout.has_key() {
            let value = keys.value(key);
            rows.text.extend_from_slice(value.unwrap_or_default());
            rows.ends.push(value.map(|_| rows.text.len()));
        }
    }

    /// The batch of rows.
    pub(crate) fn batch(&self, rows: &Rows, keys: &KeyMaker) -> Result<RecordBatch> {
        let Rows { text, starts, ends } = rows;
        let Form::Encoded(converter, schema) = self else {
            let value = |(&start, end): (&usize, &Option<usize>)| end.map(|end| &text[start..end]);
            let values: Vec<Option<&[u8]>> = starts.iter().zip(ends).map(value).collect();
            return keys.layout.batch(starts, text, &values, &[]);
        };
        let parser = converter.parser();
        let begins = std::iter::once(&0).chain(starts);
        let rows = begins.zip(starts).map(|(&begin, &end)| parser.parse(&text[begin..end]));
        let columns = converter.convert_rows(rows)?;
        let typed = |(column, field): (ArrayRef, &Arc<Field>)| {
            let same = column.data_type() == field.data_type();
            if same { Ok(column) } else { Ok(cast(&column, field.data_type())?) }
        };
        let columns = columns.into_iter().zip(schema.fields()).map(typed).collect::<Result<_>>()?;
        Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
    }
}

/// Whether a row's columns survive the way through a file: those of arrow-row do, but for dictionaries inside of others.
pub(crate) fn can_carry(schema: &Schema) -> bool {
    let plain = |of: &DataType| match of {
        DataType::Dictionary(_, values) => !values.is_nested(),
        of => !has_encoded(of),
    };
    !schema.fields().is_empty()
        && schema.fields().iter().all(|field| plain(field.data_type()))
        && RowConverter::supports_fields(&payload(schema))
}

/// Whether there is a dictionary, or runs, anywhere: arrow-row gives back their values.
fn has_encoded(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) | DataType::Union(..) | DataType::Map(..) => {
            true
        }
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _) => has_encoded(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_encoded(field.data_type())),
        _ => false,
    }
}

fn payload(schema: &Schema) -> Vec<SortField> {
    schema.fields().iter().map(|field| SortField::new(field.data_type().clone())).collect()
}
