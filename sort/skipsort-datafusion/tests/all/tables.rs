//! Random tables of every type that arrow-row encodes, and the comparison of what two sorts made of them.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Int64Array, Int64Builder, ListBuilder, RecordBatch, StringArray, StructArray,
};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use datafusion::arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::datasource::MemTable;
use skipsort_testkit::rng::Rng;

/// The types of columns.
pub fn types() -> Vec<DataType> {
    let dictionary = |of| DataType::Dictionary(Box::new(DataType::Int32), Box::new(of));
    vec![
        DataType::Null,
        DataType::Boolean,
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(20, 3),
        DataType::Decimal256(40, 3),
        DataType::Date32,
        DataType::Date64,
        DataType::Time32(TimeUnit::Second),
        DataType::Time64(TimeUnit::Nanosecond),
        DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Timestamp(TimeUnit::Nanosecond, Some("+02:00".into())),
        DataType::Duration(TimeUnit::Millisecond),
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        DataType::FixedSizeBinary(5),
        dictionary(DataType::Utf8),
        dictionary(DataType::Int64),
        dictionary(DataType::Binary),
        DataType::List(Arc::new(Field::new_list_field(DataType::Int64, true))),
        DataType::Struct(
            vec![Field::new("a", DataType::Int64, true), Field::new("b", DataType::Utf8, true)].into(),
        ),
    ]
}

/// A column of the type: some nulls, some values many times.
fn column(of: &DataType, rows: usize, rng: &mut Rng) -> ArrayRef {
    let (few, nulls) = (1 + rng.below(100_000), rng.below(4));
    let null = |rng: &mut Rng| nulls > 0 && rng.below(10) < nulls;
    let small = matches!(of, DataType::Int8 | DataType::UInt8);
    let number = |rng: &mut Rng| match small {
        true => rng.below(100) as i64,
        false => rng.below(few.min(30_000)) as i64,
    };
    match of {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => strings(of, rows, few, rng, null),
        DataType::Dictionary(_, values) if **values != DataType::Int64 => strings(of, rows, few, rng, null),
        DataType::FixedSizeBinary(_) => {
            let values = (0..rows)
                .map(|_| (!null(rng)).then(|| format!("{:05}", rng.below(few)).into_bytes()[..5].to_vec()));
            let values: Vec<Option<Vec<u8>>> = values.collect();
            let array = datafusion::arrow::array::FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                values.into_iter(),
                5,
            );
            Arc::new(array.unwrap())
        }
        DataType::List(_) => {
            let mut builder = ListBuilder::new(Int64Builder::new());
            for _ in 0..rows {
                (0..rng.below(3))
                    .for_each(|_| builder.values().append_option((!null(rng)).then(|| number(rng))));
                builder.append(!null(rng));
            }
            Arc::new(builder.finish())
        }
        DataType::Struct(fields) => {
            let arrays = fields.iter().map(|field| column(field.data_type(), rows, rng)).collect();
            Arc::new(StructArray::new(fields.clone(), arrays, None))
        }
        DataType::Null => datafusion::arrow::array::new_null_array(of, rows),
        DataType::Date64 => {
            let days = column(&DataType::Date32, rows, rng);
            cast(&days, of).unwrap()
        }
        DataType::Time32(_) | DataType::Date32 => {
            let numbers = column(&DataType::Int32, rows, rng);
            cast(&numbers, of).unwrap()
        }
        _ => {
            let values: Int64Array = (0..rows).map(|_| (!null(rng)).then(|| number(rng))).collect();
            cast(&(Arc::new(values) as ArrayRef), of).unwrap()
        }
    }
}

fn strings(
    of: &DataType,
    rows: usize,
    few: usize,
    rng: &mut Rng,
    null: impl Fn(&mut Rng) -> bool,
) -> ArrayRef {
    let prefix = ["", "https://www.example.org/", "a\0", "é"][rng.below(4)];
    let text = |rng: &mut Rng| match rng.below(8) {
        0 => String::new(),
        1 => prefix.repeat(rng.below(4)),
        _ => format!("{prefix}{}", rng.below(few)),
    };
    let values: StringArray = (0..rows).map(|_| (!null(rng)).then(|| text(rng))).collect();
    cast(&(Arc::new(values) as ArrayRef), of).unwrap()
}

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
