//! The tables and queries of the benchmark.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use datafusion::common::utils::memory::get_record_batch_memory_size;
use datafusion::datasource::MemTable;
use skipsort_testkit::patterns;
use skipsort_testkit::rng::Rng;
use tpchgen::generators as of;
use tpchgen_arrow as arrow;

/// The sets that may be asked for.
pub const NAMES: [&str; 11] =
    ["url", "path", "uuid", "down", "mixed", "lineitem2", "lineitem4", "top10", "top1000", "memory", "tpch"];

/// How many queries TPC-H has.
pub const QUERIES: usize = 22;

/// Rows of a batch.
const BATCH: usize = 8192;

/// A query over tables in memory.
pub struct Set {
    pub name: String,
    pub tables: Arc<Vec<(&'static str, Arc<MemTable>)>>,
    pub sql: String,
    /// Bytes of the session's memory, if they are limited.
    pub memory: Option<usize>,
}

impl Set {
    /// Whether only some of the rows are wanted: rows with equal keys may stand for each other then.
    pub fn is_limited(&self) -> bool {
        self.sql.to_lowercase().contains("limit")
    }
}

/// The queries of a set, over tables of so many partitions, which have so many rows or are TPC-H's of this scale.
pub fn sets(name: &str, (rows, scale, queries): (usize, f64, &[usize]), partitions: usize) -> Vec<Set> {
    let one = |tables: Vec<_>, sql: &str, memory| {
        vec![Set { name: name.into(), tables: Arc::new(tables), sql: sql.into(), memory }]
    };
    let lineitem = || {
        let batches =
            arrow::LineItemArrow::new(of::LineItemGenerator::new(scale, 1, 1)).with_batch_size(BATCH);
        vec![("t", table(batches.map(Result::unwrap).collect(), partitions))]
    };
    match name {
        "mixed" => {
            let batches =
                (0..rows.div_ceil(BATCH)).map(|batch| mixed(BATCH.min(rows - batch * BATCH), batch));
            let tables = vec![("t", table(batches.collect(), partitions))];
            one(tables, "SELECT * FROM t ORDER BY region, name, at", None)
        }
        "lineitem2" => one(lineitem(), "SELECT * FROM t ORDER BY l_shipmode, l_comment", None),
        "lineitem4" => {
            let sql = "SELECT * FROM t ORDER BY l_returnflag, l_linestatus, l_shipdate DESC, l_extendedprice";
            one(lineitem(), sql, None)
        }
        "top10" => one(strings("url", rows, partitions).0, "SELECT * FROM t ORDER BY key LIMIT 10", None),
        "top1000" => one(strings("url", rows, partitions).0, "SELECT * FROM t ORDER BY key LIMIT 1000", None),
        "memory" => {
            let (tables, bytes) = strings("url", rows, partitions);
            one(tables, "SELECT * FROM t ORDER BY key", Some(bytes / 4))
        }
        "down" => one(strings("url", rows, partitions).0, "SELECT * FROM t ORDER BY key DESC", None),
        "tpch" => tpch(scale, queries, partitions),
        pattern => one(strings(pattern, rows, partitions).0, "SELECT * FROM t ORDER BY key", None),
    }
}

fn table(batches: Vec<RecordBatch>, partitions: usize) -> Arc<MemTable> {
    let schema = batches[0].schema();
    let mut parts = vec![Vec::new(); partitions];
    batches.into_iter().enumerate().for_each(|(number, batch)| parts[number % partitions].push(batch));
    Arc::new(MemTable::try_new(schema, parts).unwrap())
}

/// A column of a pattern's keys beside a row number, and the bytes of it all.
fn strings(pattern: &str, rows: usize, partitions: usize) -> (Vec<(&'static str, Arc<MemTable>)>, usize) {
    let keys = patterns::find(pattern).unwrap().keys(rows, 1);
    let slices = keys.slices();
    let batch = |(number, keys): (usize, &[&[u8]])| {
        let text = keys.iter().map(|key| Some(std::str::from_utf8(key).unwrap()));
        let rows =
            Int64Array::from_iter_values((number * BATCH) as i64..(number * BATCH + keys.len()) as i64);
        let columns =
            [("key", Arc::new(text.collect::<StringArray>()) as ArrayRef), ("row", Arc::new(rows) as _)];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    let batches: Vec<RecordBatch> = slices.chunks(BATCH).enumerate().map(batch).collect();
    let bytes = batches.iter().map(get_record_batch_memory_size).sum();
    (vec![("t", table(batches, partitions))], bytes)
}

/// An integer of few values, a string, a timestamp, and a row number.
fn mixed(rows: usize, batch: usize) -> RecordBatch {
    let mut rng = Rng::new(batch as u64);
    let regions = Int64Array::from_iter_values((0..rows).map(|_| rng.below(1_000) as i64));
    let names: StringArray = (0..rows).map(|_| Some(format!("customer-{:06}", rng.zipf(100_000)))).collect();
    let start = 1_700_000_000_000_000i64;
    let times = (0..rows).map(|_| start + rng.below(31_536_000) as i64 * 1_000_000);
    let times = TimestampMicrosecondArray::from_iter_values(times);
    let numbers = Int64Array::from_iter_values((batch * BATCH) as i64..(batch * BATCH + rows) as i64);
    let columns: [(&str, ArrayRef); 4] = [
        ("region", Arc::new(regions)),
        ("name", Arc::new(names)),
        ("at", Arc::new(times)),
        ("row", Arc::new(numbers)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// What stands for the parameters of each query of TPC-H: the values by which the specification validates (2.4). The fraction of
/// query 11 is that of scale factor 1.
const PARAMETERS: [&[&str]; 22] = [
    &["90"],
    &["15", "BRASS", "EUROPE"],
    &["BUILDING", "1995-03-15"],
    &["1993-07-01"],
    &["ASIA", "1994-01-01"],
    &["1994-01-01", "0.06", "24"],
    &["FRANCE", "GERMANY"],
    &["BRAZIL", "AMERICA", "ECONOMY ANODIZED STEEL"],
    &["green"],
    &["1993-10-01"],
    &["GERMANY", "0.0001"],
    &["MAIL", "SHIP", "1994-01-01"],
    &["special", "requests"],
    &["1995-09-01"],
    &["1996-01-01"],
    &["Brand#45", "MEDIUM POLISHED", "49", "14", "23", "45", "19", "3", "36", "9"],
    &["Brand#23", "MED BOX"],
    &["300"],
    &["Brand#12", "Brand#23", "Brand#34", "1", "10", "20"],
    &["forest", "1994-01-01", "CANADA"],
    &["SAUDI ARABIA"],
    &["13", "31", "23", "29", "30", "18", "17"],
];

/// A query of TPC-H with its parameters.
fn query(number: usize) -> Option<String> {
    // DataFusion has no precision of intervals.
    let sql = tpchgen::q_and_a::queries::query(number as i32)?.replace("day (3)", "day");
    // Query 15 makes a view and drops it. What it is made of becomes a part of the statement, as in the specification's variant.
    let parts: Vec<&str> = sql.split(';').collect();
    let sql = match parts[0].trim_start().strip_prefix("create view") {
        Some(view) => format!("with{}){}", view.replacen(" as", " as (", 1), parts[1]).replace(":s", ""),
        None => sql,
    };
    let values = PARAMETERS[number - 1].iter().enumerate().rev();
    Some(values.fold(sql, |sql, (at, value)| sql.replace(&format!(":{}", at + 1), value)))
}

/// These queries of TPC-H over all of its tables.
fn tpch(scale: f64, queries: &[usize], partitions: usize) -> Vec<Set> {
    macro_rules! made {
        ($name:literal, $arrow:ident, $generator:ident) => {{
            let batches = arrow::$arrow::new(of::$generator::new(scale, 1, 1)).with_batch_size(BATCH);
            ($name, table(batches.map(Result::unwrap).collect(), partitions))
        }};
    }
    let tables = Arc::new(vec![
        made!("nation", NationArrow, NationGenerator),
        made!("region", RegionArrow, RegionGenerator),
        made!("part", PartArrow, PartGenerator),
        made!("supplier", SupplierArrow, SupplierGenerator),
        made!("partsupp", PartSuppArrow, PartSuppGenerator),
        made!("customer", CustomerArrow, CustomerGenerator),
        made!("orders", OrderArrow, OrderGenerator),
        made!("lineitem", LineItemArrow, LineItemGenerator),
    ]);
    queries
        .iter()
        .filter_map(|&number| Some((number, query(number)?)))
        .map(|(number, sql)| Set {
            name: format!("tpch q{number}"),
            tables: Arc::clone(&tables),
            sql,
            memory: None,
        })
        .collect()
}
