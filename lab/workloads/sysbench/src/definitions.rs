//! The table of tests, in the order in which the reference runs the reads. Names, statements and sizes are the
//! reference's; `operation` says what one operation is, because some of the names do not.

use humdrum_model::TestInfo;

/// One test.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    group: &'static str,
    operation: &'static str,
    pub(crate) shape: Shape,
    long: bool,
}

/// What a test does.
pub(crate) enum Shape {
    /// Rows by a list of values of a column.
    InList {
        /// Columns that are read.
        columns: &'static str,
        /// Column that is looked up: `id` or `k`.
        key: &'static str,
        /// Values in the list.
        count: usize,
        /// Always the same rows, in the middle of the table.
        hot: bool,
    },
    /// One row by primary key.
    Point,
    /// `key BETWEEN x AND x + width`.
    Range {
        /// Columns that are read.
        columns: &'static str,
        /// Column that is looked up: `id` or `k`.
        key: &'static str,
        /// Distance between the ends.
        width: u64,
    },
    /// The whole table, returning nothing.
    Scan,
    /// `BEGIN`, ten rows by primary key, ranges of `width` rows, `COMMIT`.
    Transaction {
        /// The ranges, in order.
        ranges: &'static [RangeQuery],
        /// Rows in each range.
        width: u64,
    },
}

/// A range query of the read-only transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeQuery {
    Simple,
    Sum,
    Order,
    Distinct,
}

/// Rows by primary key in each read-only transaction.
pub(crate) const POINTS_PER_TRANSACTION: usize = 10;

impl Definition {
    pub(crate) fn info(&self) -> TestInfo {
        TestInfo {
            name: self.name.into(),
            group: self.group.into(),
            operation: self.operation.into(),
            statements: self.statements(),
            writes: false,
            long: self.long,
        }
    }

    /// Statements that the clock counts per call; a transaction's include BEGIN and COMMIT.
    fn statements(&self) -> u32 {
        match self.shape {
            Shape::Transaction { ranges, .. } => (2 + POINTS_PER_TRANSACTION + ranges.len()) as u32,
            _ => 1,
        }
    }
}

/// All tests.
pub(crate) fn table() -> &'static [Definition] {
    &TABLE
}

const ALL_RANGES: &[RangeQuery] =
    &[RangeQuery::Simple, RangeQuery::Sum, RangeQuery::Order, RangeQuery::Distinct];

const fn in_list(
    name: &'static str,
    operation: &'static str,
    columns: &'static str,
    key: &'static str,
    count: usize,
    hot: bool,
) -> Definition {
    Definition {
        name,
        group: "point",
        operation,
        shape: Shape::InList { columns, key, count, hot },
        long: false,
    }
}

const fn range(
    name: &'static str,
    operation: &'static str,
    columns: &'static str,
    key: &'static str,
) -> Definition {
    let shape = Shape::Range { columns, key, width: 100 };
    Definition { name, group: "range", operation, shape, long: false }
}

const fn transaction(
    name: &'static str,
    operation: &'static str,
    ranges: &'static [RangeQuery],
    width: u64,
) -> Definition {
    let shape = Shape::Transaction { ranges, width };
    Definition { name, group: "aggregate", operation, shape, long: width >= 10_000 }
}

static TABLE: [Definition; 22] = [
    in_list(
        "hot-points",
        "one SELECT of 100 rows by primary key IN list, always the same rows",
        "c",
        "id",
        100,
        true,
    ),
    Definition {
        name: "point-query",
        group: "point",
        operation: "one SELECT of 1 row by primary key",
        shape: Shape::Point,
        long: false,
    },
    in_list(
        "points-covered-pk",
        "one SELECT of 100 rows by primary key IN list, index only",
        "id",
        "id",
        100,
        false,
    ),
    in_list(
        "points-covered-si",
        "one SELECT by secondary key IN list of 100 values, index only",
        "k",
        "k",
        100,
        false,
    ),
    in_list(
        "points-notcovered-pk",
        "one SELECT of 100 rows by primary key IN list, key and column c",
        "id, c",
        "id",
        100,
        false,
    ),
    in_list(
        "points-notcovered-si",
        "one SELECT by secondary key IN list of 100 values, key and column c",
        "k, c",
        "k",
        100,
        false,
    ),
    in_list(
        "random-points_range=10",
        "one SELECT of 10 rows by primary key IN list, random rows",
        "c",
        "id",
        10,
        false,
    ),
    in_list(
        "random-points_range=100",
        "one SELECT of 100 rows by primary key IN list, random rows",
        "c",
        "id",
        100,
        false,
    ),
    in_list(
        "random-points_range=1000",
        "one SELECT of 1000 rows by primary key IN list, random rows",
        "c",
        "id",
        1000,
        false,
    ),
    range("range-covered-pk", "one SELECT of 101 rows by primary key BETWEEN, index only", "id", "id"),
    range("range-covered-si", "one SELECT by secondary key BETWEEN over 101 values, index only", "k", "k"),
    range(
        "range-notcovered-pk",
        "one SELECT of 101 rows by primary key BETWEEN, key and column c",
        "id, c",
        "id",
    ),
    range(
        "range-notcovered-si",
        "one SELECT by secondary key BETWEEN over 101 values, key and column c",
        "k, c",
        "k",
    ),
    Definition {
        name: "scan",
        group: "range",
        operation: "one SELECT that reads a whole table and returns nothing",
        shape: Shape::Scan,
        long: true,
    },
    Definition {
        name: "read-only-count",
        group: "aggregate",
        operation: "one SELECT count(c) over 1000 rows by primary key BETWEEN",
        shape: Shape::Range { columns: "count(c)", key: "id", width: 999 },
        long: false,
    },
    transaction(
        "read-only-simple",
        "one of 13 statements: BEGIN, 10 SELECTs of 1 row, a SELECT of 1000 rows, COMMIT",
        &[RangeQuery::Simple],
        1000,
    ),
    transaction(
        "read-only-sum",
        "one of 13 statements: BEGIN, 10 SELECTs of 1 row, a SUM over 1000 rows, COMMIT",
        &[RangeQuery::Sum],
        1000,
    ),
    transaction(
        "read-only-order",
        "one of 13 statements: BEGIN, 10 SELECTs of 1 row, 1000 rows ORDER BY c, COMMIT",
        &[RangeQuery::Order],
        1000,
    ),
    transaction(
        "read-only-distinct",
        "one of 13 statements: BEGIN, 10 SELECTs of 1 row, 1000 rows DISTINCT c ORDER BY c, COMMIT",
        &[RangeQuery::Distinct],
        1000,
    ),
    transaction(
        "read-only_range=10",
        "one of 16 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 10 rows, COMMIT",
        ALL_RANGES,
        10,
    ),
    transaction(
        "read-only_range=100",
        "one of 16 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 100 rows, COMMIT",
        ALL_RANGES,
        100,
    ),
    transaction(
        "read-only_range=10000",
        "one of 16 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 10000 rows, COMMIT",
        ALL_RANGES,
        10_000,
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn holds_nine_point_five_range_and_eight_aggregate_tests() {
        let of = |group| table().iter().filter(|test| test.group == group).count();
        assert_eq!((of("point"), of("range"), of("aggregate")), (9, 5, 8));
        let names: HashSet<&str> = table().iter().map(|test| test.name).collect();
        assert_eq!(names.len(), table().len());
    }

    #[test]
    fn counts_the_statements_of_transactions() {
        let statements = |name| table().iter().find(|test| test.name == name).map(Definition::statements);
        assert_eq!(statements("read-only-sum"), Some(13));
        assert_eq!(statements("read-only_range=10"), Some(16));
        assert_eq!(statements("point-query"), Some(1));
    }
}
