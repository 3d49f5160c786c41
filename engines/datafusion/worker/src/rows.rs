//! The table's rows as batches, and batches as rows.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Builder, RecordBatch, StringViewBuilder, TimestampMicrosecondBuilder,
};
use datafusion::arrow::datatypes::{
    DataType, Field, Int64Type, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType,
};
use datafusion::error::Result;
use humdrum_contract::OrderColumn;
use humdrum_engine_worker::orderby::{Row, Value};

/// Rows of a batch: what DataFusion's own readers give.
const BATCH_ROWS: usize = 8192;

/// Texts are views, as DataFusion's readers of files give them.
fn data_type(column: OrderColumn) -> DataType {
    match column {
        OrderColumn::Seen => DataType::Timestamp(TimeUnit::Microsecond, None),
        column if column.is_text() => DataType::Utf8View,
        _ => DataType::Int64,
    }
}

/// The table's columns, none of which has nulls.
pub(crate) fn schema() -> SchemaRef {
    let field = |column: OrderColumn| Field::new(column.name(), data_type(column), false);
    Arc::new(Schema::new(OrderColumn::ALL.map(field).to_vec()))
}

enum Builder {
    Integer(Int64Builder),
    Timestamp(TimestampMicrosecondBuilder),
    Text(StringViewBuilder),
}

impl Builder {
    fn new(column: OrderColumn) -> Self {
        match column {
            OrderColumn::Seen => Self::Timestamp(TimestampMicrosecondBuilder::with_capacity(BATCH_ROWS)),
            column if column.is_text() => Self::Text(StringViewBuilder::with_capacity(BATCH_ROWS)),
            _ => Self::Integer(Int64Builder::with_capacity(BATCH_ROWS)),
        }
    }

    fn add(&mut self, value: Value<'_>) {
        match (self, value) {
            (Self::Integer(builder), Value::Integer(number)) => builder.append_value(number),
            (Self::Timestamp(builder), Value::Integer(number)) => builder.append_value(number),
            (Self::Text(builder), Value::Text(text)) => builder.append_value(String::from_utf8_lossy(text)),
            (_, value) => unreachable!("{value:?} is not of its column's type"),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(builder) => Arc::new(builder.finish()),
            Self::Timestamp(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Batches of rows that come one after the other.
pub(crate) struct Batches {
    builders: Vec<Builder>,
    rows: usize,
    done: Vec<RecordBatch>,
}

impl Batches {
    pub(crate) fn new() -> Self {
        let builders = OrderColumn::ALL.map(Builder::new).into_iter().collect();
        Self { builders, rows: 0, done: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: &Row) -> Result<()> {
        for (builder, column) in self.builders.iter_mut().zip(OrderColumn::ALL) {
            builder.add(row.value(column));
        }
        self.rows += 1;
        if self.rows == BATCH_ROWS { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<()> {
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        self.done.push(RecordBatch::try_new(schema(), columns)?);
        self.rows = 0;
        Ok(())
    }

    /// All batches.
    pub(crate) fn finish(mut self) -> Result<Vec<RecordBatch>> {
        if self.rows > 0 {
            self.close()?;
        }
        Ok(self.done)
    }
}

/// Gives each row of a batch to `take`.
///
/// # Errors
/// The first of `take`; a column of another type than those of the table.
pub(crate) fn each(
    batch: &RecordBatch,
    mut take: impl FnMut(&[Value<'_>]) -> std::result::Result<(), String>,
) -> std::result::Result<(), String> {
    let mut values = Vec::with_capacity(batch.num_columns());
    for row in 0..batch.num_rows() {
        values.clear();
        for column in batch.columns() {
            values.push(value(column, row)?);
        }
        take(&values)?;
    }
    Ok(())
}

fn value(column: &ArrayRef, row: usize) -> std::result::Result<Value<'_>, String> {
    Ok(match column.data_type() {
        DataType::Int64 => Value::Integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            Value::Integer(column.as_primitive::<TimestampMicrosecondType>().value(row))
        }
        DataType::Utf8View => Value::Text(column.as_string_view().value(row).as_bytes()),
        DataType::Utf8 => Value::Text(column.as_string::<i32>().value(row).as_bytes()),
        other => return Err(format!("a column came back as {other}")),
    })
}

#[cfg(test)]
mod tests {
    use humdrum_contract::OrderTable;
    use humdrum_engine_worker::orderby::Table;

    use super::*;

    #[test]
    fn batches_have_all_rows_in_their_order() {
        let table = Table::new(OrderTable { rows: 9_000, seed: 1 });
        let mut batches = Batches::new();
        let mut expected = Vec::new();
        let made = table.each(|row| {
            expected.push(format!("{:?}", OrderColumn::ALL.map(|column| row.value(column))));
            batches.add(row)
        });
        assert_eq!(made.map(|made| made.rows).unwrap_or_default(), 9_000);
        let batches = batches.finish().expect("batches");
        assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [BATCH_ROWS, 808]);
        let mut found = Vec::new();
        for batch in &batches {
            each(batch, |row| {
                found.push(format!("{row:?}"));
                Ok(())
            })
            .expect("rows");
        }
        assert_eq!(found, expected);
    }
}
