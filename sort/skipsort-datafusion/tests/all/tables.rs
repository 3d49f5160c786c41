//! Random tables, and the comparison of what two sorts made of them.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::datasource::MemTable;
use skipsort_testkit::rng::Rng;

use crate::columns::column;

/// A table of some partitions of some batches.
pub struct Table {
    pub schema: SchemaRef,
    pub partitions: Vec<Vec<RecordBatch>>,
}

impl Table {
    pub fn random(types: &[DataType], rows: usize, rng: &mut Rng) -> Self {
        let field = |(number, of): (usize, &DataType)| Field::new(format!("c{number}"), of.clone(), true);
        let mut fields: Vec<Field> = types.iter().enumerate().map(field).collect();
        fields.push(Field::new("row", DataType::Int64, true));
        let schema = Arc::new(Schema::new(fields));
        let mut partitions = vec![Vec::new(); 1 + rng.below(3)];
        let (mut left, most) = (rows, 1 + rng.below(9_000));
        while left > 0 {
            let many = (1 + rng.below(most)).min(left);
            left -= many;
            let mut columns: Vec<ArrayRef> = types.iter().map(|of| column(of, many, rng)).collect();
            columns.push(Arc::new(Int64Array::from_iter_values((left as i64)..(left + many) as i64)));
            let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
            let at = rng.below(partitions.len());
            partitions[at].push(batch);
        }
        Table { schema, partitions }
    }

    /// All rows in one batch, with values in place of dictionaries. DataFusion's own sort takes very long for many batches, and more memory
    /// than there is for dictionaries in them.
    pub fn simple(&self) -> Self {
        let all = concat_batches(&self.schema, self.partitions.iter().flatten()).unwrap();
        let all = without_dictionaries(&all);
        Table { schema: all.schema(), partitions: vec![vec![all]] }
    }

    pub fn provider(&self) -> Arc<MemTable> {
        Arc::new(MemTable::try_new(Arc::clone(&self.schema), self.partitions.clone()).unwrap())
    }
}

/// The same rows, with values in place of dictionaries.
pub fn without_dictionaries(batch: &RecordBatch) -> RecordBatch {
    let values = |of: &DataType| match of {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        of => of.clone(),
    };
    let fields = batch.schema_ref().fields().iter();
    let fields: Vec<Field> =
        fields.map(|field| field.as_ref().clone().with_data_type(values(field.data_type()))).collect();
    let columns = batch.columns().iter().zip(&fields);
    let columns = columns.map(|(column, field)| cast(column, field.data_type()).unwrap()).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

/// Rows as arrow-row has them: the first columns of each in order, and whole ones sorted.
fn rows(batch: &RecordBatch, keys: usize) -> (Vec<OwnedRow>, Vec<OwnedRow>) {
    let batch = without_dictionaries(batch);
    let encoded = |columns: &[ArrayRef]| {
        let fields = columns.iter().map(|column| SortField::new(column.data_type().clone())).collect();
        let rows = RowConverter::new(fields).unwrap().convert_columns(columns).unwrap();
        rows.iter().map(|row| row.owned()).collect::<Vec<_>>()
    };
    let mut whole = encoded(batch.columns());
    whole.sort();
    (encoded(&batch.columns()[..keys]), whole)
}

/// What is wrong with sorted rows of a random table.
///
/// Rows whose keys, the first columns, are equal may come in any order, so the keys are compared in order and the rows as a set. With a
/// limit any rows with these keys may come, of all that there are.
pub fn same_order(
    expected: &RecordBatch,
    ours: &RecordBatch,
    keys: usize,
    limited: Option<&RecordBatch>,
) -> Result<(), String> {
    let ((expected_keys, expected), (our_keys, ours)) = (rows(expected, keys), rows(ours, keys));
    if expected_keys != our_keys {
        let at = expected_keys.iter().zip(&our_keys).take_while(|(a, b)| a == b).count();
        let (many, our_many) = (expected_keys.len(), our_keys.len());
        return Err(format!("keys differ from row {at}: {many} rows, ours {our_many}"));
    }
    let Some(all) = limited else {
        return if expected == ours { Ok(()) } else { Err("rows differ where keys do not".into()) };
    };
    let (_, all) = rows(all, keys);
    if ours.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("a row came twice".into());
    }
    if ours.iter().any(|row| all.binary_search(row).is_err()) {
        return Err("a row came that was not there".into());
    }
    Ok(())
}
