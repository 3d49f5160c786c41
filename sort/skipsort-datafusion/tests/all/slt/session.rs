//! A session configured as DataFusion's own runner of these files does it. Values and errors are written as that runner writes
//! them. The session keeps the last statement's output, since `sqllogictest` only says whether it is what the file expects.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bigdecimal::BigDecimal;
use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::{DataFusionError, not_impl_err};
use datafusion::config::{ConfigField, FormatOptions as Formats};
use datafusion::logical_expr::{ColumnarValue, Volatility};
use datafusion::prelude::{SessionConfig, SessionContext, create_udf};
use skipsort_datafusion::{SkipSortConfig, WithSkipSort};
use sqllogictest::{AsyncDB, DBOutput, DefaultColumnType};

use super::stand_ins;

/// A statement's output, the rows as texts.
#[derive(Debug)]
pub struct Output {
    pub types: Vec<DataType>,
    pub rows: Vec<Vec<String>>,
}

pub type Outcome = Result<Output, String>;

#[derive(Clone)]
pub struct Session {
    context: SessionContext,
    /// The folder of the crate that has the files: locations of external tables are relative to it.
    files: PathBuf,
    /// The root that stands for DataFusion's repository, as plans write it.
    root: String,
    last: Arc<Mutex<Option<Outcome>>>,
}

impl Session {
    pub fn new(with_rule: bool, files: PathBuf, root: String) -> Self {
        let config = SessionConfig::new().with_target_partitions(4);
        let context = SessionContext::new_with_config(config);
        let context = if with_rule { context.with_skipsort(config_of_all()) } else { context };
        Session { context, files, root, last: Arc::default() }
    }

    /// Takes the outcome of the last statement; none if no statement has run since.
    pub fn take_last(&self) -> Option<Outcome> {
        self.last.lock().unwrap().take()
    }

    /// Registers the function of `joins.slt`, which has it only in a plan.
    pub fn register_example(&self) {
        let call = |_: &[ColumnarValue]| not_impl_err!("example");
        let arguments = vec![DataType::Float64; 2];
        let result = DataType::Float64;
        let example = create_udf("example", arguments, result, Volatility::Immutable, Arc::new(call));
        self.context.register_udf(example);
    }

    async fn output(&self, sql: &str) -> Result<Output, DataFusionError> {
        stand_ins::provide(sql, &self.files)?;
        let query = self.context.sql(sql).await?;
        let types = query.schema().fields().iter().map(|field| field.data_type().clone()).collect();
        let mut rows = Vec::new();
        for batch in &query.collect().await? {
            texts(batch, &self.root, &mut rows)?;
        }
        Ok(Output { types, rows })
    }
}

/// All limits by this crate's own sort, and all rows as many rows are: the tables are small.
fn config_of_all() -> SkipSortConfig {
    let mut config = SkipSortConfig::default();
    (config.top_k_most, config.in_batches_most) = (0, 0);
    config
}

/// An error under the prefix that the files expect.
#[derive(Debug)]
pub struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataFusion error: {}", self.0)
    }
}

impl std::error::Error for Failure {}

#[async_trait]
impl AsyncDB for Session {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    async fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        let outcome = self.output(sql).await.map_err(|error| error.strip_backtrace());
        let result = match &outcome {
            Ok(output) if output.types.is_empty() => Ok(DBOutput::StatementComplete(0)),
            Ok(Output { types, rows }) => {
                Ok(DBOutput::Rows { types: vec![DefaultColumnType::Any; types.len()], rows: rows.clone() })
            }
            Err(error) => Err(Failure(error.clone())),
        };
        *self.last.lock().unwrap() = Some(outcome);
        result
    }

    fn engine_name(&self) -> &str {
        "DataFusion"
    }

    async fn shutdown(&mut self) {}
}

/// Adds a batch's rows as the files write them: plans by numbered lines, without the folder in which they were made.
fn texts(batch: &RecordBatch, root: &str, rows: &mut Vec<Vec<String>>) -> Result<(), DataFusionError> {
    let mut formats = Formats::default();
    formats.set("null", "NULL")?;
    let options = FormatOptions::try_from(&formats)?;
    let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    for row in 0..batch.num_rows() {
        let value = |(column, values): (&ArrayFormatter, &ArrayRef)| {
            cell(column.value(row).to_string(), values.data_type()).replace(root, "WORKSPACE_ROOT")
        };
        let mut cells: Vec<String> = columns.iter().zip(batch.columns()).map(value).collect();
        let last: Vec<String> = cells.pop().unwrap_or_default().split('\n').map(as_datafusion).collect();
        if let [line] = &last[..] {
            cells.push(line.clone());
            rows.push(cells);
            continue;
        }
        rows.push(cells);
        for (number, line) in last.iter().enumerate() {
            let text = line.trim_start();
            rows.push(vec![format!("{:02}){}{text}", number + 1, "-".repeat(line.len() - text.len()))]);
        }
    }
    Ok(())
}

/// A value's text: fractions plain and of at most twelve digits, decimals without zeros at their end, no empty text.
fn cell(text: String, of: &DataType) -> String {
    match of {
        DataType::Dictionary(_, of) => cell(text, of),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if text.is_empty() => "(empty)".into(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            text.trim_end_matches('\n').replace('\0', "\\0")
        }
        _ if of.is_floating() || of.is_decimal() => match (text.parse::<BigDecimal>(), text.as_str()) {
            (Ok(number), _) if of.is_decimal() => number.normalized().to_plain_string(),
            (Ok(number), _) => number.round(12).normalized().to_plain_string(),
            (Err(_), "inf") => "Infinity".into(),
            (Err(_), "-inf") => "-Infinity".into(),
            _ => text,
        },
        _ => text,
    }
}

/// A line of a plan with the operator as the one that it stands for. A `SortExec` without a limit does not write its prefix.
fn as_datafusion(line: &str) -> String {
    let plain = line
        .replace("SkipSortExec:", "SortExec:")
        .replace("SkipPartialSortExec:", "PartialSortExec:")
        .replace("SkipSortPreservingMergeExec:", "SortPreservingMergeExec:");
    match plain.split_once(", sort_prefix=[") {
        Some((sort, rest)) if line.contains("SkipSortExec: expr=") => {
            let metrics = rest.find(", metrics=[").map_or("", |at| &rest[at..]);
            format!("{sort}{metrics}")
        }
        _ => plain,
    }
}

#[test]
fn values_are_written_as_the_files_write_them() {
    for (text, of, written) in [
        ("1e16", DataType::Float64, "10000000000000000"),
        ("0.1234567890123", DataType::Float64, "0.123456789012"),
        ("-inf", DataType::Float32, "-Infinity"),
        ("1.50", DataType::Decimal128(5, 2), "1.5"),
        ("1.50", DataType::Utf8, "1.50"),
        ("", DataType::Utf8View, "(empty)"),
    ] {
        assert_eq!(cell(text.into(), &of), written);
    }
}

#[test]
fn lines_of_plans_are_those_of_the_sorts_they_stand_for() {
    for (ours, theirs) in [
        ("  SkipSortExec: expr=[a[1] ASC], sort_prefix=[a[1] ASC]", "  SortExec: expr=[a[1] ASC]"),
        (
            "SkipSortExec: expr=[a ASC], sort_prefix=[a ASC], metrics=[x=1]",
            "SortExec: expr=[a ASC], metrics=[x=1]",
        ),
        ("SkipSortExec: TopK(fetch=1), sort_prefix=[a ASC]", "SortExec: TopK(fetch=1), sort_prefix=[a ASC]"),
        ("SkipPartialSortExec: expr=[a ASC]", "PartialSortExec: expr=[a ASC]"),
        ("SkipSortPreservingMergeExec: [a ASC]", "SortPreservingMergeExec: [a ASC]"),
        ("SortExec: TopK(fetch=1), sort_prefix=[a ASC]", "SortExec: TopK(fetch=1), sort_prefix=[a ASC]"),
    ] {
        assert_eq!(as_datafusion(ours), theirs);
    }
}
