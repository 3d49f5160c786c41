//! Random columns of every type that arrow-row encodes: few values and many, the ends of ranges, and what is hard to order.

use std::sync::Arc;

use datafusion::arrow::array::types::*;
use datafusion::arrow::array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    Int32Array, LargeBinaryArray, LargeListArray, ListArray, ListViewArray, PrimitiveArray, StringArray,
    StructArray, new_null_array,
};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, IntervalUnit, TimeUnit, i256};
use skipsort_testkit::rng::Rng;

/// Bytes of a `FixedSizeBinary`, and values of a `FixedSizeList`.
const FIXED: i32 = 5;

/// The types of columns.
pub fn types() -> Vec<DataType> {
    let dictionary = |of| DataType::Dictionary(Box::new(DataType::Int32), Box::new(of));
    let item = |of| Arc::new(Field::new_list_field(of, true));
    let field = |name: &str, of| Field::new(name, of, true);
    let mut types: Vec<DataType> = numbers_of_all().into_iter().map(|(of, _)| of).collect();
    types.extend([
        DataType::Null,
        DataType::Boolean,
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        DataType::FixedSizeBinary(FIXED),
        dictionary(DataType::Utf8),
        dictionary(DataType::Int64),
        dictionary(DataType::Binary),
        DataType::List(item(DataType::Int64)),
        DataType::LargeList(item(DataType::Utf8)),
        DataType::ListView(item(DataType::Float64)),
        DataType::FixedSizeList(item(DataType::Int32), FIXED),
        DataType::Struct(vec![field("a", DataType::Float32), field("b", DataType::Utf8)].into()),
        DataType::Struct(vec![field("l", DataType::List(item(DataType::Binary)))].into()),
    ]);
    types
}

/// A column of the type: some nulls, some values many times.
pub fn column(of: &DataType, rows: usize, rng: &mut Rng) -> ArrayRef {
    match of {
        DataType::Null => new_null_array(of, rows),
        DataType::Boolean => {
            let nulls = nulls(rows, rng);
            Arc::new(BooleanArray::new((0..rows).map(|_| rng.below(2) == 0).collect(), nulls))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => strings(of, rows, rng),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => bytes(of, rows, rng),
        DataType::FixedSizeBinary(_) => {
            let (few, nulls) = (1 + rng.below(1_000), nulls(rows, rng));
            let values = (0..rows * FIXED as usize).map(|_| byte(few, rng)).collect::<Vec<u8>>();
            Arc::new(FixedSizeBinaryArray::new(FIXED, values.into(), nulls))
        }
        DataType::Dictionary(_, values) => dictionary(of, values, rows, rng),
        DataType::List(_) | DataType::LargeList(_) | DataType::ListView(_) | DataType::FixedSizeList(..) => {
            lists(of, rows, rng)
        }
        DataType::Struct(fields) => {
            let arrays = fields.iter().map(|field| column(field.data_type(), rows, rng)).collect();
            Arc::new(StructArray::new(fields.clone(), arrays, nulls(rows, rng)))
        }
        _ => {
            let all = numbers_of_all();
            let (of, make) = all.iter().find(|(number, _)| number == of).expect("one of the types");
            make(of, rows, rng)
        }
    }
}

/// Which rows are null: none, or up to three of ten.
fn nulls(rows: usize, rng: &mut Rng) -> Option<NullBuffer> {
    let many = rng.below(4);
    (many > 0).then(|| (0..rows).map(|_| rng.below(10) >= many).collect::<Vec<bool>>().into())
}

type Make = Box<dyn Fn(&DataType, usize, &mut Rng) -> ArrayRef>;

/// The types that are numbers inside, and what makes their columns.
fn numbers_of_all() -> Vec<(DataType, Make)> {
    macro_rules! integers {
        ($($of:ident),+; $($typed:ident: $data_type:expr),+) => {
            vec![
                $(($of::DATA_TYPE, integers::<$of>(|n| n as _, |bits| bits as _)),)+
                $(($data_type, integers::<$typed>(|n| n as _, |bits| bits as _)),)+
            ]
        };
    }
    let mut all = integers!(
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type, Date32Type,
        Date64Type, Time32SecondType, Time64NanosecondType, TimestampMicrosecondType, DurationMillisecondType,
        IntervalYearMonthType;
        TimestampNanosecondType: DataType::Timestamp(TimeUnit::Nanosecond, Some("+02:00".into())),
        Decimal128Type: DataType::Decimal128(20, 3)
    );
    let few_days = |n| IntervalDayTime::new(n as i32, -(n as i32));
    let day = |bits: u64| IntervalDayTime::new(bits as i32, (bits >> 32) as i32);
    let month = |bits: u64| IntervalMonthDayNano::new(bits as i32 % 40, (bits >> 32) as i32, bits as i64);
    let half = |n: i64| <Float16Type as ArrowPrimitiveType>::Native::from_f64(n as f64 / 8.0);
    let half_of = |bits| <Float16Type as ArrowPrimitiveType>::Native::from_bits(bits as u16);
    let half_ends = [0x7e00, 0xfe00, 0x7c00, 0xfc00, 0, 0x8000, 1].map(half_of);
    let ends = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MIN, 5e-324];
    let short_ends = ends.map(|end| end as f32);
    all.extend([
        (
            DataType::Decimal32(9, 2),
            integers::<Decimal32Type>(|n| n as _, |bits| bits as i32 % 1_000_000_000),
        ),
        (DataType::Decimal64(18, 2), integers::<Decimal64Type>(|n| n, |bits| bits as i64 / 10)),
        (
            DataType::Decimal256(40, 3),
            integers::<Decimal256Type>(
                |n| i256::from_i128(n.into()),
                |bits| i256::from_i128(i128::from(bits as i64) << 60),
            ),
        ),
        (DataType::Float16, numbers::<Float16Type>(half_ends.to_vec(), half, half_of)),
        (
            DataType::Float32,
            numbers::<Float32Type>(
                short_ends.to_vec(),
                |n| n as f32 / 8.0,
                |bits| f32::from_bits(bits as u32),
            ),
        ),
        (DataType::Float64, numbers::<Float64Type>(ends.to_vec(), |n| n as f64 / 8.0, f64::from_bits)),
        (DataType::Interval(IntervalUnit::DayTime), integers::<IntervalDayTimeType>(few_days, day)),
        (
            DataType::Interval(IntervalUnit::MonthDayNano),
            integers::<IntervalMonthDayNanoType>(|n| IntervalMonthDayNano::new(0, n as i32, n), month),
        ),
    ]);
    all
}

/// Numbers whose ends are all bits but one, or none.
fn integers<T: ArrowPrimitiveType>(of_number: fn(i64) -> T::Native, of_bits: fn(u64) -> T::Native) -> Make {
    let top = 1 << (8 * size_of::<T::Native>().min(8) - 1);
    numbers::<T>([0, 1, top, top - 1, u64::MAX].map(of_bits).to_vec(), of_number, of_bits)
}

/// Few numbers around 0, ends, or any bits at all.
fn numbers<T: ArrowPrimitiveType>(
    ends: Vec<T::Native>,
    of_number: fn(i64) -> T::Native,
    of_bits: fn(u64) -> T::Native,
) -> Make {
    Box::new(move |of, rows, rng| {
        let (few, kind, nulls) = (1 + rng.below(30_000), rng.below(4), nulls(rows, rng));
        let mut value = || match (kind, rng.below(4)) {
            (0, _) => of_bits(rng.word()),
            (1, 0) => ends[rng.below(ends.len())],
            (_, 1) => of_number(-(rng.below(few) as i64)),
            _ => of_number(rng.below(few) as i64),
        };
        let values = (0..rows).map(|_| value()).collect::<Vec<T::Native>>();
        Arc::new(PrimitiveArray::<T>::new(values.into(), nulls).with_data_type(of.clone()))
    })
}

fn strings(of: &DataType, rows: usize, rng: &mut Rng) -> ArrayRef {
    let (few, nulls, wild) = (1 + rng.below(100_000), nulls(rows, rng), rng.below(3) == 0);
    let prefix = ["", "https://www.example.org/", "a\0", "é"][rng.below(4)];
    let text = |rng: &mut Rng| match rng.below(8) {
        0 => String::new(),
        1 => prefix.repeat(rng.below(4)),
        _ if wild => (0..rng.below(20))
            .map(|_| *rng.pick(&[&'a', &'\0', &'\u{7f}', &'é', &'日', &'\u{10ffff}']))
            .collect(),
        _ => format!("{prefix}{}", rng.below(few)),
    };
    let values: Vec<Option<String>> = (0..rows)
        .map(|row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)).then(|| text(rng)))
        .collect();
    cast(&(Arc::new(StringArray::from(values)) as ArrayRef), of).unwrap()
}

/// A byte of few, or one at an end of the range.
fn byte(few: usize, rng: &mut Rng) -> u8 {
    if rng.below(3) == 0 { [0, 1, 0xfe, 0xff][rng.below(4)] } else { rng.below(few.min(256)) as u8 }
}

/// Bytes that are no text, some of them beginnings of others.
fn bytes(of: &DataType, rows: usize, rng: &mut Rng) -> ArrayRef {
    let (few, nulls, most) = (1 + rng.below(256), nulls(rows, rng), 1 + rng.below(30));
    let mut before: Vec<u8> = Vec::new();
    let mut value = |rng: &mut Rng| {
        before.truncate(rng.below(before.len() + 1));
        before.extend((0..rng.below(most)).map(|_| byte(few, rng)));
        before.truncate(100);
        before.clone()
    };
    let values =
        (0..rows).map(|row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)).then(|| value(rng)));
    cast(&(Arc::new(values.collect::<LargeBinaryArray>()) as ArrayRef), of).unwrap()
}

/// Made of a column, or with values that are null, the same, or not used.
fn dictionary(of: &DataType, values: &DataType, rows: usize, rng: &mut Rng) -> ArrayRef {
    if rng.below(2) == 0 {
        return cast(&column(values, rows, rng), of).unwrap();
    }
    let many = 1 + rng.below(40);
    let (values, nulls) = (column(values, many, rng), nulls(rows, rng));
    let keys = (0..rows).map(|_| rng.below(many) as i32).collect::<Vec<i32>>();
    Arc::new(DictionaryArray::try_new(Int32Array::new(keys.into(), nulls), values).unwrap())
}

/// Lists of up to three values, or of as many as the type says; null lists have values, too.
fn lists(of: &DataType, rows: usize, rng: &mut Rng) -> ArrayRef {
    let lengths: Vec<usize> = (0..rows).map(|_| rng.below(4)).collect();
    let all: usize = lengths.iter().sum();
    let values =
        |field: &FieldRef, many, rng: &mut Rng| (Arc::clone(field), column(field.data_type(), many, rng));
    match of {
        DataType::FixedSizeList(field, size) => {
            let (field, values) = values(field, rows * *size as usize, rng);
            Arc::new(FixedSizeListArray::new(field, *size, values, nulls(rows, rng)))
        }
        DataType::LargeList(field) => {
            let (field, values) = values(field, all, rng);
            Arc::new(LargeListArray::new(
                field,
                OffsetBuffer::from_lengths(lengths),
                values,
                nulls(rows, rng),
            ))
        }
        DataType::ListView(field) => {
            // Views that overlap.
            let (field, values) = values(field, 100, rng);
            let starts: Vec<i32> = (0..rows).map(|_| rng.below(97) as i32).collect();
            let sizes: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
            Arc::new(ListViewArray::new(field, starts.into(), sizes.into(), values, nulls(rows, rng)))
        }
        DataType::List(field) => {
            let (field, values) = values(field, all, rng);
            Arc::new(ListArray::new(field, OffsetBuffer::from_lengths(lengths), values, nulls(rows, rng)))
        }
        other => unreachable!("{other} is no list"),
    }
}
