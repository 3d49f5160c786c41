//! Each test's statements with typical arguments: from the middle of the table, with the test's own widths.

use humdrum_model::Scale;

use crate::definitions::{self, Read, Shape, Write};
use crate::statements::of_read;
use crate::tables;
use crate::write_client::of_write;

/// Statements that have a plan.
const PLANNED: [&str; 3] = ["SELECT", "UPDATE", "DELETE"];

pub(crate) fn of(test: &str, scale: &Scale) -> Vec<String> {
    let Some(definition) = definitions::find(test) else { return Vec::new() };
    let names = tables(scale);
    let Some(table) = names.first() else { return Vec::new() };
    let (texts, step) = match definition.shape {
        Shape::Read(read) => (of_read(read, table), step(read, scale.rows)),
        Shape::Write(write) => (of_write(write, table), width(write)),
    };
    let middle = scale.rows / 2 + 1;
    let values = || (0..).map(|number| (middle + number * step).min(scale.rows));
    let mut statements: Vec<String> = texts.iter().map(|text| text.literal(values())).collect();
    statements.retain(|sql| PLANNED.iter().any(|word| sql.starts_with(word)));
    statements
}

/// The distance between two arguments: 1 where the test asks for neighbours, the width of a range, else a large one.
fn step(read: Read, rows: u64) -> u64 {
    match read {
        Read::InList { hot: true, .. } | Read::Point | Read::Scan => 1,
        Read::InList { count, .. } => (rows / 2 / count.max(1) as u64).max(1),
        Read::Range { width, .. } => width,
        Read::Transaction { width, .. } => width.saturating_sub(1),
    }
}

fn width(write: Write) -> u64 {
    match write {
        Write::Transaction { width } => width.unwrap_or(1),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(test: &str) -> Vec<String> {
        of(test, &Scale { name: "custom".into(), rows: 10_000, tables: 2, clients: 1, ..Scale::default() })
    }

    #[test]
    fn arguments_are_the_tests_own_size() {
        assert_eq!(statements("point-query"), ["SELECT c FROM sbtest1 WHERE id = 5001"]);
        assert_eq!(statements("range-covered-si"), ["SELECT k FROM sbtest1 WHERE k BETWEEN 5001 AND 5101"]);
        assert!(statements("hot-points")[0].contains("5001, 5002, 5003"));
        assert!(statements("random-points_range=10")[0].contains("IN (5001, 5501, 6001"));
        assert_eq!(statements("update-nonindex"), ["UPDATE sbtest1 SET c = 'text' WHERE id = 5001"]);
        assert!(statements("insert").is_empty() && statements("none").is_empty());
    }

    #[test]
    fn transactions_are_taken_apart() {
        let found = statements("read-write_range=100");
        assert_eq!(found.len(), 1 + 4 + 3, "{found:#?}");
        assert!(found.iter().all(|sql| !sql.contains('?')));
    }
}
