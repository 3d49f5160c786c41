//! DataFusion's own sqllogictest files with the rule on: every record that passes without it has to pass with it.
//!
//! The files are in the crate `datafusion-sqllogictest`; `cargo xtask datafusion slt` finds them. Records over files of
//! DataFusion's repository that the crate has not, or over functions that are not built here, fail both ways and are counted.

use std::fs;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::DataFusionError;
use datafusion::prelude::{SessionConfig, SessionContext};
use skipsort_datafusion::WithSkipSort;
use sqllogictest::{AsyncDB, DBOutput, DefaultColumnType, Record, Runner};

/// ORDER BY, LIMIT, window functions, sort-merge joins, and whatever else has a sort in its plans.
const FILES: [&str; 24] = [
    "aggregate.slt",
    "aggregates_topk.slt",
    "array_agg_sliding_window.slt",
    "group_by.slt",
    "join_limit_pushdown.slt",
    "joins.slt",
    "limit.slt",
    "limit_single_row_batches.slt",
    "order.slt",
    "ordered_aggregate_spill.slt",
    "push_down_topk_through_join.slt",
    "qualify.slt",
    "select.slt",
    "sort_merge_join.slt",
    "sort_merge_join_spill.slt",
    "sort_pushdown.slt",
    "subquery.slt",
    "subquery_sort.slt",
    "topk.slt",
    "union.slt",
    "window.slt",
    "window_limits.slt",
    "window_topk_pushdown.slt",
    "window_topn.slt",
];

struct Session(SessionContext);

impl Session {
    fn new(with_rule: bool) -> Self {
        let config = SessionConfig::new().with_target_partitions(4).with_information_schema(true);
        let session = SessionContext::new_with_config(config);
        Session(if with_rule { session.with_skipsort(config_of_all()) } else { session })
    }
}

/// All limits by this crate's own sort.
fn config_of_all() -> skipsort_datafusion::SkipSortConfig {
    let mut config = skipsort_datafusion::SkipSortConfig::default();
    config.top_k_most = 0;
    config
}

#[async_trait]
impl AsyncDB for Session {
    type Error = DataFusionError;
    type ColumnType = DefaultColumnType;

    async fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, DataFusionError> {
        let query = self.0.sql(sql).await?;
        let columns = query.schema().fields().len();
        let batches = query.collect().await?;
        if columns == 0 {
            return Ok(DBOutput::StatementComplete(0));
        }
        let mut rows = Vec::new();
        for batch in &batches {
            texts(batch, &mut rows)?;
        }
        Ok(DBOutput::Rows { types: vec![DefaultColumnType::Any; columns], rows })
    }

    async fn shutdown(&mut self) {}
}

/// A batch as the files write it: plans by numbered lines, the operator under the name of the one that it replaces.
fn texts(batch: &RecordBatch, rows: &mut Vec<Vec<String>>) -> Result<(), DataFusionError> {
    let options = FormatOptions::default().with_null("NULL");
    let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    for row in 0..batch.num_rows() {
        let mut cells: Vec<String> = columns.iter().map(|column| column.value(row).to_string()).collect();
        cells.iter_mut().filter(|cell| cell.is_empty()).for_each(|cell| *cell = "(empty)".into());
        let last: Vec<String> = cells.pop().unwrap_or_default().split('\n').map(as_datafusion).collect();
        let last = last.join("\n");
        if !last.contains('\n') {
            cells.push(last);
            rows.push(cells);
            continue;
        }
        rows.push(cells);
        for (number, line) in last.lines().enumerate() {
            let text = line.trim_start();
            rows.push(vec![format!("{:02}){}{text}", number + 1, "-".repeat(line.len() - text.len()))]);
        }
    }
    Ok(())
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

/// Whether each record of the file passes, and what is said where it does not.
async fn outcomes(file: &Path, with_rule: bool) -> Vec<Option<String>> {
    let records: Vec<Record<DefaultColumnType>> = sqllogictest::parse_file(file).unwrap();
    let session = Session::new(with_rule).0;
    let mut runner = Runner::new(|| async { Ok(Session(session.clone())) });
    runner.with_normalizer(|text| text.trim_end().to_string());
    let mut outcomes = Vec::new();
    for record in records {
        let counts = matches!(record, Record::Statement { .. } | Record::Query { .. });
        if let Record::Halt { .. } = record {
            break;
        }
        let outcome = runner.run_async(record).await;
        if counts {
            outcomes.push(outcome.err().map(|error| error.to_string()));
        }
    }
    outcomes
}

/// The folder of the files, if they are there.
fn folder() -> Option<PathBuf> {
    std::env::var_os("SKIPSORT_SLT").map(PathBuf::from)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs DataFusion's files: cargo xtask datafusion slt"]
async fn what_passes_without_the_rule_passes_with_it() {
    let folder = folder().expect("SKIPSORT_SLT names the folder test_files of datafusion-sqllogictest");
    // Files write into `test_files/scratch`, below the folder in which they are run.
    let work = std::env::temp_dir().join(format!("skipsort-slt-{}", std::process::id()));
    fs::create_dir_all(work.join("test_files/scratch")).unwrap();
    std::env::set_current_dir(&work).unwrap();
    let (mut passed, mut complaints) = (0, Vec::new());
    println!("{:32} {:>7} {:>8} {:>8}", "file", "records", "without", "with");
    for name in FILES {
        let file = folder.join(name);
        let scratch = work.join("test_files/scratch").join(name.trim_end_matches(".slt"));
        let mut both = Vec::new();
        for with_rule in [false, true] {
            let _ = fs::remove_dir_all(&scratch);
            fs::create_dir_all(&scratch).unwrap();
            both.push(outcomes(&file, with_rule).await);
        }
        let count = |at: usize| both[at].iter().filter(|outcome| outcome.is_none()).count();
        println!("{name:32} {:>7} {:>8} {:>8}", both[0].len(), count(0), count(1));
        passed += count(1);
        let pairs = both[0].iter().zip(&both[1]);
        complaints
            .extend(pairs.filter(|(without, _)| without.is_none()).filter_map(|(_, with)| with.clone()));
    }
    fs::remove_dir_all(&work).unwrap();
    assert!(complaints.is_empty(), "{} differ:\n{}", complaints.len(), complaints.join("\n\n"));
    assert!(passed > 1_000, "only {passed} records pass: are these DataFusion's files?");
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
