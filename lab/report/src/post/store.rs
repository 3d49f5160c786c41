//! What a store's flushes and compactions did, step by step, in the columns of the reference.

use humdrum_model::{Summary, TestResult};

use super::throughput::find;
use super::{Block, Table, plain};
use crate::number::short_or_none;
use crate::store;
use crate::text::clean;

/// A table for each step, with a row for each subject, and what the columns mean; nothing for other engines. A table lacks
/// the columns that no subject has in its step.
pub(super) fn all(summary: &Summary) -> Vec<Block> {
    let Some(first) = summary.comparisons.first() else { return Vec::new() };
    let mut blocks: Vec<Block> = first.tests.iter().filter_map(|test| of_one(summary, &test.test)).collect();
    if !blocks.is_empty() {
        let measured: Vec<TestResult> =
            summary.comparisons.iter().flat_map(|one| one.tests.iter().cloned()).collect();
        blocks.push(Block::Text("The columns:".to_owned()));
        blocks.push(Block::Bullets(legend(&measured)));
    }
    blocks
}

fn of_one(summary: &Summary, test: &str) -> Option<Block> {
    let own: Vec<TestResult> =
        summary.comparisons.iter().filter_map(|one| find(one, test).cloned()).collect();
    let columns = store::columns(&own);
    let row = |(label, result, side): store::Line<'_>| {
        let cells = columns.iter().map(|column| plain(short_or_none(column.value(result, side))));
        (clean(label), cells.collect())
    };
    let rows: Vec<_> = store::lines(summary, test).into_iter().map(row).collect();
    let head = ("subject".to_owned(), columns.iter().map(|column| column.heading.to_owned()).collect());
    let table = Table { caption: clean(test), head, rows };
    (!columns.is_empty() && !table.rows.is_empty()).then_some(Block::Table(table))
}

/// What the columns mean. Neighbours of one meaning share a line.
fn legend(tests: &[TestResult]) -> Vec<String> {
    let told: Vec<(&str, String)> =
        store::columns(tests).iter().map(|column| (column.heading, clean(&column.meaning(tests)))).collect();
    let line = |same: &[(&str, String)]| {
        let headings: Vec<&str> = same.iter().map(|(heading, _)| *heading).collect();
        format!("{}: {}", headings.join(", "), same[0].1)
    };
    told.chunk_by(|one, next| one.1 == next.1).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn tables(summary: &Summary) -> Vec<Table> {
        let of = |block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        };
        all(summary).into_iter().filter_map(of).collect()
    }

    #[test]
    fn each_step_has_a_table_with_its_own_columns_and_a_row_for_each_subject() {
        let (mut summary, ..) = fixture::releases();
        let found = tables(&summary);
        assert_eq!(found.iter().map(|table| &*table.caption).collect::<Vec<_>>(), ["overwrite", "readww"]);
        let [writes, reads] = [0, 1].map(|place| &found[place]);
        let labels: Vec<&str> = std::iter::once(&summary.base)
            .chain(summary.comparisons.iter().map(|one| &one.subject))
            .map(String::as_str)
            .collect();
        for table in [writes, reads] {
            assert_eq!(table.rows.iter().map(|row| &*row.0).collect::<Vec<_>>(), labels);
        }
        let has = |table: &Table, heading: &str| table.head.1.iter().any(|one| one == heading);
        assert!(has(writes, "w_amp") && !has(reads, "w_amp") && has(reads, "usec_op"));
        for table in [writes, reads] {
            assert!(table.rows.iter().all(|(_, cells)| cells.len() == table.head.1.len()));
        }
        // A subject without a figure has no row.
        summary.comparisons[1].tests[0].qps = None;
        assert_eq!(tables(&summary)[0].rows.len(), 3);
    }

    #[test]
    fn other_engines_have_no_such_part() {
        let (summary, ..) = fixture::run();
        assert!(all(&summary).is_empty());
    }
}
