//! The table of tests: each is one query.

use humdrum_contract::OrderColumn::{self, Amount, Id, Name, Note, Region, Seen, Tag, Url};
use humdrum_contract::{OrderKey, OrderQuery};
use humdrum_model::{Phase, TestInfo};

/// A test. Every key orders all rows in one way: URLs are unique, and other keys end with the row's number.
pub(crate) struct Test {
    pub(crate) name: &'static str,
    group: &'static str,
    about: &'static str,
    columns: &'static [OrderColumn],
    /// Columns, and whether each descends.
    keys: &'static [(OrderColumn, bool)],
    limit: Option<u64>,
    first_row: bool,
    memory_percent: Option<u32>,
}

const PLAIN: Test = Test {
    name: "",
    group: "",
    about: "",
    columns: &[Id, Url],
    keys: &[(Url, false)],
    limit: None,
    first_row: false,
    memory_percent: None,
};
const WIDE: &[OrderColumn] = &[Id, Url, Region, Name, Seen, Amount, Tag, Note];

/// All tests, in the order of reports.
pub(crate) const TABLE: [Test; 7] = [
    Test { name: "string", group: "all-rows", about: "one ORDER BY of a URL, all rows", ..PLAIN },
    Test {
        name: "composite",
        group: "all-rows",
        about: "one ORDER BY of an integer, a string that descends, a timestamp and the row's number, all rows",
        columns: &[Id, Region, Name, Seen],
        keys: &[(Region, false), (Name, true), (Seen, false), (Id, false)],
        ..PLAIN
    },
    Test {
        name: "payload",
        group: "all-rows",
        about: "one ORDER BY of a URL with seven other columns, all rows",
        columns: WIDE,
        ..PLAIN
    },
    Test {
        name: "top-10",
        group: "limit",
        about: "one ORDER BY of a URL with LIMIT 10",
        limit: Some(10),
        ..PLAIN
    },
    Test {
        name: "top-1000",
        group: "limit",
        about: "one ORDER BY of a URL with LIMIT 1000",
        limit: Some(1_000),
        ..PLAIN
    },
    Test {
        name: "first-row",
        group: "first",
        about: "one ORDER BY of a URL until its first rows come; the rest is cancelled",
        first_row: true,
        ..PLAIN
    },
    Test {
        name: "spill",
        group: "memory",
        about: "one ORDER BY as in `payload` with memory for a quarter of the table",
        columns: WIDE,
        memory_percent: Some(25),
        ..PLAIN
    },
];

impl Test {
    pub(crate) fn info(&self) -> TestInfo {
        TestInfo {
            name: self.name.into(),
            group: self.group.into(),
            operation: self.about.into(),
            statements: 1,
            writes: false,
            // A million rows take most of a second.
            long: true,
            phase: Phase::Fresh,
            scans: true,
            ..TestInfo::default()
        }
    }

    pub(crate) fn query(&self) -> OrderQuery {
        OrderQuery {
            columns: self.columns.to_vec(),
            keys: self.keys.iter().map(|&(column, descending)| OrderKey { column, descending }).collect(),
            limit: self.limit,
            first_row: self.first_row,
            memory_percent: self.memory_percent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_returns_its_keys_and_orders_all_rows_in_one_way() {
        for test in &TABLE {
            let query = test.query();
            assert!(query.keys.iter().all(|key| query.columns.contains(&key.column)), "{}", test.name);
            let last = query.keys.last().map(|key| key.column);
            assert!(matches!(last, Some(Url | Id)), "{}: no two rows are equal", test.name);
        }
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<&str> = TABLE.iter().map(|test| test.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }
}
