//! DataFusion's own sqllogictest files with the rule and without it.
//!
//! The files are in the crate `datafusion-sqllogictest`; `cargo xtask datafusion slt` finds them. A record that is as its file
//! expects without the rule has to be so with it. Of the others, which mostly are over data that the crate lacks (`stand_ins.rs`),
//! the two runs have to give the same. What neither compares is counted by its reason.

mod session;
mod stand_ins;

use std::fs;
use std::path::{Path, PathBuf};

use datafusion::arrow::datatypes::DataType;
use datafusion::sql::parser::{DFParser, Statement};
use datafusion::sql::sqlparser::ast;
use session::{Outcome, Output, Session};
use sqllogictest::{AsyncDB, DefaultColumnType, Record, Runner};

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

/// A record as one run had it.
#[derive(Debug)]
struct Run {
    sql: String,
    /// The message of `sqllogictest` if the output is not what the file expects.
    complaint: Option<String>,
    /// The output; none if the record is for other engines only.
    outcome: Option<Outcome>,
}

/// The columns of the table: what a record compared, or why nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// Both runs are what the file expects.
    Expected,
    /// The runs gave the same rows, but not those that the file expects.
    Same,
    /// Neither run has a row.
    Empty,
    /// Both failed for want of a file or of a table over one.
    NoData,
    /// Both failed otherwise.
    Failed,
    /// The record is for other engines only.
    Skipped,
    /// The runs differ.
    Differ,
}

const HEADINGS: [&str; 7] = ["expected", "same", "empty", "no-data", "failed", "skipped", "differ"];

fn judge(without: &Run, with: &Run) -> Verdict {
    match (&without.outcome, &with.outcome) {
        (None, None) => Verdict::Skipped,
        _ if without.complaint.is_none() && with.complaint.is_none() => Verdict::Expected,
        _ if without.complaint.is_none() => Verdict::Differ,
        (Some(Ok(theirs)), Some(Ok(ours))) if alike(&without.sql, theirs, ours) => {
            if ours.rows.is_empty() {
                Verdict::Empty
            } else {
                Verdict::Same
            }
        }
        // Only the first line: the next may propose one of several functions by chance.
        (Some(Err(error)), Some(Err(other))) if error.lines().next() == other.lines().next() => {
            let wants = ["not found", "No such file", "doesn't exist", "No files found"];
            if wants.iter().any(|words| error.contains(words)) { Verdict::NoData } else { Verdict::Failed }
        }
        _ => Verdict::Differ,
    }
}

/// Whether two outputs are the same, in the same order if the statement asks for one.
fn alike(sql: &str, theirs: &Output, ours: &Output) -> bool {
    let rows = |output: &Output| {
        let mut rows = output.rows.clone();
        if !asks_for_order(sql) {
            rows.sort_unstable();
        }
        rows
    };
    let (left, right) = (rows(theirs), rows(ours));
    let row = |(left, right): (&Vec<String>, &Vec<String>)| {
        let mut cells = left.iter().zip(right).zip(&ours.types);
        left.len() == right.len() && cells.all(|((left, right), of)| close(left, right, of))
    };
    theirs.types == ours.types && left.len() == right.len() && left.iter().zip(&right).all(row)
}

/// Whether the rows of the whole have an order: one within a window or a subquery does not give it.
fn asks_for_order(sql: &str) -> bool {
    let ordered = |statement: &Statement| match statement {
        Statement::Statement(statement) => {
            matches!(&**statement, ast::Statement::Query(query) if query.order_by.is_some())
        }
        _ => false,
    };
    DFParser::parse_sql(sql).is_ok_and(|statements| statements.iter().any(ordered))
}

/// Whether two values are the same. A sum of fractions varies with the order in which partitions come to it.
fn close(left: &str, right: &str, of: &DataType) -> bool {
    let near = |left: f64, right: f64| (left - right).abs() <= 1e-9 * left.abs();
    left == right
        || of.is_floating()
            && matches!((left.parse(), right.parse()), (Ok(left), Ok(right)) if near(left, right))
}

/// A table that DataFusion's own runner registers for `joins.slt`.
const PARTITIONED: &str = "CREATE TABLE test_partition_table AS SELECT arrow_cast(0, 'UInt32') AS c1, \
                     arrow_cast(value, 'UInt64') AS c2, value % 2 = 0 AS c3 FROM generate_series(0, 10)";

/// Runs a file's records.
async fn runs(file: &Path, mut session: Session) -> Vec<Run> {
    if file.ends_with("joins.slt") {
        session.run(PARTITIONED).await.unwrap();
        session.register_example();
    }
    let records: Vec<Record<DefaultColumnType>> = sqllogictest::parse_file(file).unwrap();
    let mut runner = Runner::new(|| async { Ok(session.clone()) });
    runner.add_label("Datafusion");
    runner.with_normalizer(|text| text.trim_end().to_string());
    let mut runs = Vec::new();
    for record in records {
        let sql = match &record {
            Record::Halt { .. } => break,
            Record::Statement { sql, .. } | Record::Query { sql, .. } => Some(sql.clone()),
            _ => None,
        };
        let result = runner.run_async(record).await;
        if let Some(sql) = sql {
            let complaint = result.err().map(|error| error.to_string());
            runs.push(Run { sql, complaint, outcome: session.take_last() });
        }
    }
    runs
}

/// The working directory: as deep below a root as the files' crate is in DataFusion's repository, for the paths in plans.
struct Work(PathBuf);

impl Work {
    fn new() -> Self {
        let root = std::env::temp_dir().join(format!("skipsort-slt-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        Work(root.canonicalize().unwrap())
    }

    /// Empties the root and changes to the working directory, with the scratch folder that the file writes into.
    fn enter(&self, file: &str) {
        let folder = self.0.join("datafusion/sqllogictest");
        std::env::set_current_dir(&self.0).unwrap();
        fs::read_dir(&self.0).unwrap().for_each(|entry| fs::remove_dir_all(entry.unwrap().path()).unwrap());
        fs::create_dir_all(folder.join("test_files/scratch").join(file.trim_end_matches(".slt"))).unwrap();
        std::env::set_current_dir(folder).unwrap();
    }

    /// The root as plans write it.
    fn name(&self) -> String {
        self.0.to_str().unwrap().trim_start_matches('/').to_string()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn print_line(name: &str, counts: &[usize; HEADINGS.len()]) {
    let counts = std::iter::once(counts.iter().sum()).chain(counts.iter().copied());
    let texts: Vec<String> = counts.map(|count: usize| format!("{count:>8}")).collect();
    println!("{name:32} {}", texts.join(" "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs DataFusion's files: cargo xtask datafusion slt"]
async fn what_passes_without_the_rule_passes_with_it() {
    let folder = std::env::var_os("SKIPSORT_SLT").map(PathBuf::from);
    let folder = folder.expect("SKIPSORT_SLT names the folder test_files of datafusion-sqllogictest");
    let folder = folder.canonicalize().unwrap();
    let crate_of_files = folder.parent().unwrap();
    let work = Work::new();
    let (mut totals, mut complaints) = ([0; HEADINGS.len()], Vec::new());
    println!("{:32} {:>8} {}", "file", "records", HEADINGS.map(|heading| format!("{heading:>8}")).join(" "));
    for name in FILES {
        let mut both = Vec::new();
        for with_rule in [false, true] {
            work.enter(name);
            let session = Session::new(with_rule, crate_of_files.into(), work.name());
            both.push(runs(&folder.join(name), session).await);
        }
        let mut counts = [0; HEADINGS.len()];
        for (without, with) in both[0].iter().zip(&both[1]) {
            let verdict = judge(without, with);
            counts[verdict as usize] += 1;
            if verdict == Verdict::Differ {
                complaints.push(format!("{name}:\nwithout the rule {without:#?}\nwith it {with:#?}"));
            }
        }
        print_line(name, &counts);
        totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    print_line("total", &totals);
    let [passed, ..] = totals;
    assert!(complaints.is_empty(), "{} differ:\n{}", complaints.len(), complaints.join("\n\n"));
    assert!(passed > 1_000, "only {passed} records pass: are these DataFusion's files?");
}

#[test]
fn runs_are_told_apart() {
    let run = |sql: &str, rows: &[&str]| Run {
        sql: sql.into(),
        complaint: Some("not as expected".into()),
        outcome: Some(Ok(Output {
            types: vec![DataType::Float64],
            rows: rows.iter().map(|row| vec![row.to_string()]).collect(),
        })),
    };
    let verdict = |sql, left: &[&str], right: &[&str]| judge(&run(sql, left), &run(sql, right));
    let (ordered, free) = ("SELECT a FROM t ORDER BY a", "SELECT max(a) OVER (ORDER BY b) FROM t");
    assert_eq!(verdict(ordered, &["1", "2"], &["1", "2"]), Verdict::Same);
    assert_eq!(verdict(ordered, &["1", "2"], &["2", "1"]), Verdict::Differ);
    assert_eq!(verdict(free, &["1", "2"], &["2", "1"]), Verdict::Same);
    assert_eq!(verdict(free, &["1", "2"], &["1", "3"]), Verdict::Differ);
    assert_eq!(verdict(free, &["1", "2"], &["1"]), Verdict::Differ);
    assert_eq!(verdict(free, &["7474.000000000001"], &["7474"]), Verdict::Same);
    assert_eq!(verdict(free, &[], &[]), Verdict::Empty);
    let failed = |error: &str| Run { outcome: Some(Err(error.into())), ..run(free, &[]) };
    assert_eq!(judge(&failed("table 't' not found"), &failed("table 't' not found")), Verdict::NoData);
    assert_eq!(judge(&failed("out of memory"), &run(free, &[])), Verdict::Differ);
    let passes = Run { complaint: None, ..run(ordered, &["1"]) };
    assert_eq!(judge(&passes, &run(ordered, &["1"])), Verdict::Differ);
    assert_eq!(judge(&passes, &passes), Verdict::Expected);
}
