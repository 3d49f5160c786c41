//! What the tests cost that moved, in the columns of the reference, with what these mean.

use humdrum_model::{Summary, TestResult};

use super::throughput::find;
use super::{Block, Table, plain};
use crate::cost::{self, Column};
use crate::number::short_or_none;
use crate::steps::Cell;
use crate::text::clean;
use crate::words::Outcome;

/// Tests whose costs are listed.
const COSTS_MAX: usize = 10;

/// Of each test that moved, what an operation cost on each side, and the same relative to the base.
pub(super) fn all(summary: &Summary) -> Vec<Block> {
    let moved = |test: &&TestResult| {
        summary
            .comparisons
            .iter()
            .any(|one| find(one, &test.test).is_some_and(|own| Outcome::of(own).moved()))
    };
    // The base's cells are those of the first comparison that has costs of the test.
    let mut tests: Vec<&TestResult> = Vec::new();
    for test in summary.comparisons.iter().flat_map(|one| &one.tests) {
        let known = tests.iter().any(|other| other.test == test.test);
        if !known && !test.cost.is_empty() && moved(&test) {
            tests.push(test);
        }
    }
    let Some(first) = summary.comparisons.first().filter(|_| !tests.is_empty()) else { return Vec::new() };
    let columns = cost::reference(&first.tests);
    let mut blocks = vec![Block::Text(legend(&tests, &columns))];
    let tables = tests.iter().take(COSTS_MAX).map(|test| Block::Table(of_one(summary, test, &columns)));
    blocks.extend(tables);
    if tests.len() > COSTS_MAX {
        blocks.push(Block::Text(format!(
            "{} more tests moved; report.html has their costs.",
            tests.len() - COSTS_MAX
        )));
    }
    blocks
}

fn of_one(summary: &Summary, test: &TestResult, columns: &[Column]) -> Table {
    let cells = |own: &TestResult, side: &dyn Fn(&humdrum_model::Cost) -> Option<f64>| -> Vec<Cell> {
        columns.iter().map(|column| plain(short_or_none(own.cost.get(&column.name).and_then(side)))).collect()
    };
    let mut rows = vec![(clean(&summary.base), cells(test, &|cost| Some(cost.base)))];
    for one in &summary.comparisons {
        if let Some(own) = find(one, &test.test) {
            let label = clean(&one.subject);
            rows.push((label.clone(), cells(own, &|cost| Some(cost.subject))));
            rows.push((format!("{label}, relative"), cells(own, &|cost| cost.ratio)));
        }
    }
    let head = ("subject".to_owned(), columns.iter().map(|column| column.heading.clone()).collect());
    Table { caption: clean(&test.test), head, rows }
}

/// What the columns mean, in the words of the record.
fn legend(tests: &[&TestResult], columns: &[Column]) -> String {
    let meaning = |column: &Column| {
        let cost = tests.iter().find_map(|test| test.cost.get(&column.name))?;
        Some(format!("{}: {}", column.heading, clean(&cost.description)))
    };
    let told: Vec<String> = columns.iter().filter_map(meaning).collect();
    format!("/o is for one operation. {}.", told.join("; "))
}
