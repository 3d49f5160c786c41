//! The reads, in the order of the reference's table.

use super::{ALL_RANGES, Definition, RangeQuery, Read, Shape};

const fn in_list(
    name: &'static str,
    operation: &'static str,
    columns: &'static str,
    key: &'static str,
    count: usize,
    hot: bool,
) -> Definition {
    Definition::read(name, "point", operation, Shape::Read(Read::InList { columns, key, count, hot }))
}

const fn range(
    name: &'static str,
    operation: &'static str,
    columns: &'static str,
    key: &'static str,
) -> Definition {
    Definition::read(name, "range", operation, Shape::Read(Read::Range { columns, key, width: 100 }))
}

const fn transaction(
    name: &'static str,
    operation: &'static str,
    ranges: &'static [RangeQuery],
    width: u64,
) -> Definition {
    let shape = Shape::Read(Read::Transaction { ranges, width });
    let definition = Definition::read(name, "aggregate", operation, shape);
    if width >= 10_000 { definition.long() } else { definition }
}

pub(super) static READS: [Definition; 22] = [
    in_list(
        "hot-points",
        "one SELECT of 100 rows by primary key IN list, always the same rows",
        "c",
        "id",
        100,
        true,
    ),
    Definition::read("point-query", "point", "one SELECT of 1 row by primary key", Shape::Read(Read::Point)),
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
        "random-points_range=1000",
        "one SELECT of 1000 rows by primary key IN list, random rows",
        "c",
        "id",
        1000,
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
        "random-points_range=10",
        "one SELECT of 10 rows by primary key IN list, random rows",
        "c",
        "id",
        10,
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
    Definition::read(
        "scan",
        "range",
        "one SELECT that reads a whole table and returns nothing",
        Shape::Read(Read::Scan),
    )
    .long(),
    Definition::read(
        "read-only-count",
        "aggregate",
        "one SELECT count(c) over 1000 rows by primary key BETWEEN",
        Shape::Read(Read::Range { columns: "count(c)", key: "id", width: 999 }),
    ),
    transaction(
        "read-only-distinct",
        "one of 13 statements: BEGIN, 10 SELECTs of 1 row, 1000 rows DISTINCT c ORDER BY c, COMMIT",
        &[RangeQuery::Distinct],
        1000,
    ),
    transaction(
        "read-only-order",
        "one of 13 statements: BEGIN, 10 SELECTs of 1 row, 1000 rows ORDER BY c, COMMIT",
        &[RangeQuery::Order],
        1000,
    ),
    transaction(
        "read-only_range=10000",
        "one of 16 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 10000 rows, COMMIT",
        ALL_RANGES,
        10_000,
    ),
    transaction(
        "read-only_range=100",
        "one of 16 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 100 rows, COMMIT",
        ALL_RANGES,
        100,
    ),
    transaction(
        "read-only_range=10",
        "one of 16 statements: BEGIN, 10 SELECTs of 1 row, simple, SUM, ORDER BY and DISTINCT over 10 rows, COMMIT",
        ALL_RANGES,
        10,
    ),
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
];
